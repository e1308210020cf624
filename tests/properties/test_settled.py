"""Law: sharing comes to rest. Demand that was not met may go, and nobody's share moves.

Algorithm 4 ("idempotent", "trim", "consistent"). So evicting what
exceeds a runtime never makes another pod exceed its own.
"""

from hypothesis import given
from hypothesis import strategies as st

import effort
import levels
import oracle
import tree_generator


@given(levels.levels() | levels.wide_levels())
def test_asking_for_exactly_what_one_got_gives_the_same(level: levels.Level) -> None:
    found = level.shares()
    content = tuple(
        oracle.Claim(share, claim.min, claim.weight)
        for share, claim in zip(found, level.claims, strict=True)
    )
    assert levels.Level(level.total, content).shares() == found


@given(levels.levels(), st.integers(1, 9))
def test_giving_up_unmet_demand_moves_nobody(level: levels.Level, by: int) -> None:
    if not level.fits:
        return
    found = level.shares()
    for place, claim in enumerate(level.claims):
        assert level.changed(place, hi=max(found[place], claim.hi - by)).shares() == found


@given(levels.levels())
def test_one_who_leaves_with_its_share_moves_nobody(level: levels.Level) -> None:
    if not level.fits:
        return
    found = level.shares()
    for place, share in enumerate(found):
        assert level.without(place, share).shares() == found[:place] + found[place + 1 :]


def a_tree_that_asks_for_what_it_got_is_at_rest(grove: tree_generator.Grove) -> None:
    grove = grove.with_room_for_guarantees()
    found, parts = grove.runtimes(), grove.own_runtimes()
    content = {
        name: {key: min(asked, parts[name].get(key, asked)) for key, asked in own.items()}
        for name, own in grove.own.items()
        if name in parts
    }
    after = grove.with_own(content)
    for name, part in after.own_runtimes().items():
        for key, amount in part.items():
            assert amount == parts[name][key]
    for name, runtime in after.runtimes().items():
        assert runtime == found[name]


@given(tree_generator.groves(weighted=True))
def test_a_tree_whose_pods_ask_for_what_they_got_is_at_rest(grove: tree_generator.Grove) -> None:
    a_tree_that_asks_for_what_it_got_is_at_rest(grove.with_pods_in_leaves())


@effort.one_in(10)
@given(tree_generator.big_groves(weighted=True))
def test_a_big_tree_whose_pods_ask_for_what_they_got_is_at_rest(
    grove: tree_generator.Grove,
) -> None:
    a_tree_that_asks_for_what_it_got_is_at_rest(grove.with_pods_in_leaves())
