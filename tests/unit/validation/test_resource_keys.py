"""EQ1103: a child names no resource in max that its parent does not name."""

from collections.abc import Iterator

import pytest

import changes
import forests
from elasticquota.forest import parent_keys
from elasticquota.forest.structure import Forest
from elasticquota.forest.violation import Violation
from elasticquota.validation import resource_keys
from elasticquota.validation.change import Change
from elasticquota.validation.stored import added


CHILD = "'gpu' is not among the resources of parent 'dept': device. Leave it out, or add it to"
PARENT = "must stay, because children name the resource: a. Take it out of their spec.max first."


def check(change: Change, forest: Forest) -> Iterator[Violation]:
    """All of EQ1103 but equal keys and pools."""
    yield from added(parent_keys.check)(change, forest)
    yield from added(parent_keys.offered_by_none)(change, forest)
    yield from resource_keys.check(change, forest)


def test_a_resource_that_the_parent_does_not_name_is_refused() -> None:
    assert changes.lines(check, "dept ..9 parent", "a<dept ..5 gpu=..1") == [
        f"spec.max.gpu: {CHILD} spec.max of 'dept' first. [EQ1103]"
    ]


def test_below_the_root_of_a_profile_it_is_a_warning_because_nodes_may_be_to_come() -> None:
    stored = "cpu-root ..9 root=blue of=cpu parent"
    (found,) = check(changes.change(stored, "a<cpu-root ..5 gpu=..1"), forests.forest(stored))
    assert (found.rule, found.line) == (
        "EQ1103-nodes",
        "spec.max.gpu: 'gpu' is not among the resources of parent 'cpu-root': device. It is "
        "limited once a node of the tree offers it, unless the profile leaves it out. [EQ1103]",
    )
    written = stored.replace(" of=cpu", "")
    (refused,) = check(changes.change(written, "a<cpu-root ..5 gpu=..1"), forests.forest(written))
    assert refused.rule == "EQ1103"


@pytest.mark.parametrize(
    ("written", "line"),
    [
        ("devise", "offers 'devise', but device. Did you mean 'device'? It is limited once a node"),
        ("example.com/fpga", "offers 'example.com/fpga', but device. It is limited once a node"),
        ("device", ""),
        ("memory", ""),
        ("hugepages-2Mi", ""),
        ("kube-queue/max-jobs", ""),
        ("a.pool.elasticquota.dev/device", ""),
    ],
)
@pytest.mark.parametrize("stored", ["r root=blue offers=9", "r root=blue offers=9; d<r parent"])
def test_below_a_parent_that_limits_nothing_a_resource_of_no_node_gets_a_warning(
    stored: str, written: str, line: str
) -> None:
    parent = "d" if "d<r" in stored else "r"
    edit = changes.change(stored, f"a<{parent} {written}=..1")
    found = [*check(edit, forests.forest(stored))]
    head = f"spec.max.{written}: no node of tree 'r' "
    end = " of the tree offers it. [EQ1103]"
    assert [each.line for each in found] == ([f"{head}{line}{end}"] if line else [])
    assert {each.rule for each in found} <= {"EQ1103-nodes"}


def test_before_nodes_are_read_and_for_what_a_quota_had_there_is_no_such_warning() -> None:
    assert changes.lines(check, "r root=blue", "a<r devise=..1") == []
    stored = "r root=blue offers=9; a<r devise=..1"
    assert changes.lines(check, stored, "a<r devise=..2") == []


def test_a_misspelled_resource_is_refused_with_the_nearest_name_of_the_parents() -> None:
    (line,) = changes.lines(check, "d ..9 memory=..9 parent", "a<d memeory=..1")
    assert "resources of parent 'd': device, memory. Did you mean 'memory'? Leave it out" in line


def test_a_move_below_a_parent_that_names_less_is_refused() -> None:
    stored = "dept ..9 parent; a gpu=..1"
    assert len(changes.lines(check, stored, "a<dept gpu=..1")) == 1


def test_a_parent_does_not_give_up_what_its_children_name() -> None:
    stored = "dept ..9 gpu=..4; a<dept gpu=..1; b<dept ..2"
    found = changes.lines(check, stored, "dept ..9")
    assert found == [f"spec.max.gpu: {PARENT} [EQ1103]"]


