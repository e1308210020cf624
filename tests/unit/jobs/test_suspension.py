"""A job is held by its field or by the annotation, unless it is in the queue of another system."""

from typing import Any

import pytest

import published_jobs
from elasticquota import names, structs
from elasticquota.jobs import suspension
from elasticquota.jobs.kinds import table


ADAPTERS = {each.kind: each for each in table.BUILT_IN}
JOB = ADAPTERS["Job"]
BARE = structs.replace(JOB, suspend="")
OTHER = "example.com/queue"


def _job(suspend: Any = None, annotation: str | None = None) -> dict[str, Any]:
    document = published_jobs.of("Job")
    document["spec"]["suspend"] = suspend
    if annotation is not None:
        document["metadata"]["annotations"] = {names.SUSPEND: annotation}
    return document


# the field, the annotation, whether it is held
HELD: list[tuple[Any, str | None, bool]] = [
    (True, None, True),
    (False, None, False),
    (None, None, False),
    ("true", None, False),
    (False, "true", True),
    (True, "false", True),
    (None, "false", False),
    (None, "yes", False),
]


@pytest.mark.parametrize(("field", "annotation", "held"), HELD)
def test_either_switch_holds_it(field: Any, annotation: str | None, held: bool) -> None:
    assert suspension.is_suspended(_job(field, annotation), JOB) is held


def test_a_kind_without_a_field_goes_by_the_annotation_alone() -> None:
    assert not suspension.is_suspended(_job(True), BARE)
    assert suspension.is_suspended(_job(False, "true"), BARE)


def test_a_patch_turns_the_field_of_the_version_that_was_read() -> None:
    assert suspension.patch(_job(True), JOB, False) == {
        "metadata": {"resourceVersion": "7"},
        "spec": {"suspend": False},
    }


def test_where_the_annotation_is_there_it_is_turned_too() -> None:
    assert suspension.patch(_job(True, "true"), JOB, False) == {
        "metadata": {"resourceVersion": "7", "annotations": {names.SUSPEND: "false"}},
        "spec": {"suspend": False},
    }


def test_a_kind_without_a_field_gets_the_annotation() -> None:
    assert suspension.patch(_job(), BARE, True) == {
        "metadata": {"resourceVersion": "7", "annotations": {names.SUSPEND: "true"}},
    }


def test_an_object_of_a_file_has_no_version_to_hold_it_to() -> None:
    document = _job(True)
    del document["metadata"]["resourceVersion"]
    assert suspension.patch(document, JOB, False) == {"spec": {"suspend": False}}


@pytest.mark.parametrize("suspended", [True, False])
@pytest.mark.parametrize("annotation", [None, "true", "false"])
@pytest.mark.parametrize("kind", ADAPTERS)
def test_what_was_patched_reads_as_wanted(
    kind: str, annotation: str | None, suspended: bool
) -> None:
    document, adapter = published_jobs.of(kind), ADAPTERS[kind]
    if annotation is not None:
        document["metadata"].setdefault("annotations", {})[names.SUSPEND] = annotation
    patched = _merged(document, suspension.patch(document, adapter, suspended))
    assert suspension.is_suspended(patched, adapter) is suspended
    assert _merged(patched, suspension.patch(patched, adapter, suspended)) == patched


def _merged(document: Any, patch: Any) -> Any:
    """RFC 7386."""
    if not isinstance(patch, dict):
        return patch
    result = dict(document) if isinstance(document, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = _merged(result.get(key), value)
    return result


def _external(labels: Any) -> bool:
    document = {"metadata": {"labels": labels}}
    return suspension.is_external(document, [*suspension.EXTERNAL, OTHER])


@pytest.mark.parametrize("label", [suspension.KUEUE, OTHER])
def test_a_job_with_the_label_of_another_queue_is_external(label: str) -> None:
    assert _external({"app": "web", label: "research"})


def test_a_label_that_is_not_asked_for_is_any_label() -> None:
    document = {"metadata": {"labels": {suspension.KUEUE: "research"}}}
    assert not suspension.is_external(document, [])


@pytest.mark.parametrize(
    "labels", [None, {}, "text", ["list"], {"app": "web"}, {OTHER: ""}, {OTHER: 7}, {OTHER: None}]
)
def test_a_job_without_a_queue_in_the_label_is_ours(labels: Any) -> None:
    assert not _external(labels)
