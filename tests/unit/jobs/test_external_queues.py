"""A job is in the queue of another system if a label of it says so."""

from typing import Any

import pytest

from elasticquota.jobs import external_queues


OTHER = "example.com/queue"


def _claimed(labels: Any) -> bool:
    document = {"metadata": {"labels": labels}}
    return external_queues.claimed(document, [*external_queues.KNOWN, OTHER])


@pytest.mark.parametrize("label", [external_queues.KUEUE, OTHER])
def test_a_job_with_the_label_is_in_that_queue(label: str) -> None:
    assert _claimed({"app": "web", label: "research"})


def test_a_label_that_is_not_asked_for_is_any_label() -> None:
    document = {"metadata": {"labels": {external_queues.KUEUE: "research"}}}
    assert not external_queues.claimed(document, [])


@pytest.mark.parametrize(
    "labels", [None, {}, "text", ["list"], {"app": "web"}, {OTHER: ""}, {OTHER: 7}, {OTHER: None}]
)
def test_a_job_without_a_queue_in_the_label_is_in_none(labels: Any) -> None:
    assert not _claimed(labels)
