"""A Queue is read as other systems write it, and its status lists who stands where (Q16)."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import json_values
from elasticquota.model.key import Key
from elasticquota.wire.codec.metadata import SpecManifest
from elasticquota.wire.integrations import job_queues
from elasticquota.wire.integrations.job_queues import JobPosition, JobQueue


def _read(spec: Any) -> JobQueue:
    document = {"metadata": {"name": "q", "namespace": "kube-queue"}, "spec": spec}
    return job_queues.read(msgspec.convert(document, SpecManifest))


def test_seed_002_queue_policies_and_priorities_are_read() -> None:
    found = _read({"queuePolicy": "FIFO", "priority": 100, "priorityClassName": "high-priority"})
    assert found.key == Key("kube-queue", "q")
    assert (found.policy, found.priority, found.priority_class) == ("FIFO", 100, "high-priority")
    assert found.faults == ()


def test_what_is_not_said_is_the_usual() -> None:
    found = _read(None)
    assert (found.policy, found.priority, found.priority_class) == ("Priority", None, "")


BAD: list[tuple[Any, str]] = [
    (
        {"queuePolicy": "Lifo"},
        "spec.queuePolicy: must be one of FIFO, Priority, Block, Intelligent, got 'Lifo'",
    ),
    (
        {"queuePolicy": []},
        "spec.queuePolicy: must be one of FIFO, Priority, Block, Intelligent, got a list",
    ),
    ({"priority": "1"}, "spec.priority: must be a number of 32 bits, got '1'"),
    ({"priority": 2**31}, "spec.priority: must be a number of 32 bits, got 2147483648"),
    ({"priorityClassName": 3}, "spec.priorityClassName: must be a name, got 3"),
    ([], "spec: must be a map, got a list"),
]


@pytest.mark.parametrize(("spec", "fault"), BAD)
def test_what_cannot_be_read_is_as_if_it_were_not_there(spec: Any, fault: str) -> None:
    found = _read(spec)
    assert (found.policy, found.priority, found.priority_class) == ("Priority", None, "")
    assert tuple(map(str, found.faults)) == (fault,)


@given(
    st.sampled_from(["queuePolicy", "priority", "priorityClassName", "admissionChecks"]),
    json_values.JSON,
)
def test_any_value_of_any_field_gives_a_queue(field: str, value: Any) -> None:
    assert _read({field: value}).policy in job_queues.POLICIES


def test_what_is_written_reads_back() -> None:
    key = Key("kube-queue", "root-algorithm-video")
    written = job_queues.manifest(key, "Block", {"elasticquota.dev/source": "root/algorithm/video"})
    found = job_queues.read(msgspec.convert(written, SpecManifest))
    assert (found.key, found.policy, found.faults) == (key, "Block", ())
    assert written["apiVersion"] == "scheduling.x-k8s.io/v1alpha1"
    assert written["metadata"]["annotations"] == {"elasticquota.dev/source": "root/algorithm/video"}


def test_the_status_lists_jobs_with_their_places() -> None:
    places = [JobPosition(Key("video", "a"), 100, 1), JobPosition(Key("video", "b"), 0, 2)]
    assert job_queues.status("active", places) == {
        "queueItemDetails": {
            "active": [
                {"name": "a", "namespace": "video", "priority": 100, "position": 1},
                {"name": "b", "namespace": "video", "priority": 0, "position": 2},
            ]
        }
    }
