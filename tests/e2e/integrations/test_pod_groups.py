"""Gangs of other systems on a live cluster: never half of one is admitted or reclaimed.

The definitions are simulations of ours (``gangs``); they are installed after the controller has
started. The rest is real.
"""

import json
from functools import partial
from pathlib import Path

import pytest

import audit
import gangs
from installation import Installation, Kubectl
from local_cluster import cluster as local
from scenes import HIGH, LOW, Pool
from users import User
from waiting import eventually, stays


pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("admission", "served")]

COMPLETE = " It starts when its group is complete."

KNOWN = 30.0
"""Seconds within which a kind is known that was installed after the controller had started."""


@pytest.fixture(scope="module")
def served(product: Installation, admin: User, kubectl: Kubectl) -> None:
    """The definitions of all systems' groups are there, and were installed after the controller."""
    gangs.serve(admin, kubectl)


@pytest.fixture
def team(pool: Pool) -> Pool:
    """The quota team may have all of 16 cpu, and borrows half of them from an owner."""
    pool.quota("team", min=0, max=16)
    pool.quota("owner", min=8, max=16)
    return pool


def evicted(log: Path, pool: Pool) -> set[str]:
    writes = audit.writes(log, "pods/eviction", pool.namespace)
    return {write.name for write in writes if write.code == 201}


@pytest.mark.parametrize("kind", ["annotations", "leaderworkerset", "yunikorn"])
def test_pods_that_state_their_size_wait_for_each_other(team: Pool, kind: str) -> None:
    gang = gangs.gang(kind, "train", 3)
    two = gangs.pods(team, "train", "team", gang, range(2))
    eventually(
        lambda: {gangs.why(team, pod).partition(" of group ")[0] for pod in two},
        {"WaitingForGroup: 2 of 3 pods"},
    )
    stays(lambda: team.running("team"), set())
    three = {*two, *gangs.pods(team, "train", "team", gang, range(2, 3))}
    eventually(lambda: team.running("team"), three)


def test_a_leader_that_must_be_ready_before_its_workers_are_made_starts_alone(
    team: Pool, kubectl: Kubectl
) -> None:
    gang = gangs.gang("leaderworkerset", "train", 3)
    leader = {*gangs.pods(team, "train", "team", gang, range(1))}
    eventually(lambda: gangs.why(team, "train-0"), lambda text: "1 of 3 pods" in text)
    gangs.apply(kubectl, gangs.leader_worker_set(team.namespace, gang, "LeaderReady"))
    eventually(lambda: team.running("team"), leader, within=KNOWN)


@pytest.mark.parametrize("kind", sorted(gangs.SERVED))
def test_the_minimum_of_a_pod_group_is_the_size_also_when_it_comes_or_changes_later(
    team: Pool, kubectl: Kubectl, kind: str
) -> None:
    # Until the kind is known, pods start one by one.
    eventually(partial(gangs.waits_for_its_object, team, "team", kind), True, within=KNOWN)
    gang = gangs.gang(kind, "train", 3)
    two = gangs.pods(team, "train", "team", gang, range(2))
    missing = f"WaitingForGroup: the {kind} object {team.namespace}/train does not exist"
    eventually(lambda: gangs.why(team, two[1]).startswith(missing), True)
    gangs.apply(kubectl, gangs.pod_group(team.namespace, gang))
    eventually(
        lambda: {gangs.why(team, pod) for pod in two},
        {f"WaitingForGroup: 2 of 3 pods of group {kind}/train are there.{COMPLETE}"},
    )
    gangs.apply(kubectl, gangs.pod_group(team.namespace, gangs.gang(kind, "train", 2)))
    eventually(lambda: set(two) <= team.running("team"), True)


def test_a_gang_with_a_pod_group_is_reclaimed_as_a_whole(
    team: Pool, kubectl: Kubectl, cluster: local.Cluster
) -> None:
    gang = gangs.gang("volcano", "train", 3)
    gangs.apply(kubectl, gangs.pod_group(team.namespace, gang))
    dear = team.pods("team", 12, prefix="dear", priority=HIGH)
    eventually(lambda: team.running("team"), set(dear))
    # The fourth pod is beyond the minimum, and leaves first.
    four = gangs.pods(team, "train", "team", gang, range(4), priority=LOW)
    eventually(lambda: team.running("team"), {*dear, *four})
    team.pod("one", "owner")
    eventually(lambda: team.running("owner"), {"one"})
    eventually(lambda: len(evicted(cluster.audit_log, team)), 1)
    team.pod("two", "owner")
    eventually(lambda: team.running("owner"), {"one", "two"})
    eventually(lambda: evicted(cluster.audit_log, team), set(four))
    stays(lambda: team.running("team"), set(dear))


def test_the_executors_of_an_application_start_together_when_its_driver_says_so(
    team: Pool,
) -> None:
    groups = [{"name": "driver", "minMember": 1}, {"name": "executor", "minMember": 3}]
    label = {"applicationId": "spark-1"}
    task = f"{gangs.YUNIKORN}/task-group-name"
    definitions = {f"{gangs.YUNIKORN}/task-groups": json.dumps(groups)}
    driver = gangs.Gang("yunikorn", "d", 1, label, {task: "driver", **definitions})
    executor = gangs.Gang("yunikorn", "e", 3, label, {task: "executor"})
    (first,) = gangs.pods(team, "driver", "team", driver, range(1))
    eventually(lambda: team.running("team"), {first})
    two = gangs.pods(team, "executor", "team", executor, range(2))
    eventually(
        lambda: gangs.why(team, two[0]),
        f"WaitingForGroup: 2 of 3 pods of group yunikorn/spark-1/executor are there.{COMPLETE}",
    )
    last = gangs.pods(team, "executor", "team", executor, range(2, 3))
    eventually(lambda: team.running("team"), {first, *two, *last})


def test_gangs_that_list_each_other_start_and_leave_together(
    team: Pool, kubectl: Kubectl, cluster: local.Cluster
) -> None:
    both = json.dumps([f"{team.namespace}/server", f"{team.namespace}/worker"])
    said = {f"{gangs.GANG}/groups": both}
    server, worker = (
        gangs.Gang("annotations", name, size, {}, {**marks, **said})
        for name, size in (("server", 1), ("worker", 2))
        for marks in (gangs.gang("annotations", name, size).annotations,)
    )
    first = gangs.pods(team, "server", "team", server, range(1), cpu=4)
    eventually(lambda: gangs.why(team, first[0]).startswith("WaitingForGroup: group koor"), True)
    workers = gangs.pods(team, "worker", "team", worker, range(1), cpu=4)
    eventually(
        lambda: gangs.why(team, first[0]),
        f"WaitingForGroup: 1 of 2 pods of group koordinator/worker is there.{COMPLETE}",
    )
    workers += gangs.pods(team, "worker", "team", worker, range(1, 2), cpu=4)
    eventually(lambda: team.running("team"), {*first, *workers})
    team.pods("owner", 5)
    eventually(lambda: len(team.running("owner")), 5)
    eventually(lambda: evicted(cluster.audit_log, team), {*first, *workers})
