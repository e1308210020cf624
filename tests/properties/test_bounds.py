"""Law: a share is never negative, never above the request, never below a guarantee that is kept.

Algorithm 4 ("bounds"). Where the guarantees themselves do not fit, no share is above its guarantee
either. In a tree the request is the limited request, so no quota ever exceeds its max.
"""

from hypothesis import given
from hypothesis import strategies as st

import effort
import levels
import tree_generator


@given(levels.levels() | levels.wide_levels())
def test_a_share_lies_between_the_guarantee_and_the_request(level: levels.Level) -> None:
    for share, claim in zip(level.shares(), level.claims, strict=True):
        if level.fits:
            assert claim.lo <= share <= claim.hi
        else:
            assert 0 <= share <= claim.lo


@given(levels.levels(), st.integers(-(2**70), -1))
def test_of_a_negative_total_every_claim_gets_nothing(level: levels.Level, total: int) -> None:
    below = levels.Level(total, level.claims)
    assert below.shares() == [0] * len(level.claims)


def every_runtime_is_within_its_request(case: tree_generator.TreeCase) -> None:
    limited = case.demand().limited
    maxima = {quota.name: quota.max for quota in case.quotas}
    for name, runtime in case.runtimes().items():
        for key, amount in runtime.items():
            assert amount >= 0
            if name != case.tree.root:
                assert amount <= limited[name].get(key, 0)
            assert amount <= maxima.get(name, {}).get(key, amount)
    for name, runtime in case.own_runtimes().items():
        for key, amount in runtime.items():
            assert 0 <= amount <= case.runtimes()[name][key]


@given(tree_generator.tree_cases())
def test_every_runtime_is_within_the_limited_request(case: tree_generator.TreeCase) -> None:
    every_runtime_is_within_its_request(case)


@effort.one_in(10)
@given(tree_generator.big_tree_cases())
def test_every_runtime_of_a_big_tree_is_within_the_limited_request(
    case: tree_generator.TreeCase,
) -> None:
    every_runtime_is_within_its_request(case)
