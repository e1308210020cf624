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
    ElasticQuotaProfile,
    ProfileSpec,
    Queue,
    QueueSpec,
    QueueUnitStatus,
    QuotaSpec,
    QuotaStatus,
)
from elasticquota_api.elastic_quota_status import Evictions
from elasticquota_api.model import KubernetesObject, Model


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


def accepted(kind: type[KubernetesObject], spec: Any) -> bool:
    """Whether the model of ``kind`` takes the spec."""
    group = f"{kind.served.group}/{kind.served.version}"
    try:
        kind.read({"apiVersion": group, "kind": kind.__name__, "spec": spec})
    except pydantic.ValidationError:
        return False
    return True


GPU = {"quotaName": "gpu", "nodeSelector": {}, "pools": [{"name": "a", "nodeLabels": {}}]}
READERS: dict[type[KubernetesObject], tuple[Reader, dict[str, Any]]] = {
    ElasticQuota: (quota, {}),
    ElasticQuotaProfile: (profile, GPU),
    Queue: (queue, {}),
}
"""Of each kind its reader, and a spec that both take."""


def labels(count: int) -> dict[str, str]:
    """As many labels."""
    return {f"a{number}": "b" for number in range(count)}


def requirement(operator: str) -> dict[str, Any]:
    """A requirement of a selector."""
    return {"key": "a", "operator": operator, "values": ["b"] if operator == "In" else []}


def pools_of(count: int) -> list[dict[str, Any]]:
    """As many pools."""
    return [{"name": f"p{each}", "nodeLabels": {"x": str(each)}} for each in range(count)]


