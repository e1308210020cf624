"""What a root quota and a profile say about pools."""

import json

from elasticquota import names
from elasticquota.model.node import Node
from elasticquota.model.pools import Pool, Pools
from elasticquota.structs import replace
from pool_worlds import MODEL, POOLS, PROFILE, PoolWorld


def test_a_root_quota_states_the_pools_of_its_profile() -> None:
    (root,) = PoolWorld().decide().roots
    assert root.tree == {
        "pools": [
            {"name": "a100", "nodeLabels": {MODEL: "a100"}},
            {"name": "t4", "nodeLabels": {MODEL: "t4"}},
        ]
    }


def test_pools_that_the_profile_names_no_longer_are_taken_off_the_root_quota() -> None:
    world = PoolWorld(pools=replace(POOLS, resources=("cpu",)))
    profile = world.ledger.profiles[PROFILE]
    (root,) = world.decide().roots
    assert root.tree.keys() == {"pools", "poolResources"}
    world.ledger.upsert_profile(replace(profile, pools=POOLS))
    (root,) = world.decide().roots
    assert root.tree.keys() == {"pools"}
    world.ledger.upsert_profile(replace(profile, pools=None))
    (root,) = world.decide().roots
    assert root.tree == {}


def test_a_profile_says_how_many_nodes_each_pool_has() -> None:
    world = PoolWorld(a100=2, t4=3)
    world.gpu_node("other")
    (profile,) = world.decide().profiles
    (ready,) = profile.conditions
    assert ready.message.endswith("shares 6 nodes: 2 of pool a100, 3 of pool t4, 1 of none")


def test_a_root_quota_names_no_more_resources_than_the_schema_allows() -> None:
    """A write that the API server refuses would leave the tree without its root quota."""
    kinds = Pools(tuple(Pool(f"p{index}", ((MODEL, f"m{index}"),)) for index in range(16)))
    world = PoolWorld(a100=0, t4=0, pools=kinds)
    devices = {f"example.com/d{index}": 1 for index in range(9)}
    for index in range(16):
        labels = {"pool": "main", MODEL: f"m{index}"}
        world.ledger.upsert_node(Node(f"n{index}", world.time(), labels, {"cpu": 1000, **devices}))
    (root,) = world.decide().roots
    assert len(root.max) == len(root.min) == 64
    assert {"cpu", *devices} <= root.max.keys()
    assert len(json.loads(root.annotations[names.TOTAL_RESOURCE])) == 10 + 9 * 16
