"""EP1202: a root quota, a tree and nodes of its own."""

import forests
from elasticquota import names
from elasticquota.model.key import Key
from elasticquota.model.profile import Profile
from elasticquota.model.selector import Requirement, Selector
from elasticquota.structs import replace
from elasticquota.validation import profile_conflicts
from elasticquota.validation.profile_change import ProfileChange


OLD = Profile(Key("ns", "old"), "1", "2026-01-01T00:00:00Z", "gpu")
SEVEN = replace(OLD, tree_id="7")
NEW = Profile(Key("ns", "new"), "2", "2026-01-02T00:00:00Z", "cpu")


def lines(new: Profile, forest: str = "", old: Profile | None = None) -> list[str]:
    change = ProfileChange(old, new, (OLD,))
    return [found.line for found in profile_conflicts.check(change, forests.forest(forest))]


def told(change: ProfileChange) -> list[str]:
    return [found.line for found in profile_conflicts.check_nodes(change, forests.forest(""))]


def test_two_profiles_do_not_name_one_root_quota() -> None:
    assert lines(replace(NEW, quota_name="gpu")) == [
        "spec.quotaName: 'gpu' is the root quota of profile 'ns/old'. Choose another name. [EP1202]"
    ]


def test_a_root_quota_does_not_take_the_name_of_another_quota() -> None:
    assert lines(NEW, "cpu ns=elsewhere") == [
        "spec.quotaName: 'cpu' is taken by the quota elsewhere/cpu. Choose another name, or "
        "delete that quota. [EP1202]"
    ]
    assert len(lines(NEW, "cpu")) == 1


def test_a_root_that_was_left_behind_is_taken_over() -> None:
    assert lines(NEW, "cpu root=blue") == []
    assert lines(NEW, "cpu root=blue of=new") == []


def test_the_root_of_another_profile_is_not_taken_over() -> None:
    """The new profile would never be Ready."""
    assert lines(NEW, "cpu root=blue of=old") == [
        "spec.quotaName: 'cpu' is taken by the quota ns/cpu. Choose another name, or delete "
        "that quota. [EP1202]"
    ]


def test_two_profiles_do_not_have_one_tree_id() -> None:
    change = ProfileChange(None, replace(NEW, tree_id="7"), (SEVEN,))
    assert [found.line for found in profile_conflicts.check(change, forests.forest(""))] == [
        f"metadata.labels[{names.TREE_ID}]: '7' is the tree id of profile 'ns/old'. "
        "Leave the label out, and it is filled in. [EP1202]"
    ]


def test_each_of_them_is_a_conflict_which_another_object_can_end() -> None:
    twins = ProfileChange(None, replace(NEW, quota_name="gpu", tree_id="7"), (SEVEN,))
    beside_a_quota = ProfileChange(None, NEW, ())
    found = [
        *profile_conflicts.check(twins, forests.forest("")),
        *profile_conflicts.check(beside_a_quota, forests.forest("cpu ns=elsewhere")),
    ]
    assert [each.kind for each in found] == ["conflict"] * 3


def test_what_is_stored_keeps_its_own() -> None:
    assert lines(replace(NEW, quota_name="gpu"), old=replace(NEW, quota_name="gpu")) == []


def test_shared_nodes_are_reported_with_their_owner() -> None:
    shared = {OLD.key: [f"node-{number}" for number in range(7)]}
    assert told(ProfileChange(None, NEW, (OLD,), shared)) == [
        "spec.nodeSelector: profile 'ns/old' selects some of the same nodes, which count for "
        "that one alone: node-0, node-1, node-2, node-3, node-4 and 2 more. "
        "Select by a label that only nodes of one pool have. [EP1202]"
    ]
    older = replace(OLD, created="2025-01-01T00:00:00Z")
    (line,) = told(ProfileChange(older, older, (NEW,), {NEW.key: ["node-1"]}))
    assert "count for this one alone: node-1." in line


def test_nodes_of_ones_own_are_not_reported() -> None:
    assert told(ProfileChange(None, NEW, (OLD,), {OLD.key: []})) == []


def test_nodes_are_read_only_for_a_new_selector_beside_other_profiles() -> None:
    assert ProfileChange(None, NEW, (OLD,)).needs_nodes
    assert not ProfileChange(None, NEW).needs_nodes
    assert not ProfileChange(None, replace(NEW, selects_unknown=True), (OLD,)).needs_nodes
    assert not ProfileChange(NEW, replace(NEW, quota_labels={"a": "b"}), (OLD,)).needs_nodes
    other = Selector((Requirement("x", "Exists"),))
    assert ProfileChange(NEW, replace(NEW, selector=other), (OLD,)).needs_nodes
