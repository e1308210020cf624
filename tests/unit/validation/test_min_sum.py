"""EQ1104: children are promised no more than their parent."""

import pytest

import changes
import forests
from elasticquota import names
from elasticquota.validation import min_sum


DEPT = "pool root=blue; dept<pool 100..; team-x<dept 48..; team-y<dept 40.."

REFUSED: dict[str, tuple[str, str, str]] = {
    "a new child asks for more than is left": (
        DEPT,
        "team-z<dept 30..",
        "spec.min.device: 30 must be less than or equal to 12, the unreserved min of parent "
        "'dept' (min 100, children reserve 88: team-x 48, team-y 40). "
        "Lower it, or raise the min of 'dept'. [EQ1104]",
    ),
    "a child raises its min; its own old min is not in the way": (
        DEPT,
        "team-y<dept 60..",
        "spec.min.device: 60 must be less than or equal to 52, the unreserved min of parent "
        "'dept' (min 100, children reserve 48: team-x 48). "
        "Lower it, or raise the min of 'dept'. [EQ1104]",
    ),
    "the parent has no min of that resource": (
        DEPT,
        "team-z<dept gpu=1..",
        "spec.min.gpu: 1 must be less than or equal to 0, the unreserved min of parent 'dept' "
        "(min 0, no other child reserves any). Lower it, or raise the min of 'dept'. [EQ1104]",
    ),
    "a parent gives up what its children count on": (
        DEPT,
        "dept<pool 80.. parent",
        "spec.min.device: 80 must be greater than or equal to 88, the min that its children "
        "reserve (team-x 48, team-y 40). Raise it, or lower the min of a child first. [EQ1104]",
    ),
    "amounts are written as people write them": (
        "dept cpu=2000..; team-x<dept cpu=1500..",
        "team-y<dept cpu=1000..",
        "spec.min.cpu: 1 must be less than or equal to 500m, the unreserved min of parent "
        "'dept' (min 2, children reserve 1500m: team-x 1500m). "
        "Lower it, or raise the min of 'dept'. [EQ1104]",
    ),
    "a move brings the whole min to the new parent": (
        DEPT + "; lab<pool 10..; lab-a<lab 5..",
        "team-x<lab 48..",
        "spec.min.device: 48 must be less than or equal to 5, the unreserved min of parent "
        "'lab' (min 10, children reserve 5: lab-a 5). "
        "Lower it, or raise the min of 'lab'. [EQ1104]",
    ),
    "many children are counted, the largest first": (
        "dept 21..; a<dept 1..; b<dept 2..; c<dept 3..; d<dept 4..; e<dept 5..; f<dept 6..",
        "g<dept 1..",
        "spec.min.device: 1 must be less than or equal to 0, the unreserved min of parent "
        "'dept' (min 21, children reserve 21: f 6, e 5, d 4, c 3, b 2 and 1 more). "
        "Lower it, or raise the min of 'dept'. [EQ1104]",
    ),
}


@pytest.mark.parametrize(("before", "entry", "line"), REFUSED.values(), ids=REFUSED)
def test_too_much_is_refused(before: str, entry: str, line: str) -> None:
    assert changes.lines(min_sum.check, before, entry) == [line]


ALLOWED: dict[str, tuple[str, str]] = {
    "what is left may be taken to the last unit": (DEPT, "team-z<dept 12.."),
    "a child may lower its min": (DEPT, "team-x<dept 1.."),
    "a parent may give up what no child counts on": (DEPT, "dept<pool 88.. parent"),
    "the first level of the default tree is exempt": ("a 10..", "b 1000.."),
    "the first level of a profile's tree is exempt": (DEPT, "lab<pool 1000.."),
    "a root follows its nodes": ("pool 50.. root=blue; a<pool 40..", "pool 10.. root=blue parent"),
    "an unknown parent is another rule's business": ("a", "b<ghost 5.."),
    "a child beyond its parent may come closer step by step": (
        "dept 10..; a<dept 30..",
        "a<dept 20..",
    ),
    "a child that is not accepted reserves nothing": ("dept 10..; a<dept 30..", "b<dept 10.."),
    "the max of a child beyond its parent may be edited": (
        "dept 10..; a<dept 30..60",
        "a<dept 30..70",
    ),
}


