"""Law: no envy by weight. Who got less than a sibling, above its floor and per weight, is full.

Exactly, with the rounding that whole units need: while i wants more, the last unit that j got was
due no later than the next one of i, (2 b_j - 1) / w_j <= (2 a_i + 1) / w_i, where a and b are units
above the floors; and strictly earlier where i stands before j. Where the guarantees do not fit,
the floors are 0, the rims are the guarantees, and min is the weight. Semantics 4; algorithm
1.4.
"""

from collections.abc import Sequence

from hypothesis import given

import effort
import levels
import oracle
import tree_generator


def nobody_envies(level: levels.Level, found: Sequence[int]) -> None:
    for i, mine in enumerate(level.claims):
        rim = mine.hi if level.fits else mine.lo
        width = mine.weight if level.fits else mine.min
        if found[i] == rim or not width:
            continue
        next_unit = 2 * (found[i] - (mine.lo if level.fits else 0)) + 1
        for j, theirs in enumerate(level.claims):
            got = found[j] - (theirs.lo if level.fits else 0)
            their_width = theirs.weight if level.fits else theirs.min
            if got > 0:
                assert their_width > 0
                assert (2 * got - 1) * width - (i < j) < next_unit * their_width + (i > j)


@given(levels.levels() | levels.wide_levels(60))
def test_nobody_envies_a_sibling(level: levels.Level) -> None:
    nobody_envies(level, level.shares())


def no_quota_envies_its_sibling(grove: tree_generator.Grove) -> None:
    limited, found = grove.demand().limited, grove.runtimes()
    quotas = {quota.name: quota for quota in grove.quotas}
    for parent, children in grove.tree.children.items():
        siblings = [child for child in children if child in quotas]
        for key, there_is in found[parent].items():
            claims = tuple(
                oracle.Claim(
                    limited[name].get(key, 0),
                    grove.min_of(name).get(key, 0),
                    (quotas[name].shared_weight or {})[key],
                )
                for name in siblings
            )
            nobody_envies(levels.Level(there_is, claims), [found[name][key] for name in siblings])


@given(tree_generator.groves(weighted=True))
def test_no_quota_envies_its_sibling(grove: tree_generator.Grove) -> None:
    no_quota_envies_its_sibling(grove.with_pods_in_leaves())


@effort.one_in(10)
@given(tree_generator.big_groves(weighted=True, most=300))
def test_no_quota_of_a_big_tree_envies_its_sibling(grove: tree_generator.Grove) -> None:
    no_quota_envies_its_sibling(grove.with_pods_in_leaves())
