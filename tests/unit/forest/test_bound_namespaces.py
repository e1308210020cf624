"""EQ1004: a namespace is bound by one quota."""

import pytest

import changes
import forests
from elasticquota.forest import bound_namespaces
from elasticquota.forest.settings import SharingTerms
from elasticquota.validation.stored import added


CHECK = added(bound_namespaces.check)
UNBOUND_CHECK = added(bound_namespaces.unbound)
FIELD = "metadata.annotations[quota.scheduling.koordinator.sh/namespaces]"


TAKEN: dict[str, tuple[str, str, str]] = {
    "by the list of another quota": (
        "a binds=x,y",
        "b binds=y,z",
        f"{FIELD}: namespace 'y' is bound by quota 'a'. Leave it out, or remove it from 'a' first.",
    ),
    # The pods would leave the max of the other one.
    "by the list of another quota, from the one that is named like it": (
        "dept parent; a<dept binds=x",
        "x<dept ns=x",
        "metadata.name: namespace 'x' is bound by quota 'a'. Choose another name, or remove it "
        "from 'a' first.",
    ),
    "by the quota of its name": (
        "x ns=x",
        "a binds=x",
        f"{FIELD}: namespace 'x' is bound by quota 'x', which has its name. Leave it out, or "
        "delete 'x' first.",
    ),
}


@pytest.mark.parametrize(("before", "entry", "sentence"), TAKEN.values(), ids=TAKEN)
def test_a_namespace_that_is_taken_is_refused(before: str, entry: str, sentence: str) -> None:
    assert changes.lines(CHECK, before, entry) == [f"{sentence} [EQ1004]"]


def test_every_namespace_that_an_edit_adds_is_judged() -> None:
    assert len(changes.lines(CHECK, "a binds=x,y; b", "b binds=x,y")) == 2


@pytest.mark.parametrize(
    ("before", "entry"),
    [
        pytest.param("a binds=x; x ns=x", "x 5.. ns=x", id="an old clash by its name"),
        pytest.param("a binds=x; b binds=x", "b 5.. binds=x,z", id="an old clash by its list"),
        pytest.param("x ns=y", "a binds=x", id="the name of a quota elsewhere"),
        pytest.param("a binds=x", "a binds=x,y", id="its own and a free one"),
        pytest.param("a binds=x", "b binds=y", id="a free one"),
        pytest.param("a binds=kube-system", "b binds=kube-system", id="a system namespace"),
        pytest.param(
            "kube-system ns=kube-system", "b binds=kube-system", id="a system namespace by name"
        ),
    ],
)
def test_other_namespaces_may_be_bound(before: str, entry: str) -> None:
    assert changes.lines(CHECK, before, entry) == []


UNBOUND = (
    "spec.namespaces: is not given, and 'a' is not the name of its namespace, so the quota limits "
    "only pods with the label quota.scheduling.koordinator.sh/name: a. To limit all pods of a "
    "namespace, list it. [EQ1004]"
)


@pytest.mark.parametrize(
    ("before", "entry"),
    [("", "a 5.."), ("a binds=x", "a"), ("a parent", "a leaf"), ("a allows=x", "a")],
)
def test_a_quota_that_binds_no_namespace_is_said_to_limit_only_labelled_pods(
    before: str, entry: str
) -> None:
    assert changes.lines(UNBOUND_CHECK, before, entry) == [UNBOUND]


@pytest.mark.parametrize(
    ("before", "entry"),
    [
        pytest.param("", "a binds=x", id="it binds one"),
        pytest.param("", "a ns=a", id="it is named like its namespace"),
        pytest.param("", "a parent", id="it holds quotas"),
        pytest.param("", "a root=blue", id="it is a root"),
        pytest.param("", "a allows=x", id="it says whose pods may name it"),
        pytest.param("a", "a 5..", id="it was so before"),
        pytest.param("", "koordinator-default-quota", id="it takes what no other takes"),
    ],
)
def test_of_other_quotas_nothing_is_said(before: str, entry: str) -> None:
    assert changes.lines(UNBOUND_CHECK, before, entry) == []


SYSTEM = "'kube-system' is a system namespace, so its pods belong to 'koordinator-system-quota'."
LABELLED = "limits only pods with the label quota.scheduling.koordinator.sh/name:"


@pytest.mark.parametrize(
    ("entry", "sentences"),
    [
        ("a binds=x,kube-system", [f"{FIELD}: {SYSTEM} Leave it out. [EQ1004]"]),
        ("a parent binds=kube-system", [f"{FIELD}: {SYSTEM} Leave it out. [EQ1004]"]),
        (
            "a binds=kube-system",
            [
                f"{FIELD}: {SYSTEM} Leave it out. [EQ1004]",
                f"spec.namespaces: names no other, so the quota {LABELLED} a. To limit all pods "
                "of a namespace, list it. [EQ1004]",
            ],
        ),
        (
            "kube-system ns=kube-system",
            [
                f"metadata.name: {SYSTEM} [EQ1004]",
                f"spec.namespaces: is not given, so the quota {LABELLED} kube-system. To limit "
                "all pods of a namespace, list it. [EQ1004]",
            ],
        ),
    ],
)
def test_a_quota_that_names_a_system_namespace_gets_a_warning(
    entry: str, sentences: list[str]
) -> None:
    assert changes.lines(UNBOUND_CHECK, "", entry) == sentences


def test_which_namespaces_are_of_the_system_is_the_administrators_choice() -> None:
    change = changes.change("", "a binds=ops,kube-system")
    forest = forests.forest("", SharingTerms(system_namespaces=frozenset({"ops"})))
    (found,) = UNBOUND_CHECK(change, forest)
    assert found.message.startswith("'ops' is a system namespace")


def test_a_removal_binds_nothing() -> None:
    assert not [*CHECK(changes.removal("a binds=x", "a"), forests.forest("a binds=x"))]
