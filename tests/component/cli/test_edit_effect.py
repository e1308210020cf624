"""A verb that writes says first what it starts or evicts, by the engine of ``plan``."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import explain_fixture
from api_double import Refusal
from elasticquota_kube.client import paths
from live_cluster import Live
from simulated import Screen
from stored import Stored


@pytest.fixture
async def double(tmp_path: Path, capsys: Screen) -> AsyncIterator[Live]:
    """Team a borrows all of 12 cpu and 2 of its pods wait; team b, with min 8, is paused with 2."""
    stored = Stored()
    stored.grown_tree(12)
    stored.quota("team-a", 4, 12)
    stored.quota("team-b", 8, 12)["spec"]["paused"] = True
    for number in range(12):
        stored.runs(f"run-{number}", 1)
    for number in range(2):
        stored.waits(f"new-{number}", 1)
        stored.waits(f"new-{number}", 1, namespace="team-b")
    async with Live(tmp_path, capsys) as double:
        explain_fixture.fill(double, stored.documents)
        yield double


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("resume", "quota", "team-b"),
            "Would evict 2 pods of team-a within 5 s; 2 waiting pods would start.",
        ),
        (
            ("observe", "on", "pool"),
            "4 waiting pods would start; no pod is evicted, and the shares of 2 quotas change.",
        ),
        (("pause", "quota", "team-a"), "No pod is evicted, and no share changes."),
    ],
)
async def test_what_it_starts_or_evicts_is_said_before_the_question(
    words: tuple[str, ...], said: str, double: Live
) -> None:
    assert await double.run(*words, "--dry-run") == 0
    assert double.said().err == f"effect: {said}\n"


async def test_who_says_yes_does_not_wait_for_it(double: Live) -> None:
    assert await double.run("resume", "quota", "team-b", "--yes") == 0
    assert double.said().err == ""
    assert paths.PODS.list() not in {call.path for call in double.calls}


async def test_who_may_not_read_all_pods_sees_that_it_is_not_known(double: Live) -> None:
    refusal = Refusal(403, "Forbidden", "no")
    double.faults.answer(refusal, times=9, method="GET", path=paths.PODS.list())
    assert await double.run("resume", "quota", "team-b", "--dry-run") == 0
    assert double.said().err == (
        "effect: what it starts or evicts is not known: you may not read pods in all namespaces\n"
    )
