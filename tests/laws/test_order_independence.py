"""Law: the order in which objects arrive decides nothing."""

import random

from hypothesis import given
from hypothesis import strategies as st

import arbitrary
from elasticquota.forest import judge
from elasticquota.model.quota import Quota
from elasticquota.sharing import runtime


@given(arbitrary.garbage_heaps(), st.randoms(use_true_random=False))
def test_any_order_of_objects_gives_the_same_forest(heap: list[Quota], dice: random.Random) -> None:
    shuffled = list(heap)
    dice.shuffle(shuffled)
    assert judge.build(shuffled) == judge.build(heap)


@given(arbitrary.groves(), st.randoms(use_true_random=False))
def test_any_order_of_requests_and_resources_gives_the_same_runtimes(
    grove: arbitrary.Grove, dice: random.Random
) -> None:
    own = [(name, dict(reversed(list(asked.items())))) for name, asked in grove.own.items()]
    dice.shuffle(own)
    found = runtime.solve(grove.tree, grove.forest, grove.own, grove.available)
    assert runtime.solve(grove.tree, grove.forest, dict(own), grove.available) == found
