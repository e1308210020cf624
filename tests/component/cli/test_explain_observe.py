"""``explain`` of a tree in observe mode: what is, and what would be if it enforced."""

from pathlib import Path

import pytest

from elasticquota_cli import main as cli
from elasticquota_cli.why.parts import report
from explain_fixture import answered
from stored import Stored


Screen = pytest.CaptureFixture[str]

ONLY_OBSERVES = "the tree only observes: no pod waits, and none is reclaimed"


@pytest.fixture
def cluster() -> Stored:
    """20 cpu; team-a uses 12 of its share of 8, team-b requests 10 of its 10."""
    stored = Stored()
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


def explained(cluster: Stored, folder: Path, screen: Screen, *words: str) -> report.WhyAnswer:
    assert cli.main(["explain", *words, "-o", "json", "-f", str(cluster.write(folder))]) == 0
    return answered(screen)


def pod(
    cluster: Stored, folder: Path, screen: Screen, name: str
) -> tuple[report.PodAnswer, list[str]]:
    """The part about the pod, and the notes."""
    found = explained(cluster, folder, screen, "pod", name)
    assert found.pod is not None
    return found.pod, found.notes


def test_a_running_pod_that_would_be_reclaimed_stays_and_is_reported(
    cluster: Stored, tmp_path: Path, capsys: Screen
) -> None:
    found, notes = pod(cluster, tmp_path, capsys, "team-a/run-11")
    assert (found.state, found.evictions) == ("Running", [])
    assert found.reclaim is not None
    assert (found.reclaim.possible, found.reclaim.why) == (False, "its tree only observes")
    assert notes[0] == ONLY_OBSERVES
    assert notes[1].startswith("if it enforced")
    assert pod(cluster, tmp_path, capsys, "team-a/run-00")[1] == [ONLY_OBSERVES]


def test_a_pod_without_a_node_is_not_held_by_us(
    cluster: Stored, tmp_path: Path, capsys: Screen
) -> None:
    found, notes = pod(cluster, tmp_path, capsys, "team-b/big")
    assert (found.state, found.reason, found.line) == ("Admitted", "", None)
    assert notes[1].startswith("if it enforced: Waiting for quota team-b: needs 10 cpu")


def test_a_pod_gated_before_observe_mode_is_admitted_without_room(
    cluster: Stored, tmp_path: Path, capsys: Screen
) -> None:
    cluster.waits("held", 1)
    found, _ = pod(cluster, tmp_path, capsys, "team-a/held")
    assert (found.state, found.message) == (
        "Fits",
        "its tree only observes: the controller admits it now",
    )


def test_a_quota_counts_the_pods_that_enforcing_would_affect(
    cluster: Stored, tmp_path: Path, capsys: Screen
) -> None:
    found = explained(cluster, tmp_path, capsys, "quota", "team-a")
    assert found.quota is not None
    assert (found.quota.waiting, found.quota.gives_back) == ([], [])
    assert found.notes == [
        ONLY_OBSERVES,
        "if it enforced, 4 of its pods would wait now, and 4 would be reclaimed later",
    ]
