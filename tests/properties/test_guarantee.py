"""Law: a guarantee that can be kept is kept, at every quota of the tree.

The guarantee theorem (semantics 4, algorithm 4): when the mins of the first level fit
the total (verdicts see to it that children's fit their parent's) and no max is below its min,
nobody gets less than min(limited request, min). Koordinator's scaled min breaks it (algorithm
4.1, case 1).
"""

from hypothesis import given

import effort
import levels
import tree_generator


@given(levels.levels() | levels.wide_levels())
def test_where_guarantees_fit_each_is_kept(level: levels.Level) -> None:
    if level.fits:
        assert all(
            share >= min(claim.hi, claim.min)
            for share, claim in zip(level.shares(), level.claims, strict=True)
        )


def everybody_has_its_guarantee(grove: tree_generator.Grove) -> None:
    limited, found = grove.demand().limited, grove.runtimes()
    for name in grove.tree.order[1:]:
        for key, held in grove.min_of(name).items():
            assert found[name][key] >= min(limited[name].get(key, 0), held)


@given(tree_generator.groves())
def test_nobody_gets_less_than_its_guarantee(grove: tree_generator.Grove) -> None:
    everybody_has_its_guarantee(grove.with_room_for_guarantees())


@effort.one_in(10)
@given(tree_generator.big_groves())
def test_nobody_in_a_big_tree_gets_less_than_its_guarantee(grove: tree_generator.Grove) -> None:
    everybody_has_its_guarantee(grove.with_room_for_guarantees())


@given(tree_generator.groves())
def test_who_does_not_lend_has_its_min_whatever_it_asks_for(grove: tree_generator.Grove) -> None:
    found = grove.with_room_for_guarantees()
    for quota in grove.quotas:
        path = grove.forest.path(quota.name)[:-1]
        keeps = all(not other.allow_lent for other in grove.quotas if other.name in path)
        if keeps:
            for key, held in grove.min_of(quota.name).items():
                assert found.runtimes()[quota.name][key] >= held