@pytest.mark.parametrize(("before", "entry"), ALLOWED.values(), ids=ALLOWED)
def test_the_rest_passes(before: str, entry: str) -> None:
    assert changes.lines(min_sum.check, before, entry) == []


def test_every_resource_is_reported() -> None:
    found = changes.lines(min_sum.check, "dept 1.. gpu=1..", "a<dept 2.. gpu=2..")
    assert [line.partition(":")[0] for line in found] == ["spec.min.device", "spec.min.gpu"]


def test_a_forced_edit_is_found_by_its_own_name_from_both_sides() -> None:
    """So that the table can let it pass (EQ1109)."""
    for before, entry in (
        ("dept 10.. parent", "a<dept 20.. forced"),
        ("dept 10..; a<dept 10..", "dept 5.. parent forced"),
    ):
        found = min_sum.check(changes.change(before, entry), forests.forest(before))
        assert [violation.rule for violation in found] == ["EQ1104-forced"]


TREE = "pool root=blue offers=40; a<pool 30..; b<pool 5.."


def test_guarantees_beyond_the_nodes_of_the_tree_are_reported_with_the_sum() -> None:
    told = "spec.min.device: 1000001 makes 1000006 that the quotas below 'pool' are promised, of 40"
    assert changes.lines(min_sum.check, TREE, "a<pool 1000001..") == [
        f"{told} that the nodes of the tree offer; all of these guarantees shrink in "
        "proportion. Lower it, or add nodes. [EQ1104]"
    ]
    (found,) = min_sum.check(changes.change(TREE, "c<pool 6.."), forests.forest(TREE))
    assert found.rule == "EQ1104-nodes"


@pytest.mark.parametrize(
    ("mode", "offers", "remedy"),
    [
        ("Elastic", "the nodes of the tree may become", "raise max in the capacity of the profile"),
        ("Declared", "the profile declares", "raise total in the capacity of the profile"),
    ],
)
def test_guarantees_beyond_what_a_profile_promises_say_what_to_raise(
    mode: str, offers: str, remedy: str
) -> None:
    tree = TREE.replace("offers=40", f"offers=40 mode={mode}")
    assert changes.lines(min_sum.check, tree, "a<pool 36..") == [
        "spec.min.device: 36 makes 41 that the quotas below 'pool' are promised, of 40 that "
        f"{offers}; all of these guarantees shrink in proportion. Lower it, or {remedy}. [EQ1104]"
    ]
    # What is not declared limits no pod; what max does not name does not come.
    assert changes.lines(min_sum.check, tree, "a<pool 30.. ephemeral-storage=1..") == []
    found = changes.lines(min_sum.check, tree, "a<pool 30.. nvidia.com/gpu=1..")
    assert bool(found) == (mode == "Elastic")


@pytest.mark.parametrize("entry", ["c<pool 5..", "a<pool 29..", "pool 1.. root=blue offers=40"])
def test_guarantees_that_the_nodes_can_keep_are_not_reported(entry: str) -> None:
    assert changes.lines(min_sum.check, TREE, entry) == []


def test_guarantees_beyond_the_nodes_of_the_default_tree_are_reported_by_its_published_total() -> (
    None
):
    stored = f"{names.ROOT_QUOTA} parent offers=40; a 30..; b 5.."
    assert changes.lines(min_sum.check, stored, "a 36..") == [
        "spec.min.device: 36 makes 41 that the quotas below 'koordinator-root-quota' are promised, "
        "of 40 that the nodes of the tree offer; all of these guarantees shrink in proportion. "
        "Lower it, or add nodes. [EQ1104]"
    ]
    assert changes.lines(min_sum.check, stored, "a 35..") == []
    without = f"{names.ROOT_QUOTA} parent; a 30..; b 5.."
    assert changes.lines(min_sum.check, without, "a 36..") == []


def test_the_nodes_of_other_trees_are_no_guarantees_of_the_default_tree() -> None:
    """The root quota of a profile names the built-in root as its parent, too."""
    stored = f"{names.ROOT_QUOTA} parent offers=40; pool 64.. root=blue offers=64; a 30.."
    assert changes.lines(min_sum.check, stored, "b 10..") == []
    assert "makes 41 that" in changes.lines(min_sum.check, stored, "b 11..")[0]
