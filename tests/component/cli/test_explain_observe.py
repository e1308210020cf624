"""``explain`` of a tree in observe mode: what is, and what would be if it enforced."""

import pytest

from elasticquota_cli.why.parts import report
from explain_fixture import Explained


Screen = pytest.CaptureFixture[str]

ONLY_OBSERVES = "the tree only observes: no pod waits, and none is reclaimed"


@pytest.fixture
def cluster(explained: Explained) -> Explained:
    """20 cpu; team-a uses 12 of its share of 8, team-b requests 10 of its 10."""
    stored = explained
    stored.tree(20)
    profile = next(d for d in stored.documents if d["kind"] == "ElasticQuotaProfile")
    profile["spec"]["enforcement"] = "Observe"
    stored.quota("team-a", 4, 8)
    stored.quota("team-b", 10, 20)
    for number in range(12):
        stored.runs(f"run-{number:02}", 1)
    stored.runs("big", 10, namespace="team-b")
    stored.documents[-1]["spec"].pop("nodeName")
    return stored


def pod(cluster: Explained, name: str) -> tuple[report.PodAnswer, list[str]]:
    """The part about the pod, and the notes."""
    found = cluster.answer("pod", name)
    assert found.pod is not None
    return found.pod, found.notes


def test_a_running_pod_that_would_be_reclaimed_stays_and_is_reported(cluster: Explained) -> None:
    found, notes = pod(cluster, "team-a/run-11")
    assert (found.state, found.evictions) == ("Running", [])
    assert found.reclaim is not None
    assert (found.reclaim.possible, found.reclaim.why) == (False, "its tree only observes")
    assert notes[0] == ONLY_OBSERVES
    assert notes[1].startswith("if it enforced")
    assert pod(cluster, "team-a/run-00")[1] == [ONLY_OBSERVES]


def test_a_pod_without_a_node_is_not_held_by_us(cluster: Explained) -> None:
    found, notes = pod(cluster, "team-b/big")
    assert (found.state, found.reason, found.line) == ("Admitted", "", None)
    assert notes[1].startswith("if it enforced: Waiting for quota team-b: needs 10 cpu")


def test_a_pod_gated_before_observe_mode_is_admitted_without_room(cluster: Explained) -> None:
    cluster.waits("held", 1)
    found, _ = pod(cluster, "team-a/held")
    assert (found.state, found.message) == (
        "Fits",
        "its tree only observes: the controller admits it now",
    )


def test_a_quota_counts_the_pods_that_enforcing_would_affect(cluster: Explained) -> None:
    found = cluster.answer("quota", "team-a")
    assert found.quota is not None
    assert (found.quota.waiting, found.quota.would_lose) == ([], [])
    assert found.notes == [
        ONLY_OBSERVES,
        "if it enforced, 4 of its pods would wait now, and 4 would be reclaimed later",
    ]
