"""A real Prometheus reads both processes, fills every panel, and fires and clears the alerts."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import prometheus_program
from elasticquota.model import moments
from installation import CONTROLLER, NAMESPACE, Installation
from local_cluster import product as chart
from prometheus_program import Prometheus
from scenes import Pool
from users import User
from waiting import eventually


pytestmark = [pytest.mark.cluster, pytest.mark.long, pytest.mark.timeout(900)]

FILES = chart.CHART / "files"
BOARDS = sorted((FILES / "dashboards").glob("*.json"))
NewPool = Callable[..., Pool]


def queries(board: Path) -> dict[str, str]:
    """By title of the panel and legend."""
    text = board.read_text(encoding="utf-8").replace("$__rate_interval", "30s")
    for name in ("tree", "quota", "resource"):
        text = text.replace(f"${name}", ".+")
    document: dict[str, Any] = json.loads(text)
    return {
        f"{panel['title']}: {target['legendFormat']}": target["expr"]
        for panel in document["panels"]
        for target in panel["targets"]
    }


def budget(namespace: str) -> dict[str, Any]:
    """A disruption budget under which no pod of the namespace may be evicted."""
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "all", "namespace": namespace},
        "spec": {"maxUnavailable": 0, "selector": {"matchLabels": {"kept": "yes"}}},
    }


@pytest.fixture
def owed(new_pool: NewPool) -> Pool:
    """Team b took all of the pool, and team a waits for its min."""
    pool = new_pool(nodes=2, cpu=4)
    pool.quota("a", min=6, max=8)
    pool.quota("b", min=2, max=8)
    kept = pool.pods("b", 8, labels={"kept": "yes"})
    eventually(lambda: pool.running("b"), set(kept))
    return pool


def test_every_panel_of_every_dashboard_shows_series(scraping: Prometheus, owed: Pool) -> None:
    first = owed.pods("a", 2, prefix="first")
    eventually(lambda: owed.running("a"), set(first), within=60)
    owed.pod("late", "b")
    eventually(lambda: owed.gated("b"), {"late"})
    asked = {
        (board.stem, title): query for board in BOARDS for title, query in queries(board).items()
    }
    assert len(asked) > 40

    def empty() -> list[tuple[str, str]]:
        return [place for place, query in asked.items() if not scraping.series(query)]

    eventually(empty, [], within=60)


def test_alerts_about_reclaim_fire_while_a_budget_keeps_the_pods_and_clear_after_it(
    scraping: Prometheus, owed: Pool, admin: User
) -> None:
    admin.create(budget(owed.namespace))
    eventually(
        lambda: admin.get("PodDisruptionBudget", "all", owed.namespace)["status"],
        lambda status: status.get("currentHealthy") == 8,
    )
    waiting = owed.pods("a", 2, prefix="owed")
    fired: set[str] = set()
    wanted = {
        "ElasticQuotaEvictionsBlocked",
        "ElasticQuotaReclaimStalled",
        "ElasticQuotaPodsWaitLong",
    }

    def not_fired() -> set[str]:
        fired.update(scraping.alerts())
        return wanted - fired

    eventually(not_fired, set(), within=120)
    admin.delete("PodDisruptionBudget", "all", owed.namespace)
    eventually(lambda: owed.running("a"), set(waiting), within=120)
    over = wanted - {"ElasticQuotaPodsWaitLong"}
    eventually(lambda: scraping.alerts() & over, set(), within=60)
    owed.delete_pods(*owed.gated("b"))
    eventually(lambda: "ElasticQuotaPodsWaitLong" not in scraping.alerts(), bool, within=60)


def test_a_guarantee_that_lost_its_nodes_fires_until_they_are_back(
    scraping: Prometheus, new_pool: NewPool
) -> None:
    pool = new_pool(nodes=2, cpu=4)
    pool.quota("a", min=8, max=8)
    ratio = f'elasticquota_guarantee_cover_ratio{{tree="{pool.root}",resource="cpu"}}'
    eventually(lambda: [each["value"][1] for each in scraping.series(ratio)], ["1"], within=30)

    def fires() -> bool:
        return scraping.fires("ElasticQuotaGuaranteeNotBacked", tree=pool.root)

    assert not fires()
    pool.remove_node(min(pool.nodes()))
    eventually(fires, True, within=30)
    pool.add_node(cpu=4)
    eventually(fires, False, within=30)


def test_the_loss_of_all_controllers_fires_until_one_leads_again(
    scraping: Prometheus, product: Installation
) -> None:
    assert "ElasticQuotaNoLeader" not in scraping.alerts()
    with product.without(CONTROLLER):
        eventually(lambda: "ElasticQuotaNoLeader" in scraping.alerts(), bool, within=30)
    scraping.scrape(prometheus_program.addresses(product))
    eventually(lambda: "ElasticQuotaNoLeader" not in scraping.alerts(), bool, within=30)


def test_only_an_account_that_may_get_the_path_reads_the_metrics_where_that_is_asked(
    scraping: Prometheus, product: Installation, admin: User
) -> None:
    def token(name: str) -> str:
        place = {"name": name, "namespace": NAMESPACE}
        if not admin.find("ServiceAccount", name, NAMESPACE):
            admin.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": place})
        request = {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenRequest",
            "spec": {"audiences": [], "expirationSeconds": 3600},
        }
        found = admin.post("ServiceAccount", name, NAMESPACE, "token", request)
        return str(found["status"]["token"])

    outsider, reader = token("outsider"), token("prometheus")
    with product.upgraded({"metrics": {"authorization": {"enabled": True}}}):
        admin.create(
            {
                "apiVersion": "rbac.authorization.k8s.io/v1",
                "kind": "ClusterRoleBinding",
                "metadata": {"name": "prometheus"},
                "roleRef": {
                    "apiGroup": "rbac.authorization.k8s.io",
                    "kind": "ClusterRole",
                    "name": f"{chart.RELEASE}-metrics-reader",
                },
                "subjects": [
                    {"kind": "ServiceAccount", "name": "prometheus", "namespace": NAMESPACE}
                ],
            }
        )
        targets = prometheus_program.addresses(product)
        for who, works in (("", False), (outsider, False), (reader, True)):
            scraping.scrape(targets, who)
            eventually(scraping.healthy, dict.fromkeys(targets, works), within=30)
    admin.delete("ClusterRoleBinding", "prometheus")


def test_resource_hours_go_on_when_all_controllers_are_killed(
    product: Installation, new_pool: NewPool
) -> None:
    pool = new_pool(nodes=1, cpu=4)
    pool.quota("a", min=1, max=4)
    pods = pool.pods("a", 3)
    eventually(lambda: pool.status("a").get("metering", {}).get("borrowed"), {"cpu": "2"})
    before = pool.status("a")["metering"]
    with product.without(CONTROLLER):
        pass
    pool.delete_pods(*pods)
    after = eventually(
        lambda: pool.status("a")["metering"], lambda found: not found["borrowed"], within=30
    )
    assert after["since"] == before["since"]
    at = [moments.read(each["observedTime"]) or 0 for each in (before, after)]
    seconds = (at[1] - at[0]) // 1000
    # Three, then perhaps two or one pod were seen while they went within a second or two.
    counted = int(after["borrowedSeconds"]["cpu"]) - int(before["borrowedSeconds"].get("cpu", 0))
    assert seconds > 3
    assert 2000 * (seconds - 2) <= counted <= 2000 * seconds