ELASTIC = {"mode": "Elastic", "max": {"cpu": 20, "memory": "80Gi"}}
NAMESPACES: list[Any] = [
    *([each] for each in ("*", "a", "A", "", "a b", "a/b", "a" * 63, "a" * 64, 5)),
    *([], ["a"] * 1024, ["a"] * 1025, "a", {}),
]
SIDES = ("min", "max")
KEYS = (f"{'a' * 253}/{'b' * 63}", f"{'a' * 254}/{'b' * 63}", "")
VALUES: list[tuple[type[KubernetesObject], str, list[Any]]] = [
    (ElasticQuota, "min", [{"cpu": 1}, {"cpu": "500m"}, {"cpu": "x"}, []]),
    (ElasticQuota, "parent", ["dept", "a.b_C", "a" * 63, "a" * 64, "", "-a", "a b", "a\n"]),
    (ElasticQuota, "max", [{"cpu": "9e24"}, {"cpu": "9e25"}, {"cpu": []}, {"cpu": "1" * 65}]),
    (
        ElasticQuota,
        "pools",
        [
            *([{"name": name}] for name in ("a", "a" * 63, "a" * 64, "A", "", "-a", 5)),
            *([{"name": "a", side: {"cpu": each}}] for side in SIDES for each in (1, "x", "9e25")),
            [{"name": "a", "min": {str(each): 1 for each in range(16)}}],
            [{"name": "a", "min": {str(each): 1 for each in range(17)}}],
            [{"name": f"a{each}"} for each in range(32)],
            [{"name": f"a{each}"} for each in range(33)],
            *([{}], [{"name": "a", "low": {}}], ["a"], "a", {}, []),
        ],
    ),
    *(
        (ElasticQuota, "access", [{whose: each} for each in NAMESPACES] + [{"pod": ["a"]}])
        for whose in ("pods", "children")
    ),
    (
        ElasticQuota,
        "queue",
        [
            {"policy": "Strict", "order": "Age", "applications": "Fair"},
            *({field: "strict"} for field in ("policy", "order", "applications")),
            {"policy": True},
        ],
    ),
    (
        ElasticQuota,
        "reclaim",
        [
            *({"grace": found} for found in ("0s", "1h0m5s7ms", "24h", "25h", "30", "", "s", 30)),
            *({"grace": found} for found in ("999999h", "9999999h", "-1s", "1.5h", "Never")),
            *({"overMaxDelay": found} for found in ("5m", "Never", "never", "5d", 5)),
            *({"preemption": found} for found in ("Fence", "fence", "")),
        ],
    ),
    (
        ElasticQuota,
        "limits",
        [
            *({"applications": found} for found in (0, 9, -1, 1.5, True, "9")),
            {"people": [{"users": ["ann", "*"], "groups": ["a b"], "max": {"cpu": 1}}]},
            *({"people": [{"users": ["a"]}] * count} for count in (256, 257)),
            *({"people": [{"users": ["a"] * count}]} for count in (4096, 4097)),
            *({"people": [{"users": [found]}]} for found in ("a" * 256, "a" * 257, "", "a\n", 5)),
            *(
                {"people": [{"users": ["a"], "max": {"cpu": found}}]}
                for found in (1, -1, "1", "-1")
            ),
            {"people": [{"users": ["a"], "min": {}}]},
            {"limits": []},
        ],
    ),
    (
        ElasticQuota,
        "nodeSelector",
        [
            {"gpu": ["a100", "v100"], "nvidia.com/gpu.product": [""]},
            {"gpu": []},
            {"gpu": "a"},
            *({"gpu": [found]} for found in ("a b", "a" * 63, "a" * 64, 5)),
            *({"gpu": ["a"] * count} for count in (256, 257)),
            *({key: ["b"] for key in labels(count)} for count in (64, 65)),
        ],
    ),
    (ElasticQuota, "tree", [{}, {"capacity": {"mode": "Nodes"}}, {"capacity": {"mode": "x"}}]),
    *((ElasticQuota, field, [True, False, "true", 1]) for field in ("isParent", "lends")),
    (
        ElasticQuota,
        "namespaces",
        [[], ["team"], ["*"], "team", [5], ["a" * 64], *(["a"] * count for count in (512, 513))],
    ),
    (
        ElasticQuota,
        "weight",
        [
            *({"cpu": each} for each in (1, "2", "500m", "9e24", "9e25", "x", True)),
            {},
            [],
            *({f"r{n}": 1 for n in range(count)} for count in (64, 65)),
        ],
    ),
    (ElasticQuota, "paused", [True, False, "true"]),
    (
        ElasticQuotaProfile,
        "capacity",
        [
            {"mode": "Nodes"},
            *({"mode": "Declared", "total": {"cpu": each}} for each in (1, "9e24", "9e25", -1)),
            *({**ELASTIC, "scaleUpTimeout": each} for each in ("1h30m", "900", "-1m", "5", 60)),
            *({**ELASTIC, "largestNode": each} for each in ({"cpu": "8"}, {}, {"cpu": "-8"})),
            {"total": {"cpu": 1}},
            {"mode": "elastic"},
        ],
    ),
    (
        ElasticQuotaProfile,
        "pools",
        [
            [],
            *([{"name": each, "nodeLabels": {}}] for each in ("a", "a" * 63, "a" * 64, "", "A.1")),
            *([{"name": "a", "nodeLabels": labels(count)}] for count in (16, 17)),
            *([{"name": "a", "nodeLabels": {"x": each}}] for each in ("", "b" * 64, "b c", 5)),
            *(pools_of(count) for count in (32, 33)),
            [{"name": "a"}],
            [{"name": "a", "nodeLabels": {}, "nodelabels": {}}],
        ],
    ),
    (
        ElasticQuotaProfile,
        "poolResources",
        [
            ["cpu", "nvidia.com/gpu"],
            *([each] for each in ("a" * 63, "a" * 64, "A b", "")),
            *([f"r{each}" for each in range(count)] for count in (64, 65)),
            [],
        ],
    ),
    (
        ElasticQuotaProfile,
        "resourceKeys",
        [
            [],
            *([each] for each in (*KEYS, "nvidia.com/gpu", "a" * 63, "a" * 64, "A b", "", None)),
            *([f"r{each}" for each in range(count)] for count in (64, 65)),
        ],
    ),
    (ElasticQuotaProfile, "enforcement", ["Enforce", "Observe", "observe", "", {}]),
    (ElasticQuotaProfile, "guaranteeUsage", [True, False, "true"]),
    (
        ElasticQuotaProfile,
        "provisioning",
        [
            {},
            *({"className": each} for each in ("", "a.b-c", "a" * 253, "a" * 254, "A b", ".", 5)),
            *({"timeout": each} for each in ("10m", "25h", "30", 30)),
            {"class": "a"},
        ],
    ),
    (ElasticQuotaProfile, "quotaName", ["a", "a" * 63, "a" * 64, ""]),
    (
        ElasticQuotaProfile,
        "nodeSelector",
        [
            *({"matchLabels": found} for found in (labels(64), labels(65), {"a": "b" * 64})),
            {"matchLabels": []},
            *({"matchExpressions": [requirement(each)]} for each in ("In", "Exists", "Is")),
            *({"matchExpressions": [requirement("Exists")] * count} for count in (64, 65)),
            *(
                {"matchExpressions": [{**requirement("In"), "values": ["b"] * n}]}
                for n in (256, 257)
            ),
            *({"matchExpressions": [{**requirement("Exists"), "key": key}]} for key in KEYS),
            {"matchExpressions": {}},
        ],
    ),
    (
        ElasticQuotaProfile,
        "quotaLabels",
        [labels(64), labels(65), {"a": "b" * 63}, {"a": "b" * 64}, {"a": {}}],
    ),
    (ElasticQuotaProfile, "resourceRatio", ["0.5", f"0.{'5' * 14}", f"0.{'5' * 15}"]),
    (Queue, "queuePolicy", [*job_queues.POLICIES, "Lifo"]),
    (Queue, "priority", [2**31 - 1, 2**31, -(2**31), -(2**31) - 1]),
    (Queue, "priorityClassName", ["a" * 253, "a" * 254]),
]
WRONG_TYPES = (5, 1.5, True, ["a"], [5])


@pytest.mark.parametrize(("kind", "field", "values"), VALUES)
def test_model_and_reader_agree_on_types_and_bounds(
    kind: type[KubernetesObject], field: str, values: list[Any]
) -> None:
    reader, others = READERS[kind]
    told = set()
    for value in (*values, *WRONG_TYPES):
        spec = {**others, field: value}
        assert accepted(kind, spec) == (not reader(spec)), value
        told.add(accepted(kind, spec))
    assert told == {True, False}


def test_each_field_has_values_but_those_that_are_kept_for_other_systems() -> None:
    tried = {(kind, field) for kind, field, _ in VALUES}
    specs: dict[type[KubernetesObject], type[Model]] = {
        ElasticQuota: QuotaSpec,
        ElasticQuotaProfile: ProfileSpec,
        Queue: QueueSpec,
    }
    there = {(kind, field) for kind, spec in specs.items() for field in names_of(spec)}
    assert there - tried == {(Queue, field) for field in KEPT_FOR_OTHERS}


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
