"""Law: every guarantee that can be kept is kept, at every quota of the tree.

The guarantee theorem (semantics 4, algorithm 4): when the mins of the first level fit the total
(verdicts ensure that children's mins fit their parent's) and no max is below its min, every quota
gets at least min(limited request, min). Koordinator's scaled min breaks it (algorithm 4.1, case 1).
"""

from hypothesis import given

import effort
import levels
import tree_generator


@given(levels.levels() | levels.wide_levels())
def test_guarantees_that_fit_are_kept(level: levels.Level) -> None:
    if level.fits:
        assert all(
            share >= min(claim.hi, claim.min)
            for share, claim in zip(level.shares(), level.claims, strict=True)
        )


def every_quota_has_its_guarantee(case: tree_generator.TreeCase) -> None:
    limited, found = case.demand().limited, case.runtimes()
    for name in case.tree.order[1:]:
        for key, held in case.min_of(name).items():
            assert found[name][key] >= min(limited[name].get(key, 0), held)


@given(tree_generator.tree_cases())
def test_no_quota_gets_less_than_its_guarantee(case: tree_generator.TreeCase) -> None:
    every_quota_has_its_guarantee(case.with_room_for_guarantees())


@effort.one_in(10)
@given(tree_generator.big_tree_cases())
def test_no_quota_of_a_big_tree_gets_less_than_its_guarantee(case: tree_generator.TreeCase) -> None:
    every_quota_has_its_guarantee(case.with_room_for_guarantees())


@given(tree_generator.tree_cases())
def test_a_quota_that_does_not_lend_has_its_min_whatever_it_requests(
    case: tree_generator.TreeCase,
) -> None:
    found = case.with_room_for_guarantees()
    for quota in case.quotas:
        path = case.forest.path(quota.name)[:-1]
        keeps = all(not other.allow_lent for other in case.quotas if other.name in path)
        if keeps:
            for key, held in case.min_of(quota.name).items():
                assert found.runtimes()[quota.name][key] >= held
