"""The readers of controller and webhook read fields that the models have, of the same types.

The readers use msgspec, which is faster; this is why they can be a second place at all.
"""

from collections.abc import Callable
from typing import Any, get_args

import msgspec
import pydantic
import pytest

from elasticquota.jobs import phase, queue_units
from elasticquota.model.selector import Operator
from elasticquota.wire.codec.metadata import ObjectMeta, SpecManifest
from elasticquota.wire.integrations import job_queues
from elasticquota.wire.quota import profiles, quotas, reclaim_records
from elasticquota_api import (
    ElasticQuota,
    ProfileSpec,
    Queue,
    QueueSpec,
    QueueUnitStatus,
    QuotaSpec,
    QuotaStatus,
)
from elasticquota_api.elastic_quota_status import Evictions
from elasticquota_api.model import Model


class Asked(dict[str, Any]):
    """A map that notes which keys are read."""

    def __init__(self, content: dict[str, Any]) -> None:
        super().__init__(content)
        self.keys_read: set[str] = set()

    def get(self, key: str, default: Any = None) -> Any:
        """Note the key."""
        self.keys_read.add(key)
        return super().get(key, default)


Reader = Callable[[Any], tuple[str, ...]]

META = ObjectMeta("a", "b")


def quota(spec: Any) -> tuple[str, ...]:
    """What the reader of quotas finds wrong."""
    found = quotas.read(quotas.QuotaManifest(META, spec))
    return tuple(map(str, found.faults + found.warnings))


def profile(spec: Any) -> tuple[str, ...]:
    """The faults that the reader of profiles finds."""
    return tuple(map(str, profiles.read(profiles.ProfileManifest(META, spec)).faults))


def queue(spec: Any) -> tuple[str, ...]:
    """The faults that the reader of queues finds."""
    return tuple(map(str, job_queues.read(SpecManifest(META, spec)).faults))


def names_of(model: type[Model]) -> set[str]:
    """The fields as a manifest names them."""
    return {str(each.alias) for each in model.model_fields.values()}


KEPT_FOR_OTHERS = {"admissionChecks"}
"""The fields of our definitions that other systems read, and we do not."""


@pytest.mark.parametrize(
    ("reader", "spec"), [(quota, QuotaSpec), (profile, ProfileSpec), (queue, QueueSpec)]
)
def test_a_reader_reads_all_fields_of_the_model_and_no_other(
    reader: Reader, spec: type[Model]
) -> None:
    asked = Asked({})
    reader(asked)
    assert asked.keys_read == names_of(spec) - KEPT_FOR_OTHERS


def accepted(spec: Any) -> bool:
    """Whether the model of a queue takes the spec."""
    group = f"{Queue.served.group}/{Queue.served.version}"
    try:
        Queue.read({"apiVersion": group, "kind": "Queue", "spec": spec})
    except pydantic.ValidationError:
        return False
    return True


VALUES: dict[str, list[Any]] = {
    "queuePolicy": [*job_queues.POLICIES, "Lifo"],
    "priority": [2**31 - 1, 2**31, -(2**31), -(2**31) - 1],
    "priorityClassName": ["a" * 253, "a" * 254],
}
"""Of the fields of a queue; those of quotas and profiles follow from their schema."""
WRONG_TYPES = (5, 1.5, True, ["a"], [5])


@pytest.mark.parametrize(("field", "values"), VALUES.items(), ids=VALUES)
def test_model_and_reader_of_a_queue_agree_on_types_and_bounds(
    field: str, values: list[Any]
) -> None:
    told = set()
    for value in (*values, *WRONG_TYPES):
        assert accepted({field: value}) == (not queue({field: value})), value
        told.add(accepted({field: value}))
    assert told == {True, False}


def test_each_field_of_a_queue_has_values_but_those_that_are_kept_for_other_systems() -> None:
    assert names_of(QueueSpec) - VALUES.keys() == KEPT_FOR_OTHERS


@pytest.mark.parametrize("field", ["pools", "namespaces", "weight", "tree", "limits", "access"])
def test_an_empty_list_or_map_of_a_quota_is_taken(field: str) -> None:
    assert quota({field: [] if field in ("pools", "namespaces") else {}}) == ()


@pytest.mark.parametrize("empty", [{"pools": []}, {"resourceKeys": []}, {"provisioning": {}}])
def test_an_empty_list_or_map_of_a_profile_is_taken(empty: dict[str, Any]) -> None:
    assert profile({"quotaName": "gpu", "nodeSelector": {}, **empty}) == ()


def test_the_figures_that_admission_reads_are_of_the_status() -> None:
    read = {each.encode_name for each in msgspec.structs.fields(quotas.QuotaStatusManifest)}
    assert read <= names_of(QuotaStatus)


def test_the_figures_of_a_status_are_read_as_the_model_says() -> None:
    status = {
        "used": {"cpu": "1"},
        "request": {"cpu": 2},
        "runtime": {"cpu": "3"},
        "admitted": {"cpu": "1500m"},
        "pods": {"gated": 4},
    }
    manifest = ElasticQuota(status=QuotaStatus.model_validate(status)).manifest()
    assert manifest["status"] == status
    stored = msgspec.convert(manifest, quotas.StoredQuota)
    figures = quotas.figures(stored)
    assert figures is not None
    assert (figures.used, figures.request) == ({"cpu": 1000}, {"cpu": 2000})
    assert (figures.runtime, figures.admitted) == ({"cpu": 3000}, {"cpu": 1500})
    assert quotas.waiting(stored) == 4


def test_the_words_of_a_choice_are_the_same() -> None:
    def words(model: type[Model], field: str) -> tuple[str, ...]:
        (*parts, _) = get_args(model.model_fields[field].annotation)
        return get_args(parts[0]) if parts else get_args(model.model_fields[field].annotation)

    assert words(QueueSpec, "queue_policy") == job_queues.POLICIES
    known = {*get_args(phase.Phase), *queue_units.SHOWN.values(), "Reserved"}
    assert set(words(QueueUnitStatus, "phase")) == known
    rights = get_args(Evictions.model_fields["right"].annotation)
    assert rights == tuple(reclaim_records.RIGHTS.values())
    assert get_args(Operator) == ("In", "NotIn", "Exists", "DoesNotExist")
