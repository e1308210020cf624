"""Which pods wait at the gate."""

import pytest

import forests
from elasticquota import names
from elasticquota.defaulting import pod_gate
from elasticquota.defaulting.pod_gate import FREE, Hold
from elasticquota.forest.membership import NO_QUOTA
from elasticquota.forest.settings import SharingTerms
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.structs import replace


FOREST = forests.forest("dept; a<dept; lost<ghost")
POD = Pod(Key("team", "p"), "uid", "2026-01-01T00:00:00Z")


def test_a_pod_of_a_leaf_quota_gets_label_and_gate() -> None:
    assert pod_gate.hold(POD, "a", FOREST) == Hold(governed=True, label="a", gate=True)


def test_a_label_that_the_user_wrote_stays() -> None:
    for label in ("a", "misspelt"):
        labelled = replace(POD, quota_label=label)
        assert pod_gate.hold(labelled, "a", FOREST) == Hold(governed=True, gate=True)


def test_a_pod_that_is_held_is_not_held_twice() -> None:
    gated = replace(POD, gates=("other/gate", names.GATE))
    assert pod_gate.hold(gated, "a", FOREST) == Hold(governed=True, label="a")


def test_pods_that_are_let_into_a_parent_quota_are_held_like_others() -> None:
    assert pod_gate.hold(POD, "dept", FOREST) == Hold(governed=True, label="dept", gate=True)


def test_a_quota_that_stands_in_no_tree_holds_its_pods_too() -> None:
    assert pod_gate.hold(POD, "lost", FOREST).gate


def test_a_tree_that_only_observes_holds_and_labels_no_pod() -> None:
    watched = forests.forest("pool root=blue observes; a<pool; b")
    assert pod_gate.hold(POD, "a", watched) == FREE
    assert pod_gate.hold(POD, "b", watched).gate


@pytest.mark.parametrize("rest", [names.DEFAULT_QUOTA, NO_QUOTA])
def test_a_pod_of_an_unknown_quota_waits_for_the_controller(rest: str) -> None:
    """It may have been made an instant ago."""
    early = replace(POD, quota_label="new")
    assert pod_gate.hold(early, rest, FOREST) == Hold(gate=True)
    assert pod_gate.hold(replace(early, gates=(names.GATE,)), rest, FOREST) == FREE
    watched = forests.forest("a", SharingTerms(observes=True, default_tree_observes=True))
    assert pod_gate.hold(early, rest, watched) == FREE


def test_the_default_quota_holds_its_pods_where_its_max_limits_them() -> None:
    limited = forests.forest(f"{names.DEFAULT_QUOTA} ..2")
    assert pod_gate.hold(POD, names.DEFAULT_QUOTA, limited) == Hold(gate=True)


def test_the_max_that_koordinator_gives_the_default_quota_holds_no_pod() -> None:
    boundless = forests.forest(f"{names.DEFAULT_QUOTA} ..1844674407370955161")
    assert pod_gate.hold(POD, names.DEFAULT_QUOTA, boundless) == FREE


def test_a_pod_whose_quota_is_about_to_be_made_gets_its_name_and_waits() -> None:
    assert pod_gate.hold_for_new(POD, "new") == Hold(label="new", gate=True)
    held = replace(POD, gates=(names.GATE,))
    assert pod_gate.hold_for_new(held, "new") == Hold(label="new")


@pytest.mark.parametrize("label", [*sorted(names.RESERVED_QUOTAS), "a"])
def test_a_name_that_is_known_and_not_the_pods_quota_is_not_waited_for(label: str) -> None:
    assert pod_gate.hold(replace(POD, quota_label=label), NO_QUOTA, FOREST) == FREE


@pytest.mark.parametrize(
    ("pod", "quota"),
    [
        pytest.param(POD, names.DEFAULT_QUOTA, id="the default quota"),
        pytest.param(POD, names.SYSTEM_QUOTA, id="the system quota"),
        pytest.param(replace(POD, node_name="node-1"), "a", id="a pod that has a node"),
        pytest.param(replace(POD, mirror=True), "a", id="a static pod"),
        pytest.param(POD, "gone", id="a quota that is not there"),
    ],
)
def test_others_go_free(pod: Pod, quota: str) -> None:
    assert pod_gate.hold(pod, quota, FOREST) == FREE
