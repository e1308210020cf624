"""Lines, groups and pods without a node, as the API server and the scheduler really treat them."""

import pytest

from installation import BY_BOTH
from scenes import Pool, condition
from waiting import eventually


pytestmark = [pytest.mark.cluster, BY_BOTH]

GROUP = {
    "scheduling.x-k8s.io/pod-group": "train",
    "elasticquota.dev/pod-group-size": "3",
}


def why(pool: Pool, short: str) -> str:
    """What the pod's PodScheduled condition says."""
    return str(condition(pool.get_pod(short), "PodScheduled").get("message", ""))


def test_nobody_passes_the_first_of_a_strict_line(pool: Pool) -> None:
    pool.quota("team", min=4, max=4, annotations={"elasticquota.dev/queueing": "Strict"})
    pool.pod("running", "team", cpu=2)
    eventually(lambda: pool.running("team"), {"running"})
    pool.pod("large", "team", cpu=3)
    eventually(lambda: pool.gated("team"), {"large"})
    pool.pod("small", "team", cpu=1)
    eventually(lambda: why(pool, "small"), lambda text: "WaitingInLine: pod " in text)
    pool.delete_pods("running")
    eventually(lambda: pool.running("team"), {"large", "small"})


def test_a_group_starts_when_its_last_pod_has_come(pool: Pool) -> None:
    pool.quota("team", min=4, max=4)
    for short in ("one", "two"):
        pool.pod(short, "team", labels=GROUP)
    eventually(
        lambda: why(pool, "one"),
        lambda text: "WaitingForGroup: 2 of 3 pods of group train are there" in text,
    )
    assert pool.running("team") == set()
    pool.pod("three", "team", labels=GROUP)
    eventually(lambda: pool.running("team"), {"one", "two", "three"})


def test_the_moment_of_the_release_is_on_the_pod_and_nowhere_else(pool: Pool) -> None:
    """For how long a pod has been without a node could not be told otherwise after a restart."""
    pool.quota("team", min=4, max=4)
    pool.pod("lost", "team", nodeSelector={"there-is": "no-such-node"})
    lost = eventually(
        lambda: pool.get_pod("lost"),
        lambda pod: condition(pod, "PodScheduled")["reason"] == "Unschedulable",
    )
    assert lost["metadata"]["labels"]["elasticquota.dev/admitted-at"].isdigit()
    assert condition(lost, "PodScheduled").get("lastTransitionTime") is None
