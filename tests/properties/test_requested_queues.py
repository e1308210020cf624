"""Law: the set of queues for pods does not depend on their order, and is stable once they exist.

This holds for any labels, names, owners and rules. A process that starts with the quotas of another
process wants the same queues, and also when the rules are gone.
"""

import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import foreign_objects
import levels
from elasticquota.integrations.translation import naming
from elasticquota.integrations.translation.translation import Path
from elasticquota.integrations.yunikorn import queues as yunikorn_queues
from elasticquota.integrations.yunikorn import requested_queues
from elasticquota.integrations.yunikorn.pod_queues import Placements
from elasticquota.integrations.yunikorn.requested_queues import PodQueueRequest
from elasticquota.wire.integrations import queues


RULES = (
    {"name": "provided", "create": True},
    {"name": "user", "create": True},
    {"name": "user", "create": True, "parent": {"name": "tag", "value": "namespace"}},
    {"name": "user", "create": True, "parent": {"name": "fixed", "value": "x.b", "create": True}},
)
_USERS = st.sampled_from("xyz")
_DEPTHS = st.sampled_from(((), ("b",), ("b", "c")))
_PATHS = st.builds(lambda first, below: ("root", first, *below), _USERS, _DEPTHS)
_BY_HAND = st.builds(
    lambda path, user: PodQueueRequest(naming.own(path), "b", "", user), _PATHS, _USERS
)
_BY_QUEUE = st.builds(lambda path: PodQueueRequest(naming.own(path), "b", ".".join(path)), _PATHS)
_BY_USER = _USERS.map(lambda user: PodQueueRequest(naming.own(("root", user)), "b", "", user))
PODS = st.lists(_BY_HAND | _BY_QUEUE | _BY_USER, max_size=8)


def placements(config: Any, dice: random.Random) -> Placements:
    chosen = dice.sample(RULES, dice.randint(1, len(RULES)))
    partition = {"queues": [], **((config or {}).get("partitions", [{}])[0])}
    document = {"partitions": [{**partition, "placementrules": chosen}]}
    return Placements(yunikorn_queues.partition_in_force(queues.read(document)))


def wanted(
    found: Placements, pods: list[PodQueueRequest], stored: frozenset[Path]
) -> frozenset[Path]:
    return requested_queues.wanted(found, pods, {}, {naming.own(path): path for path in stored}.get)


@given(foreign_objects.CONFIGS, PODS, st.frozensets(_PATHS), levels.DICE)
def test_pods_may_be_seen_in_any_order(
    config: Any, pods: list[PodQueueRequest], stored: frozenset[Path], dice: random.Random
) -> None:
    found = placements(config, dice)
    assert wanted(found, pods, stored) == wanted(found, dice.sample(pods, len(pods)), stored)


@given(foreign_objects.CONFIGS, PODS, st.frozensets(_PATHS), levels.DICE)
def test_existing_queues_are_wanted_after_a_restart_with_or_without_the_rules(
    config: Any, pods: list[PodQueueRequest], stored: frozenset[Path], dice: random.Random
) -> None:
    found = placements(config, dice)
    there = wanted(found, pods, stored)
    assert wanted(found, pods, there) == there
    assert wanted(placements(None, dice), pods, there) >= there


@given(foreign_objects.CONFIGS, PODS, levels.DICE)
def test_no_queue_is_inside_another(
    config: Any, pods: list[PodQueueRequest], dice: random.Random
) -> None:
    there = wanted(placements(config, dice), pods, frozenset())
    assert not any(path[:depth] in there for path in there for depth in range(1, len(path)))
