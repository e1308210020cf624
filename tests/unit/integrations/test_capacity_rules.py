"""What an ElasticQuota of capacity scheduling may say."""

from typing import Any

import pytest

from elasticquota.integrations import capacity_rules
from elasticquota.model.key import Key
from elasticquota.wire.codec.metadata import ObjectMeta, SpecManifest
from elasticquota.wire.integrations import capacity_quotas
from elasticquota.wire.integrations.capacity_quotas import CapacityQuota


def quota(low: Any = None, high: Any = None) -> CapacityQuota:
    spec = {"min": low, "max": high}
    return capacity_quotas.read(SpecManifest(ObjectMeta("quota", "team"), spec))


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (
            {"cpu": "5", "memory": "1Gi"},
            {"cpu": "4", "memory": "1G"},
            [
                "spec.min.cpu: 5 must be less than or equal to 4, its max; lower min or raise max",
                "spec.min.memory: 1Gi must be less than or equal to 1000000000, its max; "
                "lower min or raise max",
            ],
        ),
        (
            {"cpu": "-1"},
            {"memory": "much"},
            [
                "spec.min.cpu: must not be negative, got -1",
                "spec.max.memory: 'much' is not a quantity; write a number with an optional "
                "suffix like 500m, 2, 1.5, 64k or 16Gi",
            ],
        ),
    ],
)
def test_seed_003_proposal_each_fault_is_reported_with_its_path_and_figures(
    low: Any, high: Any, said: list[str]
) -> None:
    assert list(map(str, capacity_rules.added(quota(low, high), None))) == said


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (None, None),
        ({}, {"cpu": 1}),
        ({"cpu": "1000m"}, {"cpu": 1}),
        # Their own controller's test has such a quota.
        ({"memory": 1000}, {"cpu": 100}),
    ],
)
def test_a_resource_that_one_of_the_two_leaves_out_is_no_fault(low: Any, high: Any) -> None:
    assert capacity_rules.added(quota(low, high), None) == ()


def test_an_edit_is_judged_by_the_faults_that_it_adds() -> None:
    stored = quota({"cpu": 5}, {"cpu": 4, "memory": 1})
    assert capacity_rules.added(quota({"cpu": 5}, {"cpu": 4, "memory": 2}), stored) == ()
    worse = capacity_rules.added(quota({"cpu": 5, "memory": 9}, {"cpu": 4, "memory": 2}), stored)
    assert [fault.path for fault in worse] == ["spec.min.memory"]


def test_seed_003_proposal_a_namespace_has_one_quota() -> None:
    new = quota()
    assert capacity_rules.second(new, []) == ()
    assert capacity_rules.second(new, [new.key]) == (), "its own key: it is created again"
    (fault,) = map(str, capacity_rules.second(new, [Key("team", "second"), Key("team", "first")]))
    assert fault == (
        "metadata.namespace: one quota counts in a namespace, and team has first; edit that one, "
        "or delete it first"
    )
