"""Law: a higher min never lowers the quota's own share, and never raises a sibling's.

Algorithm 1.2. It holds also where the higher min makes the guarantees exceed the total, so that
they shrink: no quota gains by a lower min.
"""

from hypothesis import given
from hypothesis import strategies as st

import levels
import tree_generator


@given(levels.levels(), st.integers(1, 3) | levels.SIZES)
def test_a_higher_min_never_lowers_the_own_share_and_never_raises_a_siblings(
    level: levels.Level, by: int
) -> None:
    before = level.shares()
    for place, claim in enumerate(level.claims):
        after = level.changed(place, min=claim.min + by).shares()
        assert after[place] >= before[place]
        assert all(after[i] <= before[i] for i in range(len(after)) if i != place)


@given(tree_generator.tree_cases(), st.data(), st.integers(1, 9))
def test_a_higher_min_never_lowers_the_own_share_in_a_tree(
    case: tree_generator.TreeCase, data: st.DataObject, by: int
) -> None:
    quota = data.draw(st.sampled_from(case.quotas))
    key = data.draw(st.sampled_from(sorted(quota.min) or tree_generator.RESOURCES))
    safer = case.with_quota(quota.name, min=tree_generator.more(quota.min, key, by))
    if safer.verdicts() != case.verdicts():
        return  # refused, or it makes another quota acceptable: no longer the same guarantees
    before, after = case.runtimes()[quota.name], safer.runtimes()[quota.name]
    assert all(after[resource] >= held for resource, held in before.items())
