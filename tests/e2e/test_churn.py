"""Pods of twenty quotas come and go, while everything that can break breaks.

``CHURN=2000x300`` (pods x seconds) is the long run. ``CHURN_SEED`` sets the random choices; the
name of the test contains it.
"""

import itertools
import os
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

import audit
import settled
from installation import CONTROLLER_USER, Installation
from local_cluster import cluster as local
from pod_churn import PodChurn
from scenes import Pool
from waiting import eventually, seconds_until


PODS, SECONDS = map(int, os.environ.get("CHURN", "300x40").split("x"))
SEED = int(os.environ.get("CHURN_SEED", "20261124"))
REST = 150 + PODS // 5
"""Seconds in which everything must come to rest; pods of a vanished node stay for 60 of them."""

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.long,
    pytest.mark.usefixtures("admission"),
    # The official client leaves connections that the killed API server cut to the garbage
    # collector.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.timeout(2 * SECONDS + REST + 300),
]

DEPARTMENTS, TEAMS = 4, 5
NODES = 10 + PODS // 200
CPUS = PODS * 2 // (3 * NODES)
"""Of a node: all nodes together have room for two of three pods."""

PAUSE = 10
"""Seconds between two faults."""

LOST = timedelta(seconds=2)
"""After an eviction is answered: a ``kill -9`` of the controller or the API server until then takes
the message with it that was about to be written (docs/limits.md)."""


class Faults:
    """Everything that can break, one after the other."""

    def __init__(
        self, pool: Pool, churn: PodChurn, product: Installation, cluster: local.Cluster
    ) -> None:
        self._pool = pool
        self._churn = churn
        self._product = product
        self._cluster = cluster
        self.kills: list[datetime] = []
        self.all: tuple[Callable[[], None], ...] = (
            self.a_node_vanishes,
            self.the_leader_is_killed,
            self.the_api_server_restarts,
            self.no_webhook_runs,
        )

    def a_node_vanishes(self) -> None:
        """Remove a node and add another one."""
        self._pool.remove_node(min(self._pool.nodes()))
        self._pool.add_node(cpu=CPUS)

    def the_leader_is_killed(self) -> None:
        leader = eventually(self._product.leader, bool, within=60)
        self.kills.append(datetime.now(UTC))
        self._product.kill(leader)

    def the_api_server_restarts(self) -> None:
        self.kills.append(datetime.now(UTC))
        self._cluster.restart("kube-apiserver")

    def no_webhook_runs(self) -> None:
        """The pods that are made meanwhile have no gate."""
        with self._product.without_webhook():
            enough = self._churn.made + PODS // 30
            eventually(lambda: self._churn.made >= enough, True, within=60)


def quotas(pool: Pool) -> list[str]:
    """Departments with teams: half of the capacity is guaranteed, unevenly."""
    whole = NODES * CPUS
    teams = []
    for department in range(DEPARTMENTS):
        parent = f"dept-{department}"
        pool.department(parent, min=whole // (2 * DEPARTMENTS), max=whole // 2)
        for number in range(TEAMS):
            teams.append(f"team-{department}-{number}")
            low = number * whole // (2 * DEPARTMENTS * sum(range(TEAMS)))
            pool.quota(teams[-1], parent=parent, min=low, max=whole // (2 + number % 2 * 8))
    return teams


def never_allow(pool: Pool) -> None:
    """Disruption budgets for some of the pods: evictions are answered by 429, or by 500 for two
    budgets.
    """
    for number in range(len(settled.HOW)):
        held = {"key": settled.GUARDED, "operator": "In", "values": list(settled.HOW[number:])}
        pool.admin.create(
            {
                "apiVersion": "policy/v1",
                "kind": "PodDisruptionBudget",
                "metadata": {"name": f"never-{number}", "namespace": pool.namespace},
                "spec": {"maxUnavailable": 0, "selector": {"matchExpressions": [held]}},
            }
        )


def without_a_reason(pool: Pool, cluster: local.Cluster, kills: list[datetime]) -> list[str]:
    """Pods that were evicted, and no event says why."""
    evicted = [
        write
        for write in audit.writes(cluster.audit_log, "pods/eviction", pool.namespace)
        if write.code == 201
    ]
    assert {write.user for write in evicted} <= {CONTROLLER_USER}
    told = {
        event["involvedObject"]["name"]
        for event in pool.admin.list("Event", pool.namespace)
        if event["reason"] == "QuotaReclaim"
    }
    return [
        write.name
        for write in evicted
        if write.name not in told
        and not any(write.at <= kill < write.answered + LOST for kill in kills)
    ]


@pytest.mark.parametrize("seed", [SEED])
def test_a_25_all_laws_hold_after_churn_and_faults(
    new_pool: Callable[..., Pool],
    product: Installation,
    cluster: local.Cluster,
    measured: dict[str, float],
    seed: int,
) -> None:
    pool = new_pool(nodes=NODES, cpu=CPUS)
    never_allow(pool)
    churn = PodChurn(pool, quotas(pool), PODS, seed)
    faults = Faults(pool, churn, product, cluster)
    with churn.at_work():
        eventually(lambda: churn.full, True, within=120 + PODS // 5)
        began = time.monotonic()
        for turn, fault in enumerate(itertools.cycle(faults.all), start=1):
            fault()
            # The churn only needs time to pass.
            time.sleep(max(0.0, began + turn * PAUSE - time.monotonic()))
            if turn >= len(faults.all) and time.monotonic() >= began + SECONDS:
                break
    product.settle()
    began = time.monotonic()
    eventually(lambda: settled.faults(pool), [], within=REST)
    measured[f"until rest, {churn.made} pods made and {turn} faults"] = time.monotonic() - began
    measured["until what waits reads why as it is now"] = seconds_until(
        lambda: settled.wrong_messages(pool), [], within=REST
    )
    eventually(lambda: without_a_reason(pool, cluster, faults.kills), [], within=30)
