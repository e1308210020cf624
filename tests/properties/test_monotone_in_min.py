"""Law: a higher guarantee never lowers mine, and among siblings it raises nobody else's.

Algorithm 1.2. It holds also where the higher min makes the
guarantees exceed the total, so that they shrink: nobody is better off by being promised less.
"""

from hypothesis import given
from hypothesis import strategies as st

import levels
import tree_generator


@given(levels.levels(), st.integers(1, 3) | levels.SIZES)
def test_a_higher_min_never_lowers_mine_and_never_raises_anothers(
    level: levels.Level, by: int
) -> None:
    before = level.shares()
    for place, claim in enumerate(level.claims):
        after = level.changed(place, min=claim.min + by).shares()
        assert after[place] >= before[place]
        assert all(after[i] <= before[i] for i in range(len(after)) if i != place)


@given(tree_generator.groves(), st.data(), st.integers(1, 9))
def test_a_higher_min_never_lowers_mine_in_a_tree(
    grove: tree_generator.Grove, data: st.DataObject, by: int
) -> None:
    quota = data.draw(st.sampled_from(grove.quotas))
    key = data.draw(st.sampled_from(sorted(quota.min) or tree_generator.RESOURCES))
    safer = grove.with_quota(quota.name, min=tree_generator.more(quota.min, key, by))
    if safer.verdicts() != grove.verdicts():
        return  # refused, or it lets another one in: no longer the same guarantees
    before, after = grove.runtimes()[quota.name], safer.runtimes()[quota.name]
    assert all(after[resource] >= held for resource, held in before.items())
