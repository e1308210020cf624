"""The namespace writer keeps one label of namespaces and changes nothing else of them."""

from typing import Any

import pytest

import writer_fixture
from api_double import refusals
from api_double.waiting import until
from elasticquota import names
from elasticquota.model.decision import Decisions, NamespaceLabel
from elasticquota_kube.client import paths
from elasticquota_operator.informers import ledger_handlers
from elasticquota_operator.writers import namespace_writer
from elasticquota_operator.writers.namespace_writer import NamespaceWriter
from writer_fixture import Scene


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(namespace_writer, "INTERVAL", 0.01)


def see(scene: Scene, **labels: str) -> None:
    """The namespace team, as the watch shows it."""
    scene.double.edit(
        paths.NAMESPACES, "", "team", lambda found: found["metadata"].update(labels=labels)
    )
    look(scene)


def look(scene: Scene) -> None:
    feed = ledger_handlers.of_namespaces(scene.ledger, scene.touch)
    feed.upsert_manifest(scene.double.object(paths.NAMESPACES, "", "team"))


def labels(scene: Scene) -> dict[str, Any]:
    found: dict[str, Any] = scene.double.object(paths.NAMESPACES, "", "team")["metadata"]
    return dict(found.get("labels") or {})


def wanted(quota: str | None, namespace: str = "team") -> Decisions:
    return Decisions(namespace_labels=(NamespaceLabel(namespace, quota),))


async def test_the_label_is_written_and_removed_and_others_stay(scene: Scene) -> None:
    see(scene, owner="red")
    async with writer_fixture.at_work(NamespaceWriter(scene.api, scene.ledger)) as actor:
        actor.apply(wanted("team-a"))
        await until(lambda: labels(scene) == {"owner": "red", names.NAMESPACE_QUOTA: "team-a"})
        look(scene)
        actor.apply(wanted(None))
        await until(lambda: labels(scene) == {"owner": "red"})
    body = {"metadata": {"labels": {names.NAMESPACE_QUOTA: None}}}
    assert scene.double.calls[-1].body == body


async def test_a_correct_label_is_not_written(scene: Scene) -> None:
    see(scene, **{names.NAMESPACE_QUOTA: "team-a"})
    async with writer_fixture.at_work(NamespaceWriter(scene.api, scene.ledger)) as actor:
        actor.apply(wanted("team-a"))
        actor.apply(
            Decisions(
                namespace_labels=(NamespaceLabel("team", "team-a"), NamespaceLabel("none", "x"))
            )
        )
        await until(lambda: "team" not in actor._writes)
    assert scene.double.count("PATCH") == 0


async def test_a_deleted_namespace_is_forgotten_and_a_failed_write_is_retried(scene: Scene) -> None:
    see(scene)
    actor = NamespaceWriter(scene.api, scene.ledger)
    scene.double.faults.answer(refusals.Refusal(500, "InternalError", "oops"), method="PATCH")
    async with writer_fixture.at_work(actor):
        actor.apply(wanted("team-a"))
        await until(lambda: names.NAMESPACE_QUOTA in labels(scene))
        scene.double.faults.answer(refusals.Refusal(404, "NotFound", "gone"), method="PATCH")
        look(scene)
        actor.apply(wanted("team-b"))
        await until(lambda: scene.double.count("PATCH") == 3)
        await until(lambda: "team" not in actor._writes)
    assert scene.double.count("PATCH") == 3
