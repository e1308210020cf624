"""Law: more to share lowers nobody.

Algorithm 1.4 and 4. With Koordinator's rounding, and with largest remainders, a new node
takes a unit from somebody (weights 6, 6, 2: of 10 units 4, 4, 2; of 11 units 5, 5, 1), which shows
as a pod evicted because the cluster grew.
"""

from hypothesis import given
from hypothesis import strategies as st

import effort
import levels
import tree_generator


@given(levels.levels() | levels.wide_levels(), st.integers(1, 3) | levels.SIZES)
def test_more_to_share_lowers_nobody(level: levels.Level, by: int) -> None:
    richer = levels.Level(level.total + by, level.claims)
    assert all(late >= early for early, late in zip(level.shares(), richer.shares(), strict=True))


def a_new_node_lowers_nobody(grove: tree_generator.Grove, key: str, by: int) -> None:
    after = grove.with_available(tree_generator.more(grove.available, key, by)).runtimes()
    for name, before in grove.runtimes().items():
        for resource, amount in before.items():
            assert after[name][resource] >= amount


@given(
    tree_generator.groves(weighted=True),
    st.sampled_from(tree_generator.RESOURCES),
    st.integers(1, 9),
)
def test_a_new_node_takes_nothing_from_any_quota_of_a_weighted_tree(
    grove: tree_generator.Grove, key: str, by: int
) -> None:
    """Without a chosen weight max counts up to the total, which moves with the node."""
    a_new_node_lowers_nobody(grove.with_pods_in_leaves(), key, by)


@effort.one_in(10)
@given(
    tree_generator.big_groves(weighted=True),
    st.sampled_from(tree_generator.RESOURCES),
    levels.SIZES,
)
def test_a_new_node_takes_nothing_from_any_quota_of_a_big_tree(
    grove: tree_generator.Grove, key: str, by: int
) -> None:
    a_new_node_lowers_nobody(grove.with_pods_in_leaves(), key, by)
