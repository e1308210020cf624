"""Law: weighing more never lowers mine, and raises nobody else's.

Algorithm 4: with Koordinator's rounding a quota of weight 7 gets 5 units, of weight 8
only 4. The weight is a matter among siblings: above them nothing moves.
"""

from hypothesis import given
from hypothesis import strategies as st

import levels
import tree_generator


@given(levels.levels(), st.integers(1, 3) | levels.WEIGHTS)
def test_weighing_more_never_lowers_mine_and_never_raises_anothers(
    level: levels.Level, by: int
) -> None:
    before = level.shares()
    for place, claim in enumerate(level.claims):
        if not claim.weight:
            continue  # its first weight lets it take part at all, which is another rule
        after = level.changed(place, weight=claim.weight + by).shares()
        assert after[place] >= before[place]
        assert all(after[i] <= before[i] for i in range(len(after)) if i != place)


@given(tree_generator.groves(weighted=True), st.data(), st.integers(1, 9))
def test_weighing_more_lowers_nobody_in_mine_and_raises_nobody_beside_it(
    grove: tree_generator.Grove, data: st.DataObject, by: int
) -> None:
    grove = grove.with_pods_in_leaves()
    quota = data.draw(st.sampled_from(grove.quotas))
    key = data.draw(st.sampled_from(tree_generator.RESOURCES))
    heavier = tree_generator.more(quota.shared_weight or {}, key, by)
    before, after = grove.runtimes(), grove.with_quota(quota.name, shared_weight=heavier).runtimes()
    for name in grove.tree.order:
        for resource, held in before[name].items():
            if quota.name in grove.forest.path(name):
                assert after[name][resource] >= held
            else:
                assert after[name][resource] <= held
