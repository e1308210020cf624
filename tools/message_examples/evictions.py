"""Messages of evicted pods and suspended jobs, as their events have them."""

from collections.abc import Iterator
from typing import Final

from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.status import eviction_messages
from message_examples.example import Example
from message_examples.waits import LARGE
from worlds import GI, TREE, World


_WAITING: Final = Pod(Key("team-b", "y"), "uid-y", "2026-01-01")


def examples() -> Iterator[Example]:
    """Yield one of each."""
    world = World(nodes=5, cpu=8)
    world.quota("team-a", max=8)
    world.pods("team-a", 12)
    tree = world.ledger.update(Policy().accounting).trees[TREE]
    over, held = {"cpu": 4_000}, {"cpu": 12_000}
    within, above = (eviction_messages.within_guarantee(of, "team-b") for of in ("team-b", "dept"))
    more = {**over, "memory": GI}
    rows = [
        (
            "a pod within the guarantee of its quota needs the room",
            eviction_messages.reclaimed_for("team-a", tree, over, held, "team-b", _WAITING, within),
        ),
        (
            "the guarantee of a quota above covers the pod",
            eviction_messages.reclaimed_for("team-a", tree, over, held, "team-b", _WAITING, above),
        ),
        (
            "a pod within the current share of its quota needs the room",
            eviction_messages.reclaimed_for(
                "team-a", tree, more, held, "team-b", _WAITING, eviction_messages.WITHIN_SHARE
            ),
        ),
        (
            "a pod of the same size has a better claim to the place",
            eviction_messages.reclaimed_for(
                "team-a",
                tree,
                over,
                held,
                "team-b",
                _WAITING,
                eviction_messages.beyond_share("team-b", "team-a"),
            ),
        ),
        (
            "a pod fits on no node before this one leaves its node",
            eviction_messages.cleared("team-a", over, "node-1", "team-b", _WAITING, within),
        ),
        (
            "a pod of no quota stands on a node of the tree",
            eviction_messages.external_pod(tree, "node-1", "team-b", _WAITING, within),
        ),
        (
            "a limit was lowered, or nodes were lost",
            eviction_messages.over_limit("team-a", tree, over, held),
        ),
        (
            "a more important pod of the same quota waits",
            eviction_messages.preempted("team-a", LARGE),
        ),
        (
            "no node has taken the pod for too long",
            eviction_messages.no_node("team-a", "team-a", LARGE),
        ),
        (
            "the scheduler refuses the pod, which would take the room of an owner",
            eviction_messages.no_node("team-a", "team-b", _WAITING),
        ),
    ]
    for when, text in rows:
        yield Example("QuotaReclaim", when, f"Evicted: {text}.")
