"""The controller reports rights that are removed while it runs, and uses them once restored."""

import pytest

import metrics
import rights
import settled
from installation import CONTROLLER, Installation
from local_cluster import cluster as local
from scenes import Pool, condition
from users import User
from waiting import eventually, seconds_until


pytestmark = [
    pytest.mark.cluster,
    pytest.mark.long,
    pytest.mark.timeout(240),
    # The official client leaves connections that the killed API server cut to the garbage
    # collector.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def test_a_right_that_is_removed_is_reported_and_used_again_when_it_is_back(
    pool: Pool, admin: User, product: Installation, measured: dict[str, float]
) -> None:
    product.settle()
    pool.quota("team-a", max=16)
    pool.quota("team-b", min=1, max=1)
    pool.pods("team-a", 16)
    eventually(lambda: len(pool.running("team-a")), 16)
    with rights.without(admin, CONTROLLER, "pods/eviction", ["create"]):
        pool.pod("late", "team-b")
        blocked = eventually(
            lambda: condition(pool.get("team-a"), "ReclaimBlocked"),
            lambda found: found["status"] == "True",
            within=30,
        )
        assert blocked["reason"] == "ApiServer"
        pod = product.pods(CONTROLLER)[product.leader()]
        asked = metrics.of(pod, "elasticquota_reclaim_evictions_total")
        answers = {
            labels["answer"] for labels, _ in asked if labels["quota"] == pool.name("team-a")
        }
        assert answers == {"Refused"}
        assert pool.running("team-b") == set()
        assert len(pool.running("team-a")) == 16
    took = seconds_until(lambda: pool.running("team-b"), {"late"}, within=65)
    measured["right to evict is back: until the owner runs"] = took
    with rights.without(admin, CONTROLLER, "pods", ["patch"]):
        pool.delete_pods("late")
        pool.pod("later", "team-b")

        def refused() -> float:
            calls = metrics.of(pod, "elasticquota_api_calls_total")
            return sum(
                value
                for labels, value in calls
                if (labels["code"], labels["verb"], labels["resource"]) == ("403", "patch", "pods")
            )

        eventually(refused, lambda count: count > 1, within=30)
        assert pool.gated("team-b") == {"later"}
    took = seconds_until(lambda: pool.running("team-b"), {"later"}, within=65)
    measured["right to open gates is back: until the pod runs"] = took
    eventually(lambda: settled.faults(pool), [], within=30)


def test_removing_the_right_to_watch_holds_new_pods_and_costs_no_pod(
    pool: Pool,
    admin: User,
    product: Installation,
    cluster: local.Cluster,
    measured: dict[str, float],
) -> None:
    """An open watch continues without the right, so the API server restarts."""
    product.settle()
    pool.quota("team", max=16)
    pool.pods("team", 4, prefix="old")
    eventually(lambda: len(pool.running("team")), 4)
    with rights.without(admin, CONTROLLER, "pods", ["watch"]):
        cluster.restart("kube-apiserver")
        until_watches_break(product)
        pool.pod("late", "team")
        pool.delete_pods("old-0")
        until_watches_break(product)
        assert pool.gated("team") == {"late"}
        assert pool.running("team") == {"old-1", "old-2", "old-3"}
    took = seconds_until(lambda: "late" in pool.running("team"), True, within=65)
    measured["right to watch is back: until a new pod runs"] = took
    eventually(lambda: settled.faults(pool), [], within=30)


def until_watches_break(product: Installation) -> None:
    """Wait until every controller has tried to watch pods again and was refused again."""
    before = broken_watches(product)
    eventually(
        lambda: broken_watches(product).items() - before.items(),
        lambda more: {name for name, _ in more} == before.keys(),
        within=90,
    )


def broken_watches(product: Installation) -> dict[str, float]:
    """By controller, how often the API server has refused its watch of pods."""
    return {
        name: sum(
            value
            for labels, value in metrics.of(pod, "elasticquota_watch_restarts_total")
            if (labels["resource"], labels["reason"]) == ("pods", "Forbidden")
        )
        for name, pod in product.pods(CONTROLLER).items()
    }
