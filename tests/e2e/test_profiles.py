"""A profile makes a tree of the nodes it selects, and says so when it cannot have them all."""

from collections.abc import Callable

import pytest

from scenes import PREFIX, Pool, condition
from users import Document
from waiting import eventually


pytestmark = pytest.mark.cluster


def profile(pool: Pool) -> Document:
    return pool.admin.get("ElasticQuotaProfile", "pool", pool.namespace)


def test_the_root_quota_of_a_profile_is_complete(pool: Pool) -> None:
    tree = eventually(lambda: profile(pool)["status"]["tree"], bool)
    # A node may have been heard of later than the profile.
    root = eventually(pool.root_quota, lambda root: root["spec"]["min"].get("cpu") == "16")
    labels = root["metadata"]["labels"]
    assert labels == {
        f"{PREFIX}parent": "koordinator-root-quota",
        f"{PREFIX}profile": "pool",
        f"{PREFIX}is-parent": "true",
        f"{PREFIX}is-root": "true",
        f"{PREFIX}tree-id": tree,
    }
    assert root["spec"] == {
        "min": {"cpu": "16", "memory": "64Gi"},
        "max": {"cpu": "4611686018427387", "memory": "4611686018427387"},
    }
    expected = {
        f"{PREFIX}total-resource": '{"cpu":"16","memory":"64Gi","pods":"220"}',
        f"{PREFIX}unschedulable-resource": "{}",  # once the new nodes are Ready
    }

    def written() -> dict[str, str]:
        """Without the peer's figures, which follow by themselves."""
        found = pool.root_quota()["metadata"]["annotations"]
        return {key: value for key, value in found.items() if key in expected}

    eventually(written, expected)


def test_a_profile_says_how_many_nodes_it_has(pool: Pool) -> None:
    eventually(lambda: profile(pool)["status"]["nodes"], 2)
    pool.add_node()
    eventually(lambda: profile(pool)["status"]["nodes"], 3)


def test_a_ratio_holds_back_a_part_of_the_nodes(pool: Pool) -> None:
    change = {"spec": {"resourceRatio": "0.75"}}
    pool.admin.patch("ElasticQuotaProfile", "pool", pool.namespace, change=change)
    eventually(lambda: pool.root_quota()["spec"]["min"]["cpu"], "12")
    pool.quota("team", min=4, max=16)
    pool.pods("team", 16)
    eventually(lambda: (len(pool.running("team")), len(pool.gated("team"))), (12, 4))


def test_nodes_of_two_profiles_belong_to_the_older_one_and_the_younger_says_so(
    pool: Pool, new_pool: Callable[..., Pool]
) -> None:
    # Made within one second they are equally old, and the uid decides.
    older, younger = sorted((pool, new_pool(nodes=1)), key=seniority)
    both = {"matchExpressions": [{"key": "pool", "operator": "Exists"}]}
    change = {"spec": {"nodeSelector": {"matchLabels": None, **both}}}
    younger.admin.patch("ElasticQuotaProfile", "pool", younger.namespace, change=change)
    said = eventually(
        lambda: condition(profile(younger), "NodesOverlap"), lambda found: found["status"] == "True"
    )
    assert all(node in said["message"] for node in older.nodes())
    assert profile(younger)["status"]["nodes"] == len(younger.nodes())
    assert profile(older)["status"]["nodes"] == len(older.nodes())


def seniority(pool: Pool) -> tuple[str, str]:
    """The order of verdicts."""
    meta = profile(pool)["metadata"]
    return meta["creationTimestamp"], meta["uid"]


def test_a_root_quota_that_somebody_edited_is_corrected(pool: Pool) -> None:
    change = {"spec": {"min": {"cpu": "1"}}}
    pool.admin.patch("ElasticQuota", pool.root, pool.namespace, change=change)
    eventually(lambda: pool.root_quota()["spec"]["min"], {"cpu": "16", "memory": "64Gi"})
