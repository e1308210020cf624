"""The invariants that judge a resting cluster after churn each notice their fault."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

import settled
from scenes import GATE, PREFIX, Pool
from users import Document


class Scene:
    """A pool on paper: two teams below a root of 4 cpu, each with min 1, max 3 and runtime 2."""

    def __init__(self) -> None:
        self.namespace, self.root = "pool", "root"
        self.admin = SimpleNamespace(list=lambda kind: self.documents.get(kind, []))
        self.documents: dict[str, list[Document]] = {"ElasticQuota": [], "Pod": []}
        self.quota("root", "", low=4, high=4, runtime=4)
        self.quota("a", "root", low=1, high=3, runtime=2)
        self.quota("b", "root", low=1, high=3, runtime=2)

    def quota(self, name: str, parent: str, *, low: int, high: int, runtime: int) -> None:
        self.documents["ElasticQuota"].append(
            {
                "metadata": {
                    "name": name,
                    "namespace": "pool",
                    "labels": {f"{PREFIX}parent": parent},
                },
                "spec": {"min": {"cpu": str(low)}, "max": {"cpu": str(high)}},
                "status": {"runtime": {"cpu": str(runtime)}, "pods": {"admitted": 4, "gated": 1}},
            }
        )

    def pods(self, quota: str, count: int, *, waits: bool = False, **facts: Any) -> None:
        labels = {f"{PREFIX}name": quota} | facts.get("labels", {})
        for number in range(count):
            spec = {"priority": facts.get("priority", 0)}
            gates = {"schedulingGates": [{"name": GATE}]} if waits else {}
            self.documents["Pod"].append(
                {
                    "metadata": {
                        "name": f"{quota}-{number}",
                        "namespace": "pool",
                        "labels": labels,
                    },
                    "spec": spec | gates,
                    "status": {"phase": "Pending" if waits else "Running"},
                }
            )

    def broken(self) -> list[str]:
        """Names of the violated invariants, without those that compare a rebuilt ledger."""
        now = settled.PoolState(cast("Pool", self))
        laws = [law for law in settled.LAWS if law is not settled.not_as_published]
        return [law.__name__ for law in laws if list(law(now))]


@pytest.fixture
def scene() -> Scene:
    return Scene()


def test_a_full_pool_with_fair_shares_has_no_violation(scene: Scene) -> None:
    scene.pods("a", 2)
    scene.pods("b", 2)
    scene.pods("a", 1, waits=True)
    assert scene.broken() == []


def test_a_pod_that_waits_beside_free_room_is_noticed(scene: Scene) -> None:
    scene.pods("a", 1)
    scene.pods("b", 3)
    scene.documents["ElasticQuota"][0]["status"]["runtime"]["cpu"] = "5"
    scene.pods("a", 1, waits=True)
    assert "no_pod_waits_while_there_is_room" in scene.broken()


def test_a_pod_that_waits_for_its_min_or_share_is_noticed(scene: Scene) -> None:
    scene.pods("b", 4)
    scene.pods("a", 1, waits=True)
    assert {
        "no_pod_within_min_waits_for_what_can_be_reclaimed",
        "no_pod_waits_for_a_share_that_another_quota_holds",
    } < set(scene.broken())


def test_a_pod_protected_by_a_budget_is_no_violation(scene: Scene) -> None:
    scene.pods("b", 4, labels={settled.GUARDED: "once"})
    scene.pods("a", 1, waits=True)
    assert scene.broken() == []


def test_a_less_important_pod_in_the_way_is_noticed(scene: Scene) -> None:
    scene.pods("a", 2)
    scene.pods("b", 2)
    scene.pods("a", 1, waits=True, priority=7)
    assert scene.broken() == ["no_lower_pod_blocks_a_higher_one_of_its_quota"]


def test_use_above_max_is_noticed(scene: Scene) -> None:
    scene.pods("a", 4)
    scene.pods("b", 1, waits=True, labels={})
    assert "no_quota_exceeds_its_max" in scene.broken()


def test_a_pod_that_was_not_counted_is_noticed(scene: Scene) -> None:
    scene.pods("a", 2)
    scene.pods("b", 3)
    assert scene.broken() == ["no_quota_exceeds_its_max", "every_pod_is_accounted"]
