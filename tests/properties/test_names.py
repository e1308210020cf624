"""Law: name, namespace and age of a quota change no share.

Names are compared only to put siblings in an order that is always the same. The order decides which
of two equal claims gets the last unit.
"""

import random

from hypothesis import given
from hypothesis import strategies as st

import effort
import levels
import tree_generator
from elasticquota import names
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.structs import replace


def renamed(case: tree_generator.TreeCase, new: dict[str, str]) -> tree_generator.TreeCase:
    """The same tree where every quota has another name, namespace and uid."""

    def rename(quota: Quota) -> Quota:
        name = new[quota.name]
        return replace(
            quota, key=Key(f"of-{name}", name), parent=new.get(quota.parent, quota.parent)
        )

    own = {new[name]: asked for name, asked in case.own.items()}
    return tree_generator.TreeCase(tuple(map(rename, case.quotas)), own, case.available)


def other_names_change_no_share(case: tree_generator.TreeCase, dice: random.Random) -> None:
    """New names in the old order, some of them before the default quota's."""
    old = sorted(quota.name for quota in case.quotas)
    numbers = dice.sample(range(2**40), len(old))
    fresh = sorted(f"{dice.choice('azé中')}{number}" for number in numbers)
    new = dict(zip(old, fresh, strict=True))
    before, after = case.runtimes(), renamed(case, new).runtimes()
    for name, runtime in before.items():
        assert after[new.get(name, name)] == runtime


@given(tree_generator.tree_cases(), levels.DICE)
def test_other_names_in_the_same_order_change_no_share(
    case: tree_generator.TreeCase, dice: random.Random
) -> None:
    other_names_change_no_share(case, dice)


@effort.one_in(10)
@given(tree_generator.big_tree_cases(), levels.DICE)
def test_other_names_in_the_same_order_change_no_share_in_a_big_tree(
    case: tree_generator.TreeCase, dice: random.Random
) -> None:
    other_names_change_no_share(case, dice)


@given(tree_generator.tree_cases(), levels.DICE)
def test_other_ages_change_no_share_while_every_guarantee_is_accepted(
    case: tree_generator.TreeCase, dice: random.Random
) -> None:
    ages = [f"2026-01-{day:02}T00:00:00Z" for day in range(1, len(case.quotas) + 1)]
    dice.shuffle(ages)
    reborn = dict(zip((quota.name for quota in case.quotas), ages, strict=True))
    aged = case.with_quotas(lambda quota: replace(quota, created=reborn[quota.name]))
    if set(case.verdicts().values()) | set(aged.verdicts().values()) == {"Accepted"}:
        assert aged.runtimes() == case.runtimes()


@given(tree_generator.tree_cases(), st.sampled_from(tree_generator.RESOURCES))
def test_a_resource_that_no_quota_names_equals_one_with_amount_0(
    case: tree_generator.TreeCase, key: str
) -> None:
    """An absent amount is 0: in min, in requests and in the total."""
    padded = tree_generator.TreeCase(
        tuple(replace(quota, min={key: 0, **quota.min}) for quota in case.quotas),
        {name: {key: 0, **asked} for name, asked in case.own.items()},
        {key: 0, **case.available},
    )
    before, after = case.runtimes(), padded.runtimes()
    assert names.ROOT_QUOTA in before
    for name, runtime in before.items():
        assert {key: 0, **after[name]} == {key: after[name].get(key, 0), **runtime}
