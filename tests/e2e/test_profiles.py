"""A profile makes a tree of the nodes it selects, and says so when it cannot have all of them."""

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
    # The controller may see a node later than the profile.
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
        """The root quota without Koordinator's figures, which are written separately."""
        found = pool.root_quota()["metadata"]["annotations"]
        return {key: value for key, value in found.items() if key in expected}

    eventually(written, expected)


def test_a_profile_says_how_many_nodes_it_has(pool: Pool) -> None:
    eventually(lambda: profile(pool)["status"]["nodes"], 2)
    pool.add_node()
    eventually(lambda: profile(pool)["status"]["nodes"], 3)


def test_a_ratio_keeps_a_part_of_the_nodes_out_of_the_tree(pool: Pool) -> None:
    change = {"spec": {"resourceRatio": "0.75"}}
    pool.admin.patch("ElasticQuotaProfile", "pool", pool.namespace, change=change)
    eventually(lambda: pool.root_quota()["spec"]["min"]["cpu"], "12")
    pool.quota("team", min=4, max=16)
    pool.pods("team", 16)
    eventually(lambda: (len(pool.running("team")), len(pool.gated("team"))), (12, 4))


def test_nodes_of_two_profiles_belong_to_the_older_one_and_the_younger_says_so(
    pool: Pool, new_pool: Callable[..., Pool]
) -> None:
    # Made within one second, they are equally old, and the uid decides.
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


def test_an_edited_root_quota_is_corrected(pool: Pool) -> None:
    change = {"spec": {"min": {"cpu": "1"}}}
    pool.admin.patch("ElasticQuota", pool.root, pool.namespace, change=change)
    eventually(lambda: pool.root_quota()["spec"]["min"], {"cpu": "16", "memory": "64Gi"})
