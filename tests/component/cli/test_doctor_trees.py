"""``doctor`` on the configuration, and on what the pods of trees hold."""

import pytest

from doctor_fixture import StoredCluster, publish


def test_paused_reclaim_is_a_warning() -> None:
    cluster = StoredCluster()
    cluster.configuration("reclaim: {paused: true}")
    (found,) = cluster.findings("warning")
    assert found.message.startswith("reclaim.paused is true: no pod is evicted")


def grown(used: int, **tree: object) -> StoredCluster:
    """A tree of 63 cpu whose pods hold ``used``."""
    cluster = StoredCluster()
    root = cluster.grown_tree(63)
    root["spec"]["tree"] = tree
    publish(root, tree="pool", runtime={"cpu": "63"}, used={"cpu": str(used), "pods": "7"})
    publish(cluster.documents[-2], ("Ready", "True", "Ready", "1 node"))
    return cluster


@pytest.mark.parametrize(
    ("mode", "why"),
    [
        ("Enforce", "its nodes are gone, or pods started beside the quotas"),
        ("Observe", "it observes, so nothing is held or evicted"),
    ],
)
def test_a_tree_whose_pods_hold_more_than_its_nodes_offer_is_reported_with_its_mode(
    mode: str, why: str
) -> None:
    (found,) = grown(120, enforcement=mode).findings("warning")
    assert found.object == "ElasticQuota sys/pool"
    assert found.message == f"the pods of its tree hold 120 cpu of 63: {why}"
    assert grown(63, enforcement=mode).findings("warning") == []
