"""Law: looking at nodes changes which pods of one size go, never how many, whose, how important."""

import random
from collections import Counter

import pytest
from hypothesis import given

import levels
from elasticquota.enforcement import decide
from elasticquota.enforcement.policy import Policy
from elasticquota.ledger.books import Books
from elasticquota.model.decision import Decisions
from worlds import World


def crowded(dice: random.Random) -> World:
    """Quotas that hold too much on a few full nodes, and others that wait."""
    world = World(nodes=dice.randint(1, 4), cpu=8)
    for name in ("lent", "more", "owner", "late"):
        world.quota(name, min=dice.randint(0, 6))
    for _ in range(8):
        for node in range(world.nodes):
            world.pods(
                dice.choice(("lent", "more")),
                node=f"node-{node}",
                priority=dice.choice((0, 0, 5)),
            )
    for _ in range(dice.randint(1, 4)):
        world.pods(
            dice.choice(("owner", "late", "more")),
            cpu=dice.randint(1, 5),
            priority=dice.choice((0, 9)),
            waiting=True,
        )
    return world


def ranks(world: World, decisions: Decisions) -> Counter[tuple[str, int]]:
    return Counter(
        (eviction.quota, world.ledger.pods[eviction.pod].priority)
        for eviction in decisions.evictions
    )


@given(levels.DICE)
def test_as_many_go_as_without_nodes(dice: random.Random) -> None:
    world = crowded(dice)
    policy = Policy(grace=0, delay=0)
    found = decide.decide(world.ledger, 0, policy)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Books, "node", lambda *_: None)
        plain = decide.decide(world.ledger, 0, policy)
    assert ranks(world, found) == ranks(world, plain)
