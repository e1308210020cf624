"""Seed 001, multi tree quotas: its numbers of totals, ratio, root quota and separate trees."""

import json
from typing import Any

import msgspec

from elasticquota import names, structs
from elasticquota.model.decision import RootQuota
from elasticquota.model.key import Key
from elasticquota.model.node import Node
from elasticquota.model.profile import Profile
from elasticquota.model.quota import Quota
from elasticquota.model.selector import Requirement, Selector
from elasticquota.wire.quota import profiles
from worlds import World, amounts


POOL = {
    "kubernetes.io/arch": "amd64",
    "topology.kubernetes.io/region": "cn-hangzhou",
    "topology.kubernetes.io/zone": "cn-hangzhou-k",
}
PUBLISHED: dict[str, Any] = {
    "metadata": {
        "name": "cn-hangzhou-k-amd64-standard",
        "namespace": "kube-system",
        "labels": POOL,
    },
    "spec": {
        "nodeSelector": {"matchLabels": POOL},
        "quotaLabels": {**POOL, "quota.scheduling.koordinator.sh/is-parent": "true"},
        "quotaName": "cn-hangzhou-k-amd64-root-quota",
        "resourceRatio": "0.9",
    },
}
WHOLE = {"cpu": 307_200, "memory": 2_105_033_814_016, names.PODS: 400}
"""What the nodes of the published example offer before the ratio: its totals divided by 0.9."""
EPHEMERAL_STORAGE = 5_842_064_046_648


def published_root() -> RootQuota:
    world = World(nodes=0)
    offer = {**WHOLE, "ephemeral-storage": EPHEMERAL_STORAGE}
    world.ledger.upsert_node(Node("large", world.time(), POOL, offer))
    other = {**POOL, "kubernetes.io/arch": "arm64"}
    world.ledger.upsert_node(Node("elsewhere", world.time(), other, offer))
    world.ledger.upsert_profile(profiles.read(msgspec.convert(PUBLISHED, profiles.ProfileManifest)))
    (root,) = [root for root in world.decide().roots if root.key.namespace == "kube-system"]
    return root


def test_seed_001_api_a_ratio_of_0_9_makes_90_of_100() -> None:
    """Seed: "If the total resource is 100 and the resource ratio is 0.9": 100 * 0.9 = 90."""
    ratio = profiles.read(msgspec.convert(PUBLISHED, profiles.ProfileManifest)).ratio
    assert ratio.of(100) == 90


def test_seed_001_profile_controller_the_root_quota_has_the_published_figures() -> None:
    """Example: cpu 276480m, memory 1894530432614, 360 pods after the ratio; max is no limit."""
    root = published_root()
    assert root.key == Key("kube-system", "cn-hangzhou-k-amd64-root-quota")
    assert root.min == {"cpu": 276_480, "memory": 1_894_530_432_614}
    assert root.max == {"cpu": 4_611_686_018_427_387_000, "memory": 4_611_686_018_427_387}
    assert json.loads(root.annotations[names.TOTAL_RESOURCE]) == {
        "cpu": "276480m",
        "ephemeral-storage": "5257857641983",
        "memory": "1894530432614",
        "pods": "360",
    }


def test_seed_001_profile_controller_the_root_quota_has_the_published_labels() -> None:
    labels = dict(published_root().labels)
    assert labels.pop("quota.scheduling.koordinator.sh/tree-id", "").isdecimal()
    assert labels == {
        **POOL,
        "quota.scheduling.koordinator.sh/is-parent": "true",
        "quota.scheduling.koordinator.sh/is-root": "true",
        "quota.scheduling.koordinator.sh/parent": "koordinator-root-quota",
        "quota.scheduling.koordinator.sh/profile": "cn-hangzhou-k-amd64-standard",
    }


def world_of_pools(*pools: str) -> World:
    """One node of 10 cpu, one tree and one team below its root for every pool."""
    world = World(nodes=0)
    for pool in pools:
        world.node(f"{pool}-1", cpu=10, pool=pool)
        world.ledger.upsert_profile(
            Profile(
                key=Key("system", pool),
                uid=pool,
                created=world.time(),
                quota_name=f"{pool}-root",
                selector=Selector((Requirement("pool", "In", (pool,)),)),
                tree_id=pool,
            )
        )
        (wanted,) = [root for root in world.decide().roots if root.key.name == f"{pool}-root"]
        root = Quota(
            key=wanted.key,
            uid=f"{pool}-root",
            created=world.time(),
            is_parent=True,
            is_root=True,
            tree_id=pool,
            profile=pool,
            min=wanted.min,
            max=wanted.max,
        )
        team = Quota(
            key=Key("teams", f"{pool}-team"),
            uid=f"{pool}-team",
            created=world.time(),
            parent=root.name,
            tree_id=pool,
            min=amounts(cpu=5),
        )
        world.ledger.upsert_quota(root)
        world.ledger.upsert_quota(team)
    return world


def test_seed_001_story_1_resources_are_shared_inside_a_tree_but_not_between_trees() -> None:
    """Seed: "shared in a single quota tree, but not shared between different trees"."""
    world = world_of_pools("amd64", "arm64")
    world.pods("amd64-team", 15, waiting=True)
    decisions = world.decide()
    assert len(decisions.releases) == 10
    assert len(decisions.waits) == 5
    runtime = {status.key.name: status.runtime.get("cpu", 0) for status in decisions.statuses}
    assert runtime["amd64-team"] == 10_000
    assert runtime["arm64-root"] == 10_000
    assert runtime["arm64-team"] == 0


def test_seed_001_story_1_each_root_has_the_nodes_of_its_pool() -> None:
    world = world_of_pools("amd64", "arm64")
    world.node("amd64-2", cpu=6, pool="amd64")
    found = {root.key.name: root.min.get("cpu") for root in world.decide().roots}
    assert (found["amd64-root"], found["arm64-root"]) == (16_000, 10_000)


def test_seed_001_story_2_a_zone_that_loses_its_node_does_not_touch_other_zones() -> None:
    """One tree per availability zone: what is lent in one zone is never asked back in another."""
    world = world_of_pools("zone-a", "zone-b", "zone-c")
    for zone in ("zone-a", "zone-b", "zone-c"):
        world.pods(f"{zone}-team", 10, node=f"{zone}-1")
    world.ledger.delete_node("zone-b-1")
    world.decide(now=0)
    evicted = {eviction.quota for eviction in world.decide(now=10**9).evictions}
    assert evicted == {"zone-b-team"}


def test_seed_001_runtime_calculation_the_total_of_a_tree_comes_from_its_root() -> None:
    """A root that states ``total-resource`` and has no profile shares exactly that."""
    world = world_of_pools("amd64")
    root = world.ledger.quotas[Key("system", "amd64-root")]
    stated = {**amounts(cpu=7), names.PODS: 110}
    world.ledger.delete_profile(Key("system", "amd64"))
    world.ledger.upsert_quota(structs.replace(root, profile="", total=stated))
    world.pods("amd64-team", 15, waiting=True)
    assert len(world.decide().releases) == 7
