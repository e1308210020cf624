"""Which quota a job names on itself, and where its pod templates are."""

from typing import Any

import pytest

from elasticquota import names
from elasticquota.jobs import named_quota, paths
from elasticquota.jobs.kinds import table
from elasticquota.jobs.named_quota import NOTHING, NamedQuota
from elasticquota.model.fault import Fault


OURS, ALIBABA, ASI = names.QUOTA_NAME, *names.QUOTA_ALIASES


@pytest.mark.parametrize(
    ("labels", "annotations", "found"),
    [
        ({}, {}, NOTHING),
        ({OURS: ""}, {names.QUEUE_NAME: ""}, NOTHING),
        ({ASI: "a"}, {}, NamedQuota("a", f"metadata.labels[{ASI}]")),
        ({ALIBABA: "a", ASI: "b"}, {}, NamedQuota("a", f"metadata.labels[{ALIBABA}]")),
        ({OURS: "a", ALIBABA: "b"}, {}, NamedQuota("a", f"metadata.labels[{OURS}]")),
        (
            {names.QUEUE_NAME: "a"},
            {},
            NamedQuota("a", "metadata.labels[kube-queue/queue-name]", is_queue=True),
        ),
        (
            {names.QUEUE_NAME: "b"},
            {names.QUEUE_NAME: "a"},
            NamedQuota("a", "metadata.annotations[kube-queue/queue-name]", is_queue=True),
        ),
    ],
)
def test_labels_name_the_quota_and_an_annotation_or_label_the_queue(
    labels: dict[str, str], annotations: dict[str, str], found: NamedQuota
) -> None:
    faults: list[Fault] = []
    assert named_quota.named(labels, annotations, faults) == found
    assert faults == []


def test_a_queue_of_another_quota_is_a_fault() -> None:
    faults: list[Fault] = []
    named_quota.named({ASI: "mine"}, {names.QUEUE_NAME: "theirs"}, faults)
    assert [*map(str, faults)] == [
        "metadata.annotations[kube-queue/queue-name]: 'theirs' is not the queue of quota 'mine', "
        f"which metadata.labels[{ASI}] names; a queue has its name, so leave either out"
    ]


def test_templates_are_found_with_their_pointers_whatever_else_is_there() -> None:
    ray = next(each for each in table.BUILT_IN if each.kind == "RayJob")
    group: Any = {"template": {"spec": {}}}
    spec = {"rayClusterSpec": {"headGroupSpec": group, "workerGroupSpecs": [{}, group, 7, None]}}
    pointers = [where for where, _ in named_quota.templates({"spec": spec}, ray)]
    assert "/spec/rayClusterSpec/headGroupSpec/template" in pointers
    assert "/spec/rayClusterSpec/workerGroupSpecs/1/template" in pointers
    odds: list[Any] = [None, 7, [], {"spec": []}, {"spec": {"rayClusterSpec": "x"}}]
    for odd in odds:
        assert list(named_quota.templates(odd, ray)) == []


def test_a_pointer_escapes_what_a_key_may_hold() -> None:
    found = list(paths.pointers({"spec": {"a/b~c": {"t": 1}}}, "spec.*.t"))
    assert found == [("/spec/a~1b~0c/t", 1)]