def test_a_parent_without_max_does_not_begin_to_leave_out_what_its_children_name() -> None:
    found = changes.lines(check, "dept; a<dept gpu=..1", "dept ..9")
    assert found == [f"spec.max.gpu: {PARENT} [EQ1103]"]


LEFT_OUT = (
    "spec.max.gpu: must be given, because parent 'dept' names the resource, and the keys of parent "
    "and child must be equal. Add it. [EQ1103]"
)
BOTH = "dept ..9 gpu=..4 parent"


@pytest.mark.parametrize(
    ("stored", "entry"),
    [
        pytest.param(BOTH, "a<dept ..5", id="a new quota"),
        pytest.param(f"{BOTH}; a ..5", "a<dept ..5", id="a move"),
        pytest.param(f"{BOTH}; a<dept ..5 gpu=..1", "a<dept ..5", id="an edit"),
    ],
)
def test_where_keys_are_equal_no_child_leaves_one_out(stored: str, entry: str) -> None:
    assert changes.lines(resource_keys.check_equal, stored, entry) == [LEFT_OUT]


def test_where_keys_are_equal_no_parent_adds_one_over_its_children() -> None:
    stored = "dept ..9; a<dept ..5; b<dept ..5 gpu=..1"
    assert changes.lines(resource_keys.check_equal, stored, "dept ..9 gpu=..4") == [
        "spec.max.gpu: must not be added, because children leave the resource out, and the "
        "keys of parent and child must be equal: a. "
        "Change the keys while the quota has no children. [EQ1103]"
    ]


@pytest.mark.parametrize(
    ("stored", "entry"),
    [
        pytest.param(BOTH, "a<dept ..5 gpu=..1", id="equal keys"),
        pytest.param("dept parent", "a<dept ..5", id="a parent that names none"),
        pytest.param("b ..9", "a gpu=..1", id="the first level"),
        pytest.param(f"{BOTH}; a<dept ..5", "a<dept ..6", id="an old fault of a child"),
        pytest.param(f"{BOTH}; a<dept ..5", "dept ..8 gpu=..4", id="an old fault of a parent"),
        pytest.param("dept ..9 parent", "dept ..9 gpu=..4 parent", id="a parent without children"),
    ],
)
def test_where_keys_are_equal_the_rest_passes(stored: str, entry: str) -> None:
    assert changes.lines(resource_keys.check_equal, stored, entry) == []


@pytest.mark.parametrize(
    ("stored", "entry"),
    [
        pytest.param("dept ..9 gpu=..4 parent", "a<dept gpu=..1", id="some of the parent's"),
        pytest.param("dept 5.. parent", "a<dept gpu=..1", id="a parent that names none"),
        pytest.param("dept ..9 parent", "a<dept 5..", id="a quota that names none"),
        pytest.param("b ..9", "a gpu=..1", id="the first level"),
        pytest.param("dept ..9; a<dept gpu=..1", "a<dept gpu=..2", id="an old fault of a child"),
        pytest.param("dept ..9; a<dept gpu=..1", "dept ..8", id="an old fault of a parent"),
        pytest.param("dept ..9; a<dept ..1", "dept", id="a parent that names none any more"),
    ],
)
def test_the_rest_passes(stored: str, entry: str) -> None:
    assert changes.lines(check, stored, entry) == []


@pytest.mark.parametrize(
    ("stored", "entry"),
    [
        pytest.param("dept ..9 parent", "a<dept ..5 kube-queue/max-jobs=..1", id="of a child"),
        pytest.param(
            "dept ..9 kube-queue/max-jobs=..4; a<dept ..5 kube-queue/max-jobs=..1",
            "dept ..9",
            id="of a parent no more",
        ),
        pytest.param(
            "dept ..9 kube-queue/max-jobs=..4 parent", "a<dept ..5", id="of a parent only"
        ),
    ],
)
def test_each_quota_may_limit_for_itself_how_many_jobs_are_admitted(
    stored: str, entry: str
) -> None:
    assert changes.lines(check, stored, entry) == []
    assert changes.lines(resource_keys.check_equal, stored, entry) == []
