"""Queues, groups and pods without a node, as the API server and the scheduler really treat them."""

from collections.abc import Callable

import pytest

from installation import BY_BOTH
from scenes import HIGH, LOW, Pool, condition
from users import Document
from waiting import eventually, stays


pytestmark = [pytest.mark.cluster, BY_BOTH]

GROUP = {
    "scheduling.x-k8s.io/pod-group": "train",
    "elasticquota.dev/pod-group-size": "3",
}


def says(text: str) -> Callable[[Document], bool]:
    """Whether a pod's PodScheduled condition has ``text`` in its message."""
    return lambda pod: text in condition(pod, "PodScheduled")["message"]


def test_no_pod_passes_the_first_of_a_strict_queue(pool: Pool) -> None:
    pool.quota("team", min=4, max=4, queue={"policy": "Strict"})
    # Pods created in the same second are ordered by uid, so priorities make the order here.
    pool.pod("running", "team", cpu=2, priority=HIGH)
    eventually(lambda: pool.running("team"), {"running"})
    pool.pod("large", "team", cpu=3, priority=HIGH)
    eventually(lambda: pool.gated("team"), {"large"})
    pool.pod("small", "team", cpu=1, priority=LOW)
    eventually(lambda: pool.get_pod("small"), says("[WaitingInLine]"))
    pool.delete_pods("running")
    eventually(lambda: pool.running("team"), {"large", "small"})


def test_a_group_starts_when_its_last_pod_is_created(pool: Pool) -> None:
    pool.quota("team", min=4, max=4)
    for short, there in (
        ("one", "1 of 3 pods of group train is"),
        ("two", "2 of 3 pods of group train are"),
    ):
        pool.pod(short, "team", labels=GROUP)
        eventually(
            lambda: pool.get_pod("one"),
            says(f"{there} there"),
            within=30,  # one message to a pod in ten seconds
        )
    stays(lambda: pool.running("team"), set())
    pool.pod("three", "team", labels=GROUP)
    eventually(lambda: pool.running("team"), {"one", "two", "three"})


def test_the_time_without_a_node_counts_from_the_release(pool: Pool) -> None:
    """The condition keeps the time of the pod's creation, however long it waited at our gate."""
    pool.quota("team", min=1, max=1)
    pool.pod("running", "team")
    eventually(lambda: pool.running("team"), {"running"})
    # Quotas ignore affinity between pods, so the scheduler refuses this pod.
    beside = {
        "topologyKey": "kubernetes.io/hostname",
        "labelSelector": {"matchLabels": {"there-is": "no-such-pod"}},
    }
    lonely = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [beside]}}
    pool.pod("lost", "team", affinity=lonely)
    waiting = eventually(lambda: pool.get_pod("lost"), says("[QuotaExhausted]"))
    born = condition(waiting, "PodScheduled")["lastTransitionTime"]
    pool.delete_pods("running")
    lost = eventually(
        lambda: pool.get_pod("lost"),
        lambda pod: condition(pod, "PodScheduled")["reason"] == "Unschedulable",
    )
    assert lost["metadata"]["labels"]["elasticquota.dev/admitted-at"].isdigit()
    assert condition(lost, "PodScheduled")["lastTransitionTime"] == born
