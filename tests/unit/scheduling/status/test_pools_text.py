"""What a root quota and a profile say about pools."""

import json
from dataclasses import replace

from elasticquota import names
from pool_worlds import MODEL, POOLS, PROFILE, PoolWorld


def test_a_root_quota_states_the_pools_of_its_profile() -> None:
    (root,) = PoolWorld().decide().roots
    assert json.loads(root.annotations[names.POOLS]) == [
        {"name": "a100", "nodeLabels": {MODEL: "a100"}},
        {"name": "t4", "nodeLabels": {MODEL: "t4"}},
    ]
    assert names.POOL_RESOURCES not in root.annotations


def test_pools_that_the_profile_names_no_longer_are_taken_off_the_root_quota() -> None:
    world = PoolWorld(pools=replace(POOLS, resources=("cpu",)))
    profile = world.ledger.profiles[PROFILE]
    world.ledger.upsert_profile(replace(profile, pools=POOLS))
    (root,) = world.decide().roots
    assert names.POOL_RESOURCES in root.not_annotated
    world.ledger.upsert_profile(replace(profile, pools=None))
    (root,) = world.decide().roots
    assert {names.POOLS, names.POOL_RESOURCES} <= set(root.not_annotated)


def test_a_profile_says_how_many_nodes_each_pool_has() -> None:
    world = PoolWorld(a100=2, t4=3)
    world.gpu_node("other")
    (profile,) = world.decide().profiles
    (ready,) = profile.conditions
    assert ready.message.endswith("shares 6 nodes: 2 of pool a100, 3 of pool t4, 1 of none")
