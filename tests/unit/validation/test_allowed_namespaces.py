"""PD1307: a quota takes pods of the namespaces that it allows."""

import pytest

import forests
from elasticquota import names
from elasticquota.forest.membership import Membership
from elasticquota.forest.violation import Violation
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.validation import allowed_namespaces


FIELD = f"metadata.labels[{names.QUOTA_NAME}]"
ADD = "have the namespace added to spec.access.pods of 'a'"


def check(quota: str, namespace: str, label: str = "a") -> tuple[Violation, ...]:
    """The answers to a pod of ``namespace`` with this label."""
    members = Membership(forests.forest(quota))
    return tuple(
        allowed_namespaces.check(Pod(Key(namespace, "p"), "uid", "", quota_label=label), members)
    )


def lines(quota: str, namespace: str, label: str = "a") -> list[str]:
    return [found.line for found in check(quota, namespace, label)]


def rules(quota: str, namespace: str, label: str = "a") -> list[str]:
    return [found.rule for found in check(quota, namespace, label)]


def test_a_namespace_that_is_not_listed_says_which_are() -> None:
    assert lines("a allows=x,y binds=z", "other") == [
        f"{FIELD}: 'a' accepts no pods from namespace 'other', only from x, y, z. "
        f"Name a quota of your own, or {ADD}. [PD1307]"
    ]


def test_an_empty_list_leaves_those_that_the_quota_binds() -> None:
    assert lines("a allows=", "ns") == [
        f"{FIELD}: 'a' accepts no pods from namespace 'ns', from no namespace but those that "
        f"it binds. Name a quota of your own, or {ADD}. [PD1307]"
    ]


def test_listed_and_bound_namespaces_and_the_star_are_admitted() -> None:
    assert lines("a allows=x", "x") == []
    assert lines("a allows=x binds=z", "z") == []
    assert lines("a allows=*", "anywhere") == []
    assert lines("team ns=team allows=x", "team", "team") == []


def test_a_quota_that_binds_namespaces_takes_pods_of_these_and_of_its_own_only() -> None:
    assert rules("a binds=z", "other") == ["PD1307-unbound"]
    assert rules("team ns=team", "other", "team") == ["PD1307-unbound"]
    assert rules("a binds=z", "z") == []
    assert rules("a binds=z", "ns") == []


def test_a_namespace_that_a_quota_binds_goes_nowhere_else_but_home() -> None:
    assert rules("a; b binds=x", "x") == ["PD1307-unbound"]
    assert rules("a; team ns=team", "team") == ["PD1307-unbound"]
    assert rules("a ns=team; team ns=team", "team") == []


def test_a_quota_that_says_that_it_is_open_takes_pods_of_bound_namespaces_too() -> None:
    assert rules("a allows=*; b binds=x", "x") == []
    assert rules("a allows=x; b binds=x", "x") == []


def test_where_nothing_is_bound_only_the_strict_side_is_found() -> None:
    assert rules("a", "other") == ["PD1307-open"]
    assert rules("a", "ns") == []


@pytest.mark.parametrize("name", sorted(names.RESERVED_QUOTAS))
def test_no_pod_leaves_a_bound_namespace_by_a_reserved_name(name: str) -> None:
    assert lines("a binds=x", "x", label=name) == [
        f"{FIELD}: pods of namespace 'x' belong to quota 'a' and must not leave it for "
        f"'{name}'. Leave the label out, or name 'a'. [PD1307]"
    ]
    assert rules("a binds=x", "unbound", label=name) == []


def test_pods_of_the_default_and_the_system_quota_are_never_asked() -> None:
    assert rules("a", "anywhere", label="") == []
    assert rules("a allows=x", "kube-system") == []
