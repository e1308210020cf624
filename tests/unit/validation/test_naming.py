"""EQ1102 and EQ1110: names."""

import pytest

import changes
import forests
from elasticquota import names
from elasticquota.forest import acceptance
from elasticquota.forest.settings import SharingTerms
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.structs import replace
from elasticquota.validation import naming
from elasticquota.validation.change import Change


def test_a_name_is_unique_over_all_namespaces() -> None:
    assert changes.lines(naming.check, "a ns=one", "a ns=two") == [
        "metadata.name: 'a' is taken by the quota in namespace 'one'; names must be unique "
        "over all namespaces, because children and pods "
        "name a quota without its namespace. "
        "Choose another name. [EQ1102]"
    ]


def test_an_object_that_was_deleted_and_made_again_keeps_its_name() -> None:
    before = "a ns=one"
    again = Change(None, forests.quotas(before)[0])
    assert not [*naming.check(again, forests.forest(before))]


def test_a_quota_with_a_taken_name_that_slipped_in_may_be_edited() -> None:
    before = "a ns=one; a ns=two 1..; b"
    assert changes.lines(naming.check, before, "a ns=two 2..") == []


def test_the_root_and_the_system_quota_are_not_written_by_users() -> None:
    for name in ("koordinator-root-quota", "koordinator-system-quota"):
        assert changes.lines(naming.check, "a", f"{name} 5..") == [
            f"metadata.name: '{name}' is reserved: that quota is built in, and the controller "
            "keeps it. Choose another name. [EQ1110]"
        ]


def _of_the_root(namespace: str = "home", **changed: object) -> list[str]:
    """What EQ1110 says about an edit of the root's object, for the release's namespace ``home``."""
    key = Key(namespace, names.ROOT_QUOTA)
    old = Quota(key, uid="1", created="2026-01-01T00:00:00Z", is_parent=True)
    change = Change(old, replace(old, **changed))
    forest = acceptance.build((), SharingTerms(home="home"))
    return [found.rule for found in naming.check(change, forest)]


def test_the_modes_of_the_default_tree_are_set_on_the_root() -> None:
    assert _of_the_root(observes=True) == []
    assert _of_the_root(observes=False, guarantee_usage=True) == []
    assert _of_the_root(paused=True) == []
    assert _of_the_root(observes=True, max={"cpu": 1}) == ["EQ1110"]
    assert _of_the_root(min={"cpu": 1}) == ["EQ1110"]
    assert _of_the_root("elsewhere", observes=True) == ["EQ1110"]


def test_the_default_quota_may_be_written_but_not_deleted() -> None:
    assert changes.lines(naming.check, "a", "koordinator-default-quota ..5") == []
    before = "koordinator-default-quota ..5"
    removal = changes.removal(before, "koordinator-default-quota")
    assert [found.line for found in naming.check(removal, forests.forest(before))] == [
        "metadata.name: 'koordinator-default-quota' is a reserved quota and must not be "
        "deleted. [EQ1110]"
    ]


def test_reserved_quotas_go_with_their_namespace() -> None:
    before = "koordinator-default-quota ..5"
    removal = changes.removal(before, "koordinator-default-quota", namespace_leaves=True)
    assert not [*naming.check(removal, forests.forest(before))]


@pytest.mark.parametrize(
    ("entry", "key"),
    [
        ("koordinator-default-quota<dept ..5", "parent"),
        ("koordinator-default-quota ..5 parent", "is-parent"),
        ("koordinator-default-quota ..5 tree=blue", "tree-id"),
    ],
)
def test_the_default_quota_keeps_its_place(entry: str, key: str) -> None:
    assert changes.lines(naming.check, "dept parent", entry) == [
        f"metadata.labels[quota.scheduling.koordinator.sh/{key}]: 'koordinator-default-quota' "
        "is a leaf directly below 'koordinator-root-quota' in the default tree. "
        "Leave it out. [EQ1110]"
    ]
    assert changes.lines(naming.check, "dept parent", "koordinator-default-quota 1..5") == []


def test_the_default_quota_is_written_in_the_releases_namespace_only() -> None:
    at_home = forests.forest("a", SharingTerms(home="quotas"))
    for namespace, allowed in (("quotas", True), ("team", False)):
        change = changes.change("a", f"koordinator-default-quota ..0 ns={namespace}")
        found = [violation.line for violation in naming.check(change, at_home)]
        refusal = (
            "metadata.name: 'koordinator-default-quota' is reserved: it may be written only in "
            "namespace 'quotas'. Choose another name. [EQ1110]"
        )
        assert found == ([] if allowed else [refusal])


@pytest.mark.parametrize(
    ("entry", "found"),
    [
        ("team-b ns=team-a", ["EQ1102-namespace"]),
        ("team-b ns=team-b", []),
        ("team-b ns=team-a binds=team-b", []),
        ("team-b ns=quotas", []),
    ],
)
def test_the_name_of_a_namespace_is_for_the_quota_of_that_namespace(
    entry: str, found: list[str]
) -> None:
    forest = forests.forest("", SharingTerms(home="quotas"))
    for there_is_one, expected in ((True, found), (False, [])):
        change = changes.change("", entry, name_of_namespace=there_is_one)
        assert [each.rule for each in naming.check(change, forest)] == expected


def test_a_quota_that_had_the_name_before_the_namespace_may_be_edited() -> None:
    change = changes.change("team-b ns=team-a", "team-b ns=team-a 5..", name_of_namespace=True)
    assert not [*naming.check(change, forests.forest("team-b ns=team-a"))]
