"""The controller sees when the served definition of a kind of ours is not that of this version."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

import writer_fixture
from api_double import refusals
from api_double.waiting import until
from elasticquota import names
from elasticquota.model import definition_fields
from elasticquota_kube.client import paths
from elasticquota_kube.client.paths import Resource
from elasticquota_operator.informers import own_definitions
from elasticquota_operator.informers.own_definitions import OwnDefinitions
from writer_fixture import Scene


INDEX = "/openapi/v3"
NAME = "elasticquotas.scheduling.sigs.k8s.io"
STATUS = [
    field.removeprefix("status.")
    for field in definition_fields.FIELDS[names.QUOTA_KIND]
    if field.startswith("status.")
]


class Followed:
    """What was reported of the definitions, and how often they were asked for."""

    def __init__(self, scene: Scene, answer: float) -> None:
        self.counts: list[tuple[str, int]] = []
        self._double = scene.double
        self.definitions = OwnDefinitions(
            scene.context(telemetry=self),
            every=0.01,
            answer=answer,
            wait=writer_fixture.short_back_off,
        )

    def fields_dropped(self, resource: Resource, count: int) -> None:
        self.counts.append((resource.plural, count))

    async def asked_again(self) -> None:
        """Wait until two more rounds have begun, so that one has come to its end."""
        before = self._double.count("GET", INDEX)
        await until(lambda: self._double.count("GET", INDEX) >= before + 2)

    def schemas_read(self) -> int:
        return self._double.count("GET", f"{INDEX}/apis/{paths.QUOTAS.group}")


@asynccontextmanager
async def follows(scene: Scene, answer: float = own_definitions.ANSWER) -> AsyncIterator[Followed]:
    found = Followed(scene, answer)
    async with writer_fixture.at_work(found.definitions):
        await found.definitions.asked.wait()
        yield found


async def test_the_fields_that_are_dropped_are_noted_until_the_definition_has_them_again(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    scene.double.keep_only(paths.QUOTAS, *STATUS)
    async with follows(scene) as found:
        assert scene.ledger.lacking == {}
        scene.double.keep_only(paths.QUOTAS, *(set(STATUS) - {"pods", "conditions"}))
        await until(lambda: scene.ledger.lacking)
        assert scene.ledger.lacking == {NAME: ("status.pods", "status.conditions")}
        await found.asked_again()
        assert found.counts == [("elasticquotas", 2)]
        assert scene.touches == 1, "it is decided again after news only"
        scene.double.keep_only(paths.QUOTAS, *STATUS)
        await until(lambda: not scene.ledger.lacking)
    assert found.counts == [("elasticquotas", 2), ("elasticquotas", 0)]
    said = capsys.readouterr().out
    assert said.count("the API server drops fields") == 1
    assert "status.conditions" in said
    assert said.count("the definition has all fields again") == 1


async def test_a_schema_is_read_again_only_when_its_hash_has_changed(scene: Scene) -> None:
    scene.double.keep_only(paths.QUOTAS, *STATUS)
    async with follows(scene) as found:
        await found.asked_again()
        await found.asked_again()
        assert found.schemas_read() == 1
        scene.double.keep_only(paths.QUOTAS, "used")
        await until(lambda: scene.ledger.lacking)
        await found.asked_again()
        assert found.schemas_read() == 2


async def test_a_schema_that_could_not_be_read_is_asked_for_again(scene: Scene) -> None:
    scene.double.keep_only(paths.QUOTAS, "used")
    no = refusals.Refusal(403, "Forbidden", "no")
    scene.double.faults.answer(no, times=2, method="GET", path=f"{INDEX}/apis")
    async with follows(scene) as found:
        await until(lambda: NAME in scene.ledger.lacking)
        assert found.schemas_read() == 3


async def test_before_the_first_decision_it_is_known_what_is_dropped(scene: Scene) -> None:
    scene.double.keep_only(paths.QUOTAS, "used")
    async with follows(scene):
        assert len(scene.ledger.lacking[NAME]) == len(STATUS) - 1


async def test_where_no_schema_is_published_nothing_is_noted(scene: Scene) -> None:
    async with follows(scene) as found:
        await found.asked_again()
        assert (scene.ledger.lacking, found.counts) == ({}, [])


async def test_a_refused_question_keeps_what_is_known_and_delays_no_start(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    scene.double.keep_only(paths.QUOTAS, "used")
    no = refusals.Refusal(403, "Forbidden", "no")
    scene.double.faults.answer(no, times=3, method="GET", path="/openapi")
    async with asyncio.timeout(5), follows(scene):
        assert scene.ledger.lacking == {}
        await until(lambda: NAME in scene.ledger.lacking)
        known = scene.ledger.lacking[NAME]
        scene.double.faults.answer(no, times=3, method="GET", path="/openapi")
        before = scene.double.count("GET", "/openapi")
        await until(lambda: scene.double.count("GET", "/openapi") > before + 4)
        assert scene.ledger.lacking[NAME] == known
    assert "definitions were not read" in capsys.readouterr().out


async def test_a_server_that_does_not_answer_delays_the_start_for_seconds_only(
    scene: Scene,
) -> None:
    scene.double.keep_only(paths.QUOTAS, "used")
    scene.double.faults.flowing.clear()
    async with follows(scene, answer=0.05):
        assert scene.ledger.lacking == {}
        scene.double.faults.flowing.set()
        await until(lambda: NAME in scene.ledger.lacking)
