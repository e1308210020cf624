"""Properties of YuniKorn's queues that decide about evictions (Y10, Y20, Y21)."""

from typing import Any

import pytest

import translations
from elasticquota import names
from elasticquota.integrations.translation.translation import Translation
from elasticquota.model.quota import NOT_EVER


POLICY = "preemption.policy"
DELAY = "quota.preemption.delay"
ON = {"quotapreemptionenabled": True}
TAG = {"name": "tag", "value": "namespace", "create": True}


def queue(name: str, *queues: Any, **properties: str) -> Any:
    found = {key.replace("_", "."): value for key, value in properties.items()}
    return {"name": name, "queues": list(queues), "properties": found}


def config(*queues: Any, preemption: Any = None, **root: str) -> Any:
    partition = {
        "name": "default",
        "queues": [queue("root", *queues, **root)],
        "placementrules": [TAG],
        "preemption": preemption,
    }
    return {"partitions": [partition]}


def followed(document: Any) -> Translation:
    return translations.of_asked(document, [("root", "made")], {"metadata": {"name": "space"}})


def delays(found: Translation) -> dict[str, int | None]:
    return {quota.name: quota.over_max_delay for quota in found.quotas}


def policies(found: Translation) -> dict[str, str]:
    return {quota.name: quota.preemption for quota in found.quotas}


def made(found: Translation) -> str:
    return next(quota.name for quota in found.quotas if quota.name.startswith("root-made"))


def test_what_exceeds_a_lowered_max_of_a_followed_queue_is_never_reclaimed_by_default() -> None:
    found = followed(config(queue("a"), queue("b", queue("c"))))
    assert set(delays(found).values()) == {NOT_EVER}
    assert len(found.quotas) == 5


def test_it_is_where_the_partition_and_the_queue_say_so() -> None:
    document = config(
        queue("a", quota_preemption_delay="15m"),
        queue("b", queue("c"), quota_preemption_delay="1h30m"),
        queue("d", quota_preemption_delay="0"),
        preemption=ON,
    )
    found = followed(document)
    expected = {"root-a": 900_000, "root-b": 5_400_000, "root-b-c": NOT_EVER, "root-d": NOT_EVER}
    assert {name: each for name, each in delays(found).items() if name in expected} == expected
    assert delays(found)["root-space"] == NOT_EVER
    assert delays(found)[made(found)] == NOT_EVER
    assert translations.read_back(found) == found.quotas


@pytest.mark.parametrize("switch", [None, {}, {"quotapreemptionenabled": False}])
def test_the_delay_of_a_queue_alone_is_not_enough(switch: Any) -> None:
    found = followed(config(queue("a", quota_preemption_delay="15m"), preemption=switch))
    assert delays(found)["root-a"] == NOT_EVER
    assert (
        "queues.yaml: partitions[0].queues[0].queues[0].properties.quota.preemption.delay: has no "
        "effect without preemption.quotapreemptionenabled of the partition"
    ) in translations.lines(found)


def test_an_import_states_no_delay_that_the_configuration_does_not_state() -> None:
    document = config(
        queue("a", quota_preemption_delay="15m"),
        queue("b"),
        preemption=ON,
    )
    assert delays(translations.of_yunikorn(document)) == {"root-a": 900_000, "root-b": None}


def test_policies_of_queues_are_those_of_their_quotas() -> None:
    document = config(
        queue("a", preemption_policy="fence"),
        queue("b", queue("c", preemption_policy="default"), preemption_policy="Disabled"),
        queue("d"),
    )
    found = followed(document)
    expected = {
        "root-a": names.FENCE,
        "root-b": names.DISABLED,
        "root-b-c": names.DEFAULT,
        "root-d": "",
        "root-space": "",
    }
    assert {name: each for name, each in policies(found).items() if name in expected} == expected
    assert translations.read_back(found) == found.quotas


def test_what_the_root_disables_is_disabled_in_all_queues_without_a_policy() -> None:
    document = config(
        queue("a"), queue("b", preemption_policy="default"), preemption_policy="disabled"
    )
    found = followed(document)
    assert policies(found)["root-a"] == names.DISABLED
    assert policies(found)["root-b"] == names.DEFAULT
    assert policies(found)["root-space"] == names.DISABLED
    assert policies(found)[made(found)] == names.DISABLED


def test_a_partition_without_preemption_disables_it_everywhere() -> None:
    document = config(
        queue("a", preemption_policy="default"), queue("b"), preemption={"enabled": False}
    )
    assert set(policies(followed(document)).values()) == {names.DISABLED}


def test_the_sort_policy_of_a_queue_or_of_one_above_is_the_order_of_its_quota() -> None:
    document = config(
        queue("a", application_sort_policy="fair"),
        queue("b", queue("c"), queue("d", application_sort_policy="StateAware")),
        application_sort_policy="fifo",
        application_sort_priority="disabled",
    )
    found = followed(document)
    orders = {
        quota.name: (quota.application_order, quota.orders_by_priority) for quota in found.quotas
    }
    assert orders.pop(made(found)) == (names.FIFO, False)
    assert orders == {
        "root-a": (names.FAIR, False),
        "root-b": ("", True),
        "root-b-c": (names.FIFO, False),
        "root-b-d": (names.FIFO, False),
        "root-space": (names.FIFO, False),
    }
    assert translations.read_back(found) == found.quotas


PROPERTIES = "partitions[0].queues[0].queues[0].properties"


@pytest.mark.parametrize(
    ("document", "lines"),
    [
        (
            config(queue("a", quota_preemption_delay="48h"), preemption=ON),
            [f"{PROPERTIES}.{DELAY}: must be a duration of at most a day, got '48h'"],
        ),
        (
            config(queue("a", preemption_policy="fenced")),
            [f"{PROPERTIES}.{POLICY}: must be default, fence or disabled, got 'fenced'"],
        ),
        (
            config(queue("a", application_sort_policy="lifo", application_sort_priority="no")),
            [
                f"{PROPERTIES}.application.sort.policy: must be fifo or fair, got 'lifo'",
                f"{PROPERTIES}.application.sort.priority: must be enabled or disabled, got 'no'",
            ],
        ),
        (
            config(queue("a"), preemption={"enabled": "yes", "quota": True}),
            [
                "partitions[0].preemption.enabled: must be true or false, got 'yes'",
                "partitions[0].preemption.quota: is no field of preemption",
            ],
        ),
    ],
)
def test_what_cannot_be_read_is_reported_and_left_out(document: Any, lines: list[str]) -> None:
    """No usage beyond max is reclaimed, and pods are ordered one by one."""
    found = followed(document)
    assert {f"queues.yaml: {line}; left out" for line in lines} <= {*translations.lines(found)}
    assert {
        (q.over_max_delay, q.preemption, q.application_order, q.orders_by_priority)
        for q in found.quotas
    } == {(NOT_EVER, "", "", True)}
