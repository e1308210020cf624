"""Law: the order in which objects, requests and resources arrive decides nothing.

Semantics 6 ("any interleaving of concurrent edits ends in one deterministic state"), algorithm
4. Siblings of equal claim on one last unit are served in the order of their names.
"""

import random

from hypothesis import given

import effort
import levels
import tree_generator


@given(levels.levels(), levels.DICE)
def test_another_order_of_siblings_moves_at_most_the_last_unit(
    level: levels.Level, dice: random.Random
) -> None:
    """Only units that are due at the same moment can change hands, one per sibling."""
    order = list(range(len(level.claims)))
    dice.shuffle(order)
    found = level.shares()
    shuffled = levels.Level(level.total, tuple(level.claims[i] for i in order)).shares()
    assert sum(shuffled) == sum(found)
    assert all(abs(shuffled[at] - found[i]) <= 1 for at, i in enumerate(order))


def any_order_gives_the_same(grove: tree_generator.Grove, dice: random.Random) -> None:
    quotas = dice.sample(grove.quotas, len(grove.quotas))
    own = [(name, dict(reversed(list(asked.items())))) for name, asked in grove.own.items()]
    dice.shuffle(own)
    available = dict(reversed(list(grove.available.items())))
    shuffled = tree_generator.Grove(tuple(quotas), dict(own), available)
    assert shuffled.runtimes() == grove.runtimes()
    assert shuffled.own_runtimes() == grove.own_runtimes()
    assert shuffled.demand() == grove.demand()


@given(tree_generator.groves(), levels.DICE)
def test_any_order_of_quotas_and_requests_gives_the_same_runtimes(
    grove: tree_generator.Grove, dice: random.Random
) -> None:
    any_order_gives_the_same(grove, dice)


@effort.one_in(10)
@given(tree_generator.big_groves(), levels.DICE)
def test_any_order_gives_the_same_runtimes_in_a_big_tree(
    grove: tree_generator.Grove, dice: random.Random
) -> None:
    any_order_gives_the_same(grove, dice)
