"""Law: a share is never negative, never above what is asked for, never below a kept guarantee.

Algorithm 4 ("bounds"). Where the guarantees themselves do not fit, no share is above its
guarantee either. In a tree "asked for" is the limited request, so nobody ever exceeds its max.
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
def test_of_less_than_nothing_everybody_gets_nothing(level: levels.Level, total: int) -> None:
    below = levels.Level(total, level.claims)
    assert below.shares() == [0] * len(level.claims)


def every_runtime_is_within_its_request(grove: tree_generator.Grove) -> None:
    limited = grove.demand().limited
    maxima = {quota.name: quota.max for quota in grove.quotas}
    for name, runtime in grove.runtimes().items():
        for key, amount in runtime.items():
            assert amount >= 0
            if name != grove.tree.root:
                assert amount <= limited[name].get(key, 0)
            assert amount <= maxima.get(name, {}).get(key, amount)
    for name, runtime in grove.own_runtimes().items():
        for key, amount in runtime.items():
            assert 0 <= amount <= grove.runtimes()[name][key]


@given(tree_generator.groves())
def test_every_runtime_is_within_the_limited_request(grove: tree_generator.Grove) -> None:
    every_runtime_is_within_its_request(grove)


@effort.one_in(10)
@given(tree_generator.big_groves())
def test_every_runtime_of_a_big_tree_is_within_the_limited_request(
    grove: tree_generator.Grove,
) -> None:
    every_runtime_is_within_its_request(grove)
