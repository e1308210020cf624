"""Law: translation of other systems' objects is total, independent of order, and stable.

Any stored object gives quotas or a condition. The webhook's rules and the controller accept the
result, and what ``import`` prints is read back as the same quotas.
"""

import random
from typing import Any

from hypothesis import given

import foreign_objects
import levels
import translations
from elasticquota import names
from elasticquota.integrations.translation import assembly
from elasticquota.integrations.translation.translation import Draft, Path
from translation_laws import meaning, order_decides_nothing, shuffled, what_comes_out_is_good


Objects = list[Any]


@given(foreign_objects.TREES)
def test_any_trees_give_quotas_that_are_accepted(trees: Objects) -> None:
    what_comes_out_is_good(translations.of_ack(*trees))


@given(foreign_objects.LIMITS)
def test_any_capacity_quotas_give_quotas_that_are_accepted(limits: Objects) -> None:
    what_comes_out_is_good(translations.of_capacity(*limits))


@given(foreign_objects.HARD)
def test_any_resource_quotas_give_quotas_that_are_accepted(hard: Objects) -> None:
    what_comes_out_is_good(translations.of_resource_quotas(*hard))


@given(foreign_objects.CONFIGS, foreign_objects.SPACES)
def test_any_queues_give_quotas_that_are_accepted(config: Any, spaces: Objects) -> None:
    what_comes_out_is_good(translations.of_yunikorn(config, *spaces))


@given(foreign_objects.TREES, levels.DICE)
def test_the_order_of_trees_nodes_and_namespaces_changes_nothing(
    trees: Objects, dice: random.Random
) -> None:
    order_decides_nothing(translations.of_ack, trees, dice)


@given(foreign_objects.LIMITS, levels.DICE)
def test_the_order_of_capacity_quotas_changes_nothing(limits: Objects, dice: random.Random) -> None:
    order_decides_nothing(translations.of_capacity, limits, dice)


@given(foreign_objects.HARD, levels.DICE)
def test_the_order_of_resource_quotas_changes_nothing(hard: Objects, dice: random.Random) -> None:
    order_decides_nothing(translations.of_resource_quotas, hard, dice)


@given(foreign_objects.CONFIGS, foreign_objects.SPACES, levels.DICE)
def test_the_order_of_queues_and_namespaces_changes_nothing(
    config: Any, spaces: Objects, dice: random.Random
) -> None:
    found = meaning(translations.of_yunikorn(config, *spaces))
    other = translations.of_yunikorn(shuffled(config, dice), *shuffled(spaces, dice))
    assert meaning(other) == found


@given(foreign_objects.CONFIGS, foreign_objects.SPACES, foreign_objects.ASKED)
def test_any_queues_that_pods_request_give_quotas_that_are_accepted(
    config: Any, spaces: Objects, asked: Objects
) -> None:
    what_comes_out_is_good(translations.of_asked(config, asked, *spaces))


@given(foreign_objects.CONFIGS, foreign_objects.SPACES, foreign_objects.ASKED, levels.DICE)
def test_the_order_in_which_pods_request_queues_changes_nothing(
    config: Any, spaces: Objects, asked: Objects, dice: random.Random
) -> None:
    found = meaning(translations.of_asked(config, asked, *spaces))
    other = translations.of_asked(
        shuffled(config, dice), dice.sample(asked, len(asked)), *shuffled(spaces, dice)
    )
    assert meaning(other) == found


@given(foreign_objects.CONFIGS, foreign_objects.SPACES, foreign_objects.ASKED)
def test_queues_that_pods_request_change_no_other_quota(
    config: Any, spaces: Objects, asked: Objects
) -> None:
    before = translations.of_asked(config, (), *spaces)
    after = translations.of_asked(config, asked, *spaces)
    wanted = {f"yunikorn:{'.'.join(path)}" for path in asked}
    bound = {quota.name: quota.namespaces for quota in after.quotas}
    for quota in before.quotas:
        if before.origins[quota.name] not in wanted:
            assert bound.get(quota.name) == quota.namespaces


@given(foreign_objects.WILD)
def test_any_value_is_translated(wild: Any) -> None:
    for spec in (wild, {"root": wild}, {"hard": wild}, {"min": wild, "max": wild}):
        stored = {"metadata": {"name": "x", "namespace": "kube-system"}, "spec": spec}
        for translate in (
            translations.of_ack,
            translations.of_capacity,
            translations.of_resource_quotas,
        ):
            what_comes_out_is_good(translate(stored))
    for config in (wild, {"partitions": wild}, {"partitions": [{"queues": wild}]}):
        what_comes_out_is_good(translations.of_yunikorn(config))


@given(foreign_objects.TREES)
def test_amounts_that_fit_are_not_changed_again(trees: Objects) -> None:
    found = translations.of_ack(*trees)
    paths: dict[str, Path] = {names.ROOT_QUOTA: ()}
    for quota in found.quotas:
        paths[quota.name] = (*paths[quota.parent], quota.name)
    drafts = [
        Draft(paths[quota.name], "", "", "", quota.name, min=quota.min, max=quota.max)
        for quota in found.quotas
    ]
    again = assembly.build(drafts, ())
    limits = {again.origins[quota.name]: (quota.min, quota.max) for quota in again.quotas}
    assert limits == {quota.name: (quota.min, quota.max) for quota in found.quotas}
    assert again.warnings == ()
