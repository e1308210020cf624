"""PD1307: a quota takes pods of the namespaces that it allows."""

import forests
from elasticquota import names
from elasticquota.forest.membership import Membership
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.rules import welcome
from elasticquota.rules.violation import Violation


FIELD = f"metadata.labels[{names.QUOTA_NAME}]"
ADD = f"have the namespace added to metadata.annotations[{names.ALLOWED_NAMESPACES}] of 'a'"


def check(quota: str, namespace: str, label: str = "a") -> tuple[Violation, ...]:
    """What a pod of ``namespace`` with this label is told."""
    members = Membership(forests.forest(quota), frozenset({"kube-system"}))
    return welcome.check(Pod(Key(namespace, "p"), "uid", "", quota_label=label), members)


def lines(quota: str, namespace: str, label: str = "a") -> list[str]:
    return [found.line for found in check(quota, namespace, label)]


def rules(quota: str, namespace: str, label: str = "a") -> list[str]:
    return [found.rule for found in check(quota, namespace, label)]


def test_a_namespace_that_is_not_listed_is_told_which_are() -> None:
    assert lines("a allows=x,y binds=z", "other") == [
        (
            f"{FIELD}: 'a' takes no pods from namespace 'other', only from x, y, z. "
            f"Name a quota of your own, or {ADD}. [PD1307]"
        )
    ]


def test_an_empty_list_leaves_those_that_the_quota_binds() -> None:
    assert lines("a allows=", "ns") == [
        (
            f"{FIELD}: 'a' takes no pods from namespace 'ns', from no namespace but those that it "
            f"binds. Name a quota of your own, or {ADD}. [PD1307]"
        )
    ]


def test_listed_and_bound_namespaces_and_the_star_are_let_in() -> None:
    assert lines("a allows=x", "x") == []
    assert lines("a allows=x binds=z", "z") == []
    assert lines("a allows=*", "anywhere") == []
    assert lines("team ns=team allows=x", "team", "team") == []


def test_without_a_list_all_are_let_in_but_the_strict_side_is_found() -> None:
    assert rules("a binds=z", "other") == ["PD1307-unbound"]
    assert rules("a binds=z", "z") == []
    assert rules("a", "ns") == []


def test_pods_of_the_default_and_the_system_quota_are_never_asked() -> None:
    assert rules("a", "anywhere", label="") == []
    assert rules("a allows=x", "kube-system") == []
