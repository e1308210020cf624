"""Law: a higher request never lowers the quota's own share, and never raises a sibling's.

Algorithm 4: Koordinator's rounding and largest remainders break the second half. In a tree more
demand may raise a cousin, since their common parent gets more.
"""

from hypothesis import given
from hypothesis import strategies as st

import levels
import tree_generator


@given(levels.levels(), st.integers(1, 3) | levels.SIZES)
def test_a_higher_request_never_lowers_the_own_share_and_never_raises_a_siblings(
    level: levels.Level, by: int
) -> None:
    before = level.shares()
    for place, claim in enumerate(level.claims):
        after = level.changed(place, hi=claim.hi + by).shares()
        assert after[place] >= before[place]
        assert all(after[i] <= before[i] for i in range(len(after)) if i != place)


@given(tree_generator.tree_cases(), st.sampled_from(tree_generator.RESOURCES), st.integers(1, 9))
def test_a_higher_request_never_lowers_the_own_share_in_a_tree(
    case: tree_generator.TreeCase, key: str, by: int
) -> None:
    before = case.runtimes()
    for name, asked in case.own.items():
        after = case.with_own({**case.own, name: tree_generator.more(asked, key, by)}).runtimes()
        assert all(after[name][resource] >= held for resource, held in before[name].items())
