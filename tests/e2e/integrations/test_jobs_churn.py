"""Jobs of four kinds in many queues come and go, while the controller is killed.

``JOBS=500x30`` (jobs x queues) is the large size. ``JOBS_SEED`` sets the random choices; the
name of the test contains it.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any

import pytest

import job_facts
import job_settled
import job_snapshot
from installation import NAMESPACE, Installation
from job_churn import JobChurn
from job_history import History, Replay
from operators import definitions
from scenes import Pool
from users import Document, User
from waiting import eventually


JOBS, QUEUES = map(int, os.environ.get("JOBS", "80x8").split("x"))
SEED = int(os.environ.get("JOBS_SEED", "20261124"))
BEAT = 0.3
"""Seconds between two passes of each operator."""
DISTURBED = 3 * JOBS
"""Disturbances of jobs before the churn stops."""
REST = 60 + JOBS // 2
"""Seconds in which everything must come to rest."""
KILLS = 2

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.long,
    pytest.mark.usefixtures("admission", "kinds"),
    pytest.mark.timeout(3 * REST + 400),
]

DEPARTMENTS = max(2, QUEUES // 6)
NODES = 2 + JOBS // 100
CPUS = JOBS // NODES
"""Of a node: a job asks for three or four, so there is room for one in three."""
WHOLE = NODES * CPUS

POLICIES = ("Priority", "FIFO", "Block")
MOST_JOBS = 3
"""Limit in every fourth leaf, where its max says so."""

TREE = "churn"


@pytest.fixture(scope="module")
def kinds(admin: User) -> None:
    """The definitions are installed."""
    definitions.install(admin)


@pytest.fixture
def leaves(new_pool: Callable[..., Pool]) -> Iterator[tuple[Pool, list[str]]]:
    """A pool with an ElasticQuotaTree below its root; its leaves have queues of each policy."""
    pool = new_pool(nodes=NODES, cpu=CPUS)
    pool.admin.create(tree(pool))
    policies = {
        f"pool-all-{department}-team-{number}": POLICIES[number % len(POLICIES)]
        for department, numbers in departments().items()
        for number in numbers
    }
    for short, policy in policies.items():
        change = {"spec": {"queuePolicy": policy}}
        write = partial(
            pool.admin.patch, "Queue", pool.name(short), job_snapshot.HOME, change=change
        )
        eventually(write, bool, within=60)
    strict = {pool.name(short) for short, policy in policies.items() if policy == "Block"}
    eventually(partial(blocking, pool), strict, within=30)
    yield pool, [*policies]
    pool.admin.delete("ElasticQuotaTree", pool.name(TREE), "kube-system")


def departments() -> dict[str, range]:
    """The numbers of the leaves of each department."""
    return {f"dept-{number}": range(number, QUEUES, DEPARTMENTS) for number in range(DEPARTMENTS)}


def leaf(pool: Pool, department: str, number: int) -> Document:
    """Leaves of different sizes; every fourth limits the number of jobs."""
    most: dict[str, Any] = {"cpu": max(8, WHOLE // (2 + number % 3))}
    if number % 4 == 3:
        most[job_snapshot.MAX_JOBS] = MOST_JOBS
    low = number % 4 * WHOLE // (4 * QUEUES)
    return {"name": pool.name(f"team-{number}"), "min": {"cpu": low}, "max": most}


def tree(pool: Pool) -> Document:
    """Half of the capacity is guaranteed."""
    children = [
        {
            "name": name,
            "min": {"cpu": WHOLE // (2 * DEPARTMENTS)},
            "max": {"cpu": WHOLE * 2 // 3},
            "children": [leaf(pool, name, number) for number in numbers],
        }
        for name, numbers in departments().items()
    ]
    return {
        "apiVersion": "scheduling.sigs.k8s.io/v1beta1",
        "kind": "ElasticQuotaTree",
        "metadata": {
            "name": pool.name(TREE),
            "namespace": "kube-system",
            "annotations": {"elasticquota.dev/profile": f"{pool.namespace}/pool"},
        },
        "spec": {"root": {"name": "all", "children": children}},
    }


def blocking(pool: Pool) -> set[str]:
    """Names of the quotas whose queues are strict: no workload passes the first."""
    return {
        quota["metadata"]["name"]
        for quota in pool.admin.list("ElasticQuota", NAMESPACE)
        if quota["spec"].get("queue", {}).get("policy") == "Strict"
        and quota["metadata"]["name"].endswith(pool.namespace)
    }


def replayed(pool: Pool, history: History) -> Replay:
    now = job_snapshot.PoolState(pool)
    most = {name: now.bound(name, "max") for name in now.quotas}
    return Replay(history.changes, now.paths, most)


def disturbed(churn: JobChurn, times: int) -> None:
    eventually(lambda: churn.disturbed >= times, True, within=60 + times // 5)


def delete_all(pool: Pool) -> None:
    for kind in job_facts.MAKERS:
        for job in pool.admin.list(kind, pool.namespace):
            if not job_facts.owner(job):
                pool.admin.delete(kind, job["metadata"]["name"], pool.namespace)


@pytest.mark.parametrize("seed", [SEED])
def test_jobs_of_four_kinds_keep_all_laws_after_churn_and_kills(
    leaves: tuple[Pool, list[str]],
    product: Installation,
    measured: dict[str, float],
    seed: int,
) -> None:
    pool, quotas = leaves
    churn, history = JobChurn(pool, quotas, JOBS, seed), History(pool)
    with ExitStack() as stack:
        for operator in job_facts.OPERATORS:
            stack.enter_context(operator(pool.admin, pool.namespace, BEAT).at_work())
        with history.at_work():
            with churn.at_work():
                eventually(lambda: churn.full, True, within=60 + JOBS // 5)
                for kill in range(1, KILLS + 1):
                    disturbed(churn, kill * DISTURBED // (KILLS + 1))
                    with suppress(ProcessLookupError):  # it may be down since the kill before
                        product.kill(eventually(product.leader, bool, within=60))
                disturbed(churn, DISTURBED)
            product.settle()
            began = time.monotonic()
            eventually(lambda: job_settled.faults(pool), [], within=REST)
            took = time.monotonic() - began
        replay = replayed(pool, history)
        measured[f"until rest, {churn.made} jobs made, {replay.starts} starts"] = took
        assert replay.overruns == []
        assert replay.starts > JOBS // 2
        eventually(lambda: delete_all(pool), None, within=REST)
        eventually(lambda: job_settled.traces(pool), [], within=REST)
