"""Law: sharing is stable. When unmet demand goes away, no share changes.

Algorithm 4 ("idempotent", "trim", "consistent"). So evicting what exceeds a runtime never makes
another pod exceed its own.
"""

from hypothesis import given
from hypothesis import strategies as st

import effort
import levels
import oracle
import tree_generator


@given(levels.levels() | levels.wide_levels())
def test_requesting_exactly_the_share_gives_the_same_share(level: levels.Level) -> None:
    found = level.shares()
    content = tuple(
        oracle.Claim(share, claim.min, claim.weight)
        for share, claim in zip(found, level.claims, strict=True)
    )
    assert levels.Level(level.total, content).shares() == found


@given(levels.levels(), st.integers(1, 9))
def test_dropping_unmet_demand_changes_no_share(level: levels.Level, by: int) -> None:
    if not level.fits:
        return
    found = level.shares()
    for place, claim in enumerate(level.claims):
        assert level.changed(place, hi=max(found[place], claim.hi - by)).shares() == found


@given(levels.levels())
def test_removing_a_claim_with_its_share_changes_no_share(level: levels.Level) -> None:
    if not level.fits:
        return
    found = level.shares()
    for place, share in enumerate(found):
        assert level.without(place, share).shares() == found[:place] + found[place + 1 :]


def a_tree_that_asks_for_what_it_got_is_at_rest(case: tree_generator.TreeCase) -> None:
    case = case.with_room_for_guarantees()
    found, parts = case.runtimes(), case.own_runtimes()
    content = {
        name: {key: min(asked, parts[name].get(key, asked)) for key, asked in own.items()}
        for name, own in case.own.items()
        if name in parts
    }
    after = case.with_own(content)
    for name, part in after.own_runtimes().items():
        for key, amount in part.items():
            assert amount == parts[name][key]
    for name, runtime in after.runtimes().items():
        assert runtime == found[name]


@given(tree_generator.tree_cases(weighted=True))
def test_a_tree_whose_pods_request_what_they_got_is_at_rest(case: tree_generator.TreeCase) -> None:
    a_tree_that_asks_for_what_it_got_is_at_rest(case.with_pods_in_leaves())


@effort.one_in(10)
@given(tree_generator.big_tree_cases(weighted=True))
def test_a_big_tree_whose_pods_request_what_they_got_is_at_rest(
    case: tree_generator.TreeCase,
) -> None:
    a_tree_that_asks_for_what_it_got_is_at_rest(case.with_pods_in_leaves())
