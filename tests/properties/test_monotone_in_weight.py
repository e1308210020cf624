"""Law: a higher weight never lowers the quota's own share, and raises no other.

Algorithm 4: with Koordinator's rounding a quota of weight 7 gets 5 units, one of weight 8 only 4.
The weight matters among siblings only: above them nothing changes.
"""

from hypothesis import given
from hypothesis import strategies as st

import levels
import tree_generator


@given(levels.levels(), st.integers(1, 3) | levels.WEIGHTS)
def test_a_higher_weight_never_lowers_the_own_share_and_never_raises_a_siblings(
    level: levels.Level, by: int
) -> None:
    before = level.shares()
    for place, claim in enumerate(level.claims):
        if not claim.weight:
            continue  # its first weight makes it take part at all, which is another rule
        after = level.changed(place, weight=claim.weight + by).shares()
        assert after[place] >= before[place]
        assert all(after[i] <= before[i] for i in range(len(after)) if i != place)


@given(tree_generator.tree_cases(weighted=True), st.data(), st.integers(1, 9))
def test_a_higher_weight_lowers_no_share_below_and_raises_none_beside_the_quota(
    case: tree_generator.TreeCase, data: st.DataObject, by: int
) -> None:
    case = case.with_pods_in_leaves()
    quota = data.draw(st.sampled_from(case.quotas))
    key = data.draw(st.sampled_from(tree_generator.RESOURCES))
    heavier = tree_generator.more(quota.shared_weight or {}, key, by)
    before, after = case.runtimes(), case.with_quota(quota.name, shared_weight=heavier).runtimes()
    for name in case.tree.order:
        for resource, held in before[name].items():
            if quota.name in case.forest.path(name):
                assert after[name][resource] >= held
            else:
                assert after[name][resource] <= held
