"""Law: asking for more never lowers mine, and among siblings it raises nobody else's.

Algorithm 4: the second half is broken by Koordinator's rounding and by largest
remainders. In a tree more demand may raise a cousin, since their common parent gets more.
"""

from hypothesis import given
from hypothesis import strategies as st

import levels
import tree_generator


@given(levels.levels(), st.integers(1, 3) | levels.SIZES)
def test_asking_for_more_never_lowers_mine_and_never_raises_anothers(
    level: levels.Level, by: int
) -> None:
    before = level.shares()
    for place, claim in enumerate(level.claims):
        after = level.changed(place, hi=claim.hi + by).shares()
        assert after[place] >= before[place]
        assert all(after[i] <= before[i] for i in range(len(after)) if i != place)


@given(tree_generator.groves(), st.sampled_from(tree_generator.RESOURCES), st.integers(1, 9))
def test_asking_for_more_never_lowers_mine_in_a_tree(
    grove: tree_generator.Grove, key: str, by: int
) -> None:
    before = grove.runtimes()
    for name, asked in grove.own.items():
        after = grove.with_own({**grove.own, name: tree_generator.more(asked, key, by)}).runtimes()
        assert all(after[name][resource] >= held for resource, held in before[name].items())
