"""Koordinator's annotations are kept on quotas; only differences are written."""

import pytest

import writer_fixture
from api_double import refusals
from api_double.waiting import until
from elasticquota import names
from elasticquota.model.decision import Decisions, QuotaStatus
from elasticquota.model.key import Key
from elasticquota_kube.client import paths
from elasticquota_operator.writers import annotation_writer
from elasticquota_operator.writers.annotation_writer import AnnotationWriter
from elasticquota_operator.writers.status_writer import StatusWriter
from writer_fixture import Scene


def decided(*statuses: QuotaStatus) -> Decisions:
    return Decisions(statuses=statuses)


def annotations(scene: Scene) -> dict[str, str]:
    return scene.double.object(paths.QUOTAS, "team", "a")["metadata"].get("annotations") or {}


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(annotation_writer, "INTERVAL", 0.01)


def writer(scene: Scene) -> AnnotationWriter:
    context = scene.context()
    return AnnotationWriter(context, StatusWriter(context))


async def test_a_change_is_written_once(scene: Scene) -> None:
    key = scene.quota("a")
    async with writer_fixture.at_work(writer(scene)) as actor:
        actor.apply(
            decided(writer_fixture.status(key, runtime={"cpu": 1000}, request={"cpu": 500}))
        )
        await until(lambda: annotations(scene))
        actor.apply(
            decided(writer_fixture.status(key, runtime={"cpu": 1000}, request={"cpu": 500}))
        )
        actor.apply(
            decided(writer_fixture.status(key, runtime={"cpu": 2000}, request={"cpu": 500}))
        )
        await until(lambda: annotations(scene)[names.RUNTIME] == '{"cpu":"2"}')
    assert [call.body for call in scene.double.calls if call.method == "PATCH"] == [
        {
            "metadata": {
                "annotations": {names.RUNTIME: '{"cpu":"1"}', names.REQUEST: '{"cpu":"500m"}'}
            }
        },
        {"metadata": {"annotations": {names.RUNTIME: '{"cpu":"2"}'}}},
    ]


async def test_a_forged_annotation_is_corrected_and_others_stay(scene: Scene) -> None:
    forged = {names.RUNTIME: '{"cpu":"1000"}', "note": "mine"}
    metadata = {"namespace": "team", "name": "a", "annotations": forged}
    key = scene.quota("a", metadata=metadata)
    async with writer_fixture.at_work(writer(scene)) as actor:
        actor.apply(decided(writer_fixture.status(key, runtime={"cpu": 1000})))
        await until(lambda: annotations(scene) == {**forged, names.RUNTIME: '{"cpu":"1"}'})


async def test_a_deleted_or_unknown_quota_is_not_written(scene: Scene) -> None:
    key, unseen = scene.quota("a"), Key("team", "unseen")
    scene.double.remove(paths.QUOTAS, "team", "a")
    async with writer_fixture.at_work(writer(scene)) as actor:
        figures = {"runtime": {"cpu": 1000}}
        actor.apply(
            decided(writer_fixture.status(unseen, **figures), writer_fixture.status(key, **figures))
        )
        await until(lambda: scene.double.count("PATCH"))
        actor.apply(decided())
    assert (scene.double.count("PATCH", "unseen"), scene.double.count("PATCH")) == (0, 1)


async def test_a_write_refused_as_not_ready_is_retried(scene: Scene) -> None:
    key = scene.quota("a")
    down = refusals.Refusal(500, "InternalError", "failed calling webhook")
    scene.double.faults.answer(down, method="PATCH")
    async with writer_fixture.at_work(writer(scene)) as actor:
        actor.apply(decided(writer_fixture.status(key, runtime={"cpu": 1000})))
        await until(lambda: annotations(scene))
