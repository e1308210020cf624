"""Law: a name is a name: what a quota is called, where it lives and how old it is move no unit.

Names are compared only to put siblings in an order that is the
same every time, and that order decides who has a last unit that two can claim equally.
"""

import random
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

import effort
import levels
import tree_generator
from elasticquota import names
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota


def renamed(grove: tree_generator.Grove, new: dict[str, str]) -> tree_generator.Grove:
    """The same grove where every quota has another name, namespace and uid."""

    def rename(quota: Quota) -> Quota:
        name = new[quota.name]
        return replace(
            quota, key=Key(f"of-{name}", name), parent=new.get(quota.parent, quota.parent)
        )

    own = {new[name]: asked for name, asked in grove.own.items()}
    return tree_generator.Grove(tuple(map(rename, grove.quotas)), own, grove.available)


def other_names_move_nothing(grove: tree_generator.Grove, dice: random.Random) -> None:
    """New names in the old order, some of them before the default quota's."""
    old = sorted(quota.name for quota in grove.quotas)
    numbers = dice.sample(range(2**40), len(old))
    fresh = sorted(f"{dice.choice('azé中')}{number}" for number in numbers)
    new = dict(zip(old, fresh, strict=True))
    before, after = grove.runtimes(), renamed(grove, new).runtimes()
    for name, runtime in before.items():
        assert after[new.get(name, name)] == runtime


@given(tree_generator.groves(), levels.DICE)
def test_other_names_in_the_same_order_move_nothing(
    grove: tree_generator.Grove, dice: random.Random
) -> None:
    other_names_move_nothing(grove, dice)


@effort.one_in(10)
@given(tree_generator.big_groves(), levels.DICE)
def test_other_names_in_the_same_order_move_nothing_in_a_big_tree(
    grove: tree_generator.Grove, dice: random.Random
) -> None:
    other_names_move_nothing(grove, dice)


@given(tree_generator.groves(), levels.DICE)
def test_other_ages_move_nothing_while_every_guarantee_is_accepted(
    grove: tree_generator.Grove, dice: random.Random
) -> None:
    ages = [f"2026-01-{day:02}T00:00:00Z" for day in range(1, len(grove.quotas) + 1)]
    dice.shuffle(ages)
    reborn = dict(zip((quota.name for quota in grove.quotas), ages, strict=True))
    aged = grove.with_quotas(lambda quota: replace(quota, created=reborn[quota.name]))
    if set(grove.verdicts().values()) | set(aged.verdicts().values()) == {"Accepted"}:
        assert aged.runtimes() == grove.runtimes()


@given(tree_generator.groves(), st.sampled_from(tree_generator.RESOURCES))
def test_a_resource_that_nobody_names_is_as_one_of_which_there_is_none(
    grove: tree_generator.Grove, key: str
) -> None:
    """An absent amount is 0: in min, in requests and in what there is."""
    padded = tree_generator.Grove(
        tuple(replace(quota, min={key: 0, **quota.min}) for quota in grove.quotas),
        {name: {key: 0, **asked} for name, asked in grove.own.items()},
        {key: 0, **grove.available},
    )
    before, after = grove.runtimes(), padded.runtimes()
    assert names.ROOT_QUOTA in before
    for name, runtime in before.items():
        assert {key: 0, **after[name]} == {key: after[name].get(key, 0), **runtime}
