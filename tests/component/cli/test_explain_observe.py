"""``explain`` of a tree in observe mode: what is, and what would be if it enforced."""

from pathlib import Path

import msgspec
import pytest

from elasticquota_cli import main as cli
from elasticquota_cli.explain import report
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


def explained(cluster: Stored, folder: Path, screen: Screen, *words: str) -> bytes:
    assert cli.main(["explain", *words, "-o", "json", "-f", str(cluster.write(folder))]) == 0
    return screen.readouterr().out.encode()


def pod(cluster: Stored, folder: Path, screen: Screen, name: str) -> report.PodExplanation:
    found = explained(cluster, folder, screen, "pod", name)
    return msgspec.json.decode(found, type=report.PodExplanation)


def test_a_running_pod_that_would_be_reclaimed_stays_and_is_reported(
    cluster: Stored, tmp_path: Path, capsys: Screen
) -> None:
    found = pod(cluster, tmp_path, capsys, "team-a/run-11")
    assert (found.state, found.evictions) == ("Running", [])
    assert found.reclaim is not None
    assert (found.reclaim.possible, found.reclaim.why) == (False, "its tree only observes")
    assert found.notes[0] == ONLY_OBSERVES
    assert found.notes[1].startswith("if it enforced")
    assert pod(cluster, tmp_path, capsys, "team-a/run-00").notes == [ONLY_OBSERVES]


def test_a_pod_without_a_node_is_not_held_by_us(
    cluster: Stored, tmp_path: Path, capsys: Screen
) -> None:
    found = pod(cluster, tmp_path, capsys, "team-b/big")
    assert (found.state, found.reason, found.line) == ("Admitted", "", None)
    assert found.notes[1].startswith("if it enforced: Waiting for quota team-b: needs 10 cpu")


def test_a_pod_gated_before_observe_mode_is_admitted_without_room(
    cluster: Stored, tmp_path: Path, capsys: Screen
) -> None:
    cluster.waits("held", 1)
    found = pod(cluster, tmp_path, capsys, "team-a/held")
    assert (found.state, found.message) == (
        "Fits",
        "its tree only observes: the controller admits it now",
    )


def test_a_quota_counts_the_pods_that_enforcing_would_affect(
    cluster: Stored, tmp_path: Path, capsys: Screen
) -> None:
    found = msgspec.json.decode(
        explained(cluster, tmp_path, capsys, "quota", "team-a"), type=report.QuotaExplanation
    )
    assert (found.waiting, found.gives_back) == ([], [])
    assert found.notes == [
        ONLY_OBSERVES,
        "if it enforced, 4 of its pods would wait now, and 4 would be reclaimed later",
    ]
