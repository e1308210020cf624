"""Law: the unit does not matter: bytes or kibibytes, weights in tens or in percent.

Weights times k: identical. Quantities times k: k times the share, as far as rounding allows. Each
of the two shares is within (n + 1) / 2 units of the real one (``test_real_shares``), so they are
within (k + 1)(n + 1) / 2 of each other. Further down in a tree, a child differs by no more than its
parent and its own siblings' rounding. (Algorithm 4 says 2k, which holds for all but rare levels:
one wide and 40 narrow siblings exceed it.)
"""

import dataclasses
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

import effort
import levels
import oracle
import tree_generator
from elasticquota.model.quota import Quota
from elasticquota.resources import Resources
from elasticquota.structs import replace


FACTORS = st.sampled_from((2, 3, 10, 1000, 1024, 2**40))


@given(levels.levels() | levels.wide_levels(), FACTORS)
def test_weights_on_another_scale_change_no_share(level: levels.Level, factor: int) -> None:
    claims = tuple(
        dataclasses.replace(claim, weight=claim.weight * factor) for claim in level.claims
    )
    assert levels.Level(level.total, claims).shares() == level.shares()


@given(levels.levels() | levels.wide_levels(40), FACTORS)
def test_smaller_units_give_the_same_shares_except_for_rounding(
    level: levels.Level, factor: int
) -> None:
    claims = tuple(
        oracle.Claim(claim.hi * factor, claim.min * factor, claim.weight) for claim in level.claims
    )
    finer = levels.Level(level.total * factor, claims).shares()
    most = Fraction((factor + 1) * (len(claims) + 1), 2)
    assert all(
        abs(fine - factor * share) <= most
        for fine, share in zip(finer, level.shares(), strict=True)
    )


def scaled(amounts: Resources, factor: int) -> dict[str, int]:
    return {key: amount * factor for key, amount in amounts.items()}


def weights_on_another_scale_change_no_share(case: tree_generator.TreeCase, factor: int) -> None:
    heavier = case.with_quotas(
        lambda quota: replace(quota, shared_weight=scaled(quota.shared_weight or {}, factor))
    )
    assert heavier.runtimes() == case.runtimes()


@given(tree_generator.tree_cases(weighted=True), FACTORS)
def test_weights_of_a_tree_on_another_scale_change_no_share(
    case: tree_generator.TreeCase, factor: int
) -> None:
    weights_on_another_scale_change_no_share(case.with_pods_in_leaves(), factor)


@effort.one_in(10)
@given(tree_generator.big_tree_cases(weighted=True), FACTORS)
def test_weights_of_a_big_tree_on_another_scale_change_no_share(
    case: tree_generator.TreeCase, factor: int
) -> None:
    weights_on_another_scale_change_no_share(case.with_pods_in_leaves(), factor)


@given(tree_generator.tree_cases(), FACTORS)
def test_smaller_units_give_the_same_runtimes_except_for_rounding(
    case: tree_generator.TreeCase, factor: int
) -> None:
    def finer(quota: Quota) -> Quota:
        weight = None if quota.shared_weight is None else scaled(quota.shared_weight, factor)
        return replace(
            quota,
            min=scaled(quota.min, factor),
            max=scaled(quota.max, factor),
            shared_weight=weight,
        )

    fine = tree_generator.TreeCase(
        case.with_quotas(finer).quotas,
        {name: scaled(own, factor) for name, own in case.own.items()},
        scaled(case.available, factor),
    )
    allowed = {case.tree.root: Fraction(0)}
    for parent in case.tree.order:
        siblings = len(case.tree.children[parent]) + 1  # the parent's own pods
        rounding = Fraction((factor + 1) * (siblings + 1), 2)
        allowed.update(dict.fromkeys(case.tree.children[parent], allowed[parent] + rounding))
        for key, amount in case.runtimes()[parent].items():
            assert abs(fine.runtimes()[parent][key] - factor * amount) <= allowed[parent]
