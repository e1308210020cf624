"""Law: the unit does not matter: bytes or kibibytes, weights in tens or in percent.

Weights times k: identical. Quantities times k: k times the share, as far as rounding allows. Each
of the two shares is within (n + 1) / 2 units of the real one (``test_real_shares``), so they are
within (k + 1)(n + 1) / 2 of each other; on the way down a tree a child differs by no more than its
parent and its own siblings' rounding. (Algorithm 4 says 2k, which holds of all but rare
levels: one wide and 40 narrow siblings go beyond.)
"""

from dataclasses import replace
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

import effort
import levels
import oracle
import tree_generator
from elasticquota.model.quota import Quota
from elasticquota.resources import Resources


FACTORS = st.sampled_from((2, 3, 10, 1000, 1024, 2**40))


@given(levels.levels() | levels.wide_levels(), FACTORS)
def test_weights_on_another_scale_move_nothing(level: levels.Level, factor: int) -> None:
    claims = tuple(replace(claim, weight=claim.weight * factor) for claim in level.claims)
    assert levels.Level(level.total, claims).shares() == level.shares()


@given(levels.levels() | levels.wide_levels(40), FACTORS)
def test_smaller_units_give_the_same_shares_but_for_rounding(
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


def weights_on_another_scale_move_nothing(grove: tree_generator.Grove, factor: int) -> None:
    heavier = grove.with_quotas(
        lambda quota: replace(quota, shared_weight=scaled(quota.shared_weight or {}, factor))
    )
    assert heavier.runtimes() == grove.runtimes()


@given(tree_generator.groves(weighted=True), FACTORS)
def test_weights_of_a_tree_on_another_scale_move_nothing(
    grove: tree_generator.Grove, factor: int
) -> None:
    weights_on_another_scale_move_nothing(grove.with_pods_in_leaves(), factor)


@effort.one_in(10)
@given(tree_generator.big_groves(weighted=True), FACTORS)
def test_weights_of_a_big_tree_on_another_scale_move_nothing(
    grove: tree_generator.Grove, factor: int
) -> None:
    weights_on_another_scale_move_nothing(grove.with_pods_in_leaves(), factor)


@given(tree_generator.groves(), FACTORS)
def test_smaller_units_give_the_same_runtimes_but_for_rounding(
    grove: tree_generator.Grove, factor: int
) -> None:
    def finer(quota: Quota) -> Quota:
        weight = None if quota.shared_weight is None else scaled(quota.shared_weight, factor)
        return replace(
            quota,
            min=scaled(quota.min, factor),
            max=scaled(quota.max, factor),
            shared_weight=weight,
        )

    fine = tree_generator.Grove(
        grove.with_quotas(finer).quotas,
        {name: scaled(own, factor) for name, own in grove.own.items()},
        scaled(grove.available, factor),
    )
    allowed = {grove.tree.root: Fraction(0)}
    for parent in grove.tree.order:
        siblings = len(grove.tree.children[parent]) + 1  # the parent's own pods
        rounding = Fraction((factor + 1) * (siblings + 1), 2)
        allowed.update(dict.fromkeys(grove.tree.children[parent], allowed[parent] + rounding))
        for key, amount in grove.runtimes()[parent].items():
            assert abs(fine.runtimes()[parent][key] - factor * amount) <= allowed[parent]
