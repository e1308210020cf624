"""The status writer writes a change at once, then once per second, always the newest state."""

from datetime import UTC, datetime, timedelta
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

import writer_fixture
from api_double import refusals
from api_double.waiting import until
from elasticquota.model.decision import Condition, Decisions, ProfileStatus, QuotaStatus
from elasticquota.model.key import Key
from elasticquota_kube.client import paths
from elasticquota_operator.writers import status_writer
from elasticquota_operator.writers.status_writer import StatusWriter
from writer_fixture import Scene, status


REFUSED = Condition("Accepted", False, "ParentNotFound", "there is no quota 'x'")


class Clock:
    def __init__(self) -> None:
        self.time = datetime(2026, 11, 20, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time


def writer(scene: Scene, clock: Clock | None = None) -> StatusWriter:
    return StatusWriter(scene.context(), now=clock or Clock())


def decided(*statuses: QuotaStatus) -> Decisions:
    return Decisions(statuses=statuses)


def stored(scene: Scene, name: str = "a") -> dict[str, Any]:
    return dict(scene.double.object(paths.QUOTAS, "team", name).get("status") or {})


async def test_a_first_status_is_written_at_once_and_only_once(scene: Scene) -> None:
    key = scene.quota("a")
    async with writer_fixture.at_work(writer(scene)) as actor:
        actor.apply(decided(status(key, used={"cpu": 1000})))
        await until(lambda: stored(scene))
        actor.apply(decided(status(key, used={"cpu": 1000})))
        actor.apply(decided(status(key, used={"cpu": 1000})))
        actor.apply(decided(status(key, used={"cpu": 2000})))
        await until(lambda: stored(scene)["used"] == {"cpu": "2"})
    assert scene.double.count("PATCH") == 2


async def test_many_changes_within_a_second_become_one_write_of_the_newest(scene: Scene) -> None:
    key = scene.quota("a")
    async with writer_fixture.at_work(writer(scene)) as actor:
        actor.apply(decided(status(key)))
        await until(lambda: stored(scene))
        for cores in range(20):
            actor.apply(decided(status(key, used={"cpu": cores * 1000})))
            await scene.api.get(paths.QUOTAS, "team", "a")  # time enough for a write
        assert scene.double.count("PATCH") == 1
        await until(lambda: stored(scene)["used"] == {"cpu": "19"})
    assert scene.double.count("PATCH") == 2


async def test_the_patch_has_only_the_differences(scene: Scene) -> None:
    key = scene.quota("a")
    async with writer_fixture.at_work(writer(scene)) as actor:
        actor.apply(decided(status(key, used={"cpu": 1000, "memory": 1024})))
        await until(lambda: stored(scene))
        actor.apply(decided(status(key, used={"cpu": 1000})))
        await until(lambda: stored(scene)["used"] == {"cpu": "1"})
    assert scene.double.calls[-1].body == {
        "status": {"used": {"memory": None}, "summary": {"memory": "0/-/0..-"}}
    }


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """One write after the other, and none waits for a second."""
    monkeypatch.setattr(status_writer, "INTERVAL", 0.01)


@pytest.mark.usefixtures("often")
async def test_a_condition_keeps_its_transition_time_until_its_status_changes(
    scene: Scene,
) -> None:
    key = scene.quota("a")
    clock = Clock()
    actor = writer(scene, clock)

    def since() -> str:
        return str(stored(scene)["conditions"][0]["lastTransitionTime"])

    async with writer_fixture.at_work(actor):
        actor.apply(decided(status(key)))
        await until(lambda: stored(scene))
        clock.time += timedelta(hours=1)
        reworded = Condition("Accepted", True, "Accepted", "in other words")
        actor.apply(decided(status(key, conditions=(reworded,))))
        await until(lambda: stored(scene)["conditions"][0]["message"] == "in other words")
        assert since() == "2026-11-20T12:00:00Z"
        actor.apply(decided(status(key, conditions=(REFUSED,))))
        await until(lambda: stored(scene)["conditions"][0]["status"] == "False")
        assert since() == "2026-11-20T13:00:00Z"


TROUBLES = [
    REFUSED,
    Condition("EvictionsHeld", True, "Why", "others wait"),
    Condition("ReclaimBlocked", True, "Why", "others wait"),
    Condition("Starved", True, "Why", "others wait"),
]


@pytest.mark.parametrize("trouble", TROUBLES, ids=lambda found: found.type)
async def test_a_problem_of_a_quota_gets_an_event_when_it_begins(
    scene: Scene, trouble: Condition
) -> None:
    key = scene.quota("a")
    async with writer_fixture.at_work(writer(scene), scene.recorder) as actor:
        actor.apply(decided(status(key, conditions=(trouble,))))
        await until(scene.reasons)
        actor.apply(decided(status(key)))
        await until(lambda: [each["status"] for each in stored(scene)["conditions"]] == ["True"])
        await until(lambda: [each["type"] for each in stored(scene)["conditions"]] == ["Accepted"])
    (event,) = scene.double.objects(paths.EVENTS)
    assert (event["reason"], event["note"]) == (trouble.reason, trouble.message)
    assert event["regarding"]["kind"] == "ElasticQuota"


async def test_a_forged_status_is_corrected(scene: Scene) -> None:
    key = scene.quota("a", status={"parent": "forged", "more": {"than": "ours"}})
    async with writer_fixture.at_work(writer(scene)) as actor:
        actor.apply(decided(status(key)))
        await until(lambda: stored(scene).get("parent") == "root")
    assert "more" not in stored(scene)


async def test_a_deleted_quota_is_not_written(scene: Scene) -> None:
    key = scene.quota("a")
    scene.double.remove(paths.QUOTAS, "team", "a")
    async with writer_fixture.at_work(writer(scene)) as actor:
        actor.apply(decided(status(key)))
        await until(lambda: scene.double.count("PATCH"))
        actor.apply(decided())
    assert scene.double.count("PATCH") == 1


async def test_an_unknown_quota_is_not_written(scene: Scene) -> None:
    other = scene.quota("b")
    async with writer_fixture.at_work(writer(scene)) as actor:
        actor.apply(decided(status(Key("team", "unseen")), status(other)))
        await until(lambda: stored(scene, "b"))
    assert scene.double.count("PATCH", "unseen") == 0


async def test_a_status_that_is_refused_for_the_object_is_reported_on_it_and_delays_no_other(
    scene: Scene,
) -> None:
    fat, other = scene.quota("fat"), scene.quota("b")
    scene.double.faults.answer(refusals.too_large_to_store(), times=9, method="PATCH", path="/fat")
    async with writer_fixture.at_work(writer(scene), scene.recorder) as actor:
        actor.apply(decided(status(fat), status(other)))
        await until(lambda: stored(scene, "b"))
        await until(scene.reasons)
    (event,) = scene.double.objects(paths.EVENTS)
    assert (event["reason"], event["type"]) == ("QuotaStatusRefused", "Warning")
    assert event["regarding"]["name"] == "fat"
    assert event["note"] == (
        "the API server refused to store the status, which stays as it was; the quota counts as it "
        "is written: etcdserver: request is too large"
    )
    assert scene.double.count("PATCH", "fat") == 1, "the next attempt is half a minute later"


async def test_a_write_that_the_server_fails_is_repeated_and_reported_on_no_quota(
    scene: Scene,
) -> None:
    key = scene.quota("a")
    scene.double.faults.answer(refusals.Refusal(500, "InternalError", "oops"), method="PATCH")
    async with writer_fixture.at_work(writer(scene), scene.recorder) as actor:
        actor.apply(decided(status(key)))
        await until(lambda: stored(scene))
    assert scene.reasons() == []


async def test_a_profile_gets_its_status_and_a_new_one_an_event_for_lasting_trouble_only(
    scene: Scene,
) -> None:
    """Its root quota is missing for a moment in any case."""
    scene.profile("pool")
    actor = writer(scene)

    def said() -> str:
        status = scene.double.object(paths.PROFILES, "team", "pool").get("status") or {}
        return next((each["reason"] for each in status.get("conditions", ())), "")

    async def show(reason: str) -> None:
        ready = Condition("Ready", False, reason, "why")
        of_pool = ProfileStatus(Key("team", "pool"), "42", 0, 1, (ready,))
        actor.apply(Decisions(profiles=(of_pool,)))
        await until(lambda: said() == reason)

    async with writer_fixture.at_work(actor, scene.recorder):
        await show("RootQuotaMissing")
        await show("NoNodes")
        await until(scene.reasons)
    assert scene.reasons() == ["NoNodes"]


async def test_a_status_that_is_withdrawn_while_it_is_being_written_does_not_stay(
    scene: Scene,
) -> None:
    """Found by a hundred runs of A-11: nothing happened afterwards that would have shown it."""
    key = scene.quota("a")
    async with writer_fixture.at_work(writer(scene)) as actor:
        actor.apply(decided(status(key, used={"cpu": 1000})))
        await until(lambda: stored(scene))
        scene.double.faults.flowing.clear()
        actor.apply(decided(status(key, used={"cpu": 2000})))
        await until(lambda: scene.double.count("PATCH") == 2)
        actor.apply(decided(status(key, used={"cpu": 1000})))
        scene.double.faults.flowing.set()
        await until(lambda: scene.double.count("PATCH") == 3)
        await until(lambda: stored(scene)["used"] == {"cpu": "1"})


async def test_while_it_yields_a_status_that_changes_is_compared_at_its_turn_only(
    scene: Scene,
) -> None:
    key = scene.quota("a")
    scene.backlog.add_queue(SimpleNamespace(is_backlogged=True))
    actor = writer(scene)
    first, second = ({"cpu": 1000 * number} for number in (1, 2))
    async with writer_fixture.at_work(actor):
        actor.apply(decided(status(key, used=first)))
        await until(lambda: stored(scene).get("used") == {"cpu": "1"})
        actor.apply(decided(status(key, used=second)))
        actor.apply(decided(status(key, used=first)))
        await until(lambda: not actor.is_busy())
    assert stored(scene)["used"] == {"cpu": "1"}
    assert scene.double.count("PATCH") == 1


@pytest.mark.usefixtures("often")
async def test_without_a_status_subresource_a_status_is_tried_once_for_each_change(
    scene: Scene,
) -> None:
    """As in Koordinator's own definition: the API server says that the quota is not found."""
    key = scene.quota("a")
    actor = writer(scene)
    unknown = refusals.not_found(paths.QUOTAS, "a")
    scene.double.faults.answer(unknown, times=1000, method="PATCH", path="/status")

    def writes(now: QuotaStatus) -> int:
        """How many there were, after one more cycle."""
        actor.apply(decided(now))
        return scene.double.count("PATCH", "/elasticquotas/a/status")

    async with writer_fixture.at_work(actor):
        for changes in (1, 2):
            now = status(key, used={"cpu": changes * 1000})
            await until(partial(lambda now, wanted: writes(now) == wanted, now, changes))
            for _ in range(20):
                await scene.api.get(paths.QUOTAS, "team", "a")  # time enough for a write
                assert writes(now) == changes


@pytest.mark.usefixtures("often")
async def test_a_status_that_is_decided_again_while_it_is_tried_in_vain_is_not_tried_again(
    scene: Scene,
) -> None:
    now = status(scene.quota("a"))
    actor = writer(scene)
    unknown = refusals.not_found(paths.QUOTAS, "a")
    scene.double.faults.answer(unknown, times=1000, method="PATCH", path="/status")
    scene.double.faults.flowing.clear()
    async with writer_fixture.at_work(actor):
        actor.apply(decided(now))
        await until(lambda: scene.double.count("PATCH"))
        actor.apply(decided(now))
        scene.double.faults.flowing.set()
        await until(lambda: not actor.is_busy())
    assert scene.double.count("PATCH") == 1


@pytest.mark.usefixtures("often")
async def test_what_the_definition_drops_is_not_written_without_end(scene: Scene) -> None:
    """The definition of another version, or Koordinator's own, which has only ``used``."""
    scene.double.keep_only(paths.QUOTAS, "used")
    key = scene.quota("a")
    actor = writer(scene)

    def writes(now: QuotaStatus) -> int:
        """How many there were, after one more cycle."""
        actor.apply(decided(now))
        return scene.double.count("PATCH", "/elasticquotas/a/status")

    async with writer_fixture.at_work(actor, scene.recorder):
        for cores in (1, 2):
            now = status(key, used={"cpu": cores * 1000}, conditions=(REFUSED,))
            # Once more than it changes, because the answer has less than was written.
            await until(partial(lambda now, wanted: writes(now) == wanted, now, 2 * cores))
            for _ in range(20):
                await scene.api.get(paths.QUOTAS, "team", "a")  # time enough for a write
                assert writes(now) == 2 * cores
            assert stored(scene) == {"used": {"cpu": str(cores)}}
        await until(scene.reasons)


@pytest.mark.parametrize("is_served", [False, True], ids=["no subresource", "no conditions"])
@pytest.mark.parametrize("shown", [(), ("FieldsDropped",)], ids=["", "shown before"])
async def test_events_say_what_the_definition_has_no_condition_for(
    scene: Scene, shown: tuple[str, ...], *, is_served: bool
) -> None:
    """Also where the watch still shows a condition from before the definition was replaced."""
    before = [{"type": each, "status": "True"} for each in shown]
    key = scene.quota("a", status={"conditions": before})
    if is_served:
        scene.double.keep_only(paths.QUOTAS)
    else:
        unknown = refusals.not_found(paths.QUOTAS, "a")
        scene.double.faults.answer(unknown, times=1000, method="PATCH", path="/status")
    dropped = Condition("FieldsDropped", True, "DefinitionReplaced", "spec.paused is dropped")
    async with writer_fixture.at_work(writer(scene), scene.recorder) as actor:
        actor.apply(decided(status(key, conditions=(dropped,))))
        await until(scene.reasons)
    assert scene.reasons() == ["DefinitionReplaced"]
    assert scene.double.objects(paths.EVENTS)[0]["type"] == "Warning"
