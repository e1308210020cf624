"""Law: a higher total lowers no share.

Algorithm 1.4 and 4. With Koordinator's rounding, and with largest remainders, a new node can take a
unit from a quota (weights 6, 6, 2: of 10 units 4, 4, 2; of 11 units 5, 5, 1). The result is a pod
that is evicted because the cluster grew.
"""

from hypothesis import given
from hypothesis import strategies as st

import effort
import levels
import tree_generator


@given(levels.levels() | levels.wide_levels(), st.integers(1, 3) | levels.SIZES)
def test_a_higher_total_lowers_no_share(level: levels.Level, by: int) -> None:
    richer = levels.Level(level.total + by, level.claims)
    assert all(late >= early for early, late in zip(level.shares(), richer.shares(), strict=True))


def a_new_node_lowers_no_share(case: tree_generator.TreeCase, key: str, by: int) -> None:
    after = case.with_available(tree_generator.more(case.available, key, by)).runtimes()
    for name, before in case.runtimes().items():
        for resource, amount in before.items():
            assert after[name][resource] >= amount


@given(
    tree_generator.tree_cases(weighted=True),
    st.sampled_from(tree_generator.RESOURCES),
    st.integers(1, 9),
)
def test_a_new_node_takes_nothing_from_any_quota_of_a_weighted_tree(
    case: tree_generator.TreeCase, key: str, by: int
) -> None:
    """Without a chosen weight, the weight is max up to the total, which grows with the node."""
    a_new_node_lowers_no_share(case.with_pods_in_leaves(), key, by)


@effort.one_in(10)
@given(
    tree_generator.big_tree_cases(weighted=True),
    st.sampled_from(tree_generator.RESOURCES),
    levels.SIZES,
)
def test_a_new_node_takes_nothing_from_any_quota_of_a_big_tree(
    case: tree_generator.TreeCase, key: str, by: int
) -> None:
    a_new_node_lowers_no_share(case.with_pods_in_leaves(), key, by)
