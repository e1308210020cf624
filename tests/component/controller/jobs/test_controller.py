"""Jobs are held by their suspend field until their quota has room, whichever user changes it."""

import asyncio
from typing import Any

import pytest

import writer_fixture
from api_double import Refusal
from api_double.waiting import until
from elasticquota import names
from elasticquota.jobs.phase import Terms
from elasticquota.model.key import Key
from job_process import JOBS, LONG_AGO, Process, key_of, of_job, put, stored, writes
from worlds import World
from writer_fixture import Scene


def turn(scene: Scene, *, suspend: bool) -> None:
    """A user changes the suspend field."""
    scene.double.edit(JOBS, "teams", "train", lambda job: job["spec"].update(suspend=suspend))


def writes_conflict(scene: Scene, times: int) -> None:
    """Others write the job first, so many times."""
    conflict = Refusal(409, "Conflict", "the object has been modified")
    scene.double.faults.answer(conflict, times=times, method="PATCH", path="jobs/train")


async def test_a_job_is_started_and_marked_by_one_write(process: Process) -> None:
    put(process.scene)
    async with writer_fixture.at_work(process):
        await until(lambda: stored(process.scene) == (False, "Dequeued"))
        await until(lambda: process.world.ledger.jobs[key_of()].gates == ())
    assert writes(process.scene) == 1


async def test_a_job_that_does_not_fit_stays_suspended_and_is_reported(process: Process) -> None:
    put(process.scene, pods=3)
    async with writer_fixture.at_work(process):
        await until(lambda: stored(process.scene) == (False, "Dequeued"))
        put(process.scene, "late", pods=2)
        await until(lambda: process.place("late") == 1)
        said = process.controller.queued[key_of("late")].said
        assert "Job teams/late needs 2 cpu; 3 of its current share of 4 are in use" in said
    assert stored(process.scene, "late") == (True, "")
    assert process.rest.waits == ()


async def test_a_new_job_has_at_once_the_priority_that_it_has_in_its_quota(
    process: Process,
) -> None:
    """In a queue by age it is 0: a job of a high class must not take over before that is seen."""
    process.priority = lambda found: 0 if found.quota == "team-a" else 1000
    async with writer_fixture.at_work(process):
        put(process.scene, "young", pods=5)
        await until(lambda: key_of("young") in process.world.ledger.jobs)
    assert process.world.ledger.jobs[key_of("young")].priority == 0


async def test_a_user_who_unsuspends_a_job_does_not_admit_it(process: Process) -> None:
    process.world.pods("team-a", 3)
    put(process.scene, pods=2, suspend=False)
    async with writer_fixture.at_work(process):
        await until(lambda: process.place("train"))
        assert stored(process.scene) == (False, "")
        for key in list(process.world.ledger.pods):
            process.world.ledger.delete_pod(key)
        await until(lambda: stored(process.scene) == (False, "Dequeued"))


async def test_a_new_process_knows_the_admitted_jobs(scene: Scene, world: World) -> None:
    put(scene, pods=4, suspend=False, phase=LONG_AGO)
    put(scene, "next", pods=1)
    async with writer_fixture.at_work(Process(scene, world, Terms(start_timeout=0))) as process:
        await until(lambda: process.place("next") == 1)
    assert (stored(scene), stored(scene, "next")) == ((False, "Dequeued"), (True, ""))
    assert writes(scene) == 0


async def test_a_job_that_its_user_suspends_is_queued_again_with_a_message(
    process: Process,
) -> None:
    put(process.scene, pods=4)
    async with writer_fixture.at_work(process):
        await until(lambda: stored(process.scene) == (False, "Dequeued"))
        process.world.pods("team-a", 4, waiting=True, priority=5)
        turn(process.scene, suspend=True)
        await until(lambda: stored(process.scene) == (True, "Enqueued"))


async def test_a_job_without_a_started_pod_is_requeued_with_growing_pauses(
    scene: Scene, world: World
) -> None:
    put(scene)
    async with writer_fixture.at_work(
        Process(scene, world, Terms(start_timeout=1000, first_backoff=5000))
    ) as process:
        for attempt, wait in ((1, 5000), (2, 10_000)):
            await until(lambda: stored(scene) == (False, "Dequeued"))
            process.time += 1000
            await until(lambda: stored(scene) == (True, "Backoff"))
            annotation = scene.double.object(JOBS, "teams", "train")["metadata"]["annotations"]
            assert annotation[names.JOB_PHASE] == f"Backoff {process.time} {attempt}"
            process.time += wait - 1
            rounds = writes(scene)
            await until(lambda: key_of() not in world.ledger.jobs)
            assert writes(scene) == rounds
            process.time += 1
        await until(lambda: stored(scene) == (False, "Dequeued"))
    await until(lambda: scene.reasons().count("QuotaBackoff") <= 2)


async def test_a_job_that_is_reclaimed_is_suspended_and_its_pods_leave_with_it(
    process: Process,
) -> None:
    told: list[tuple[str, Key]] = []
    outcomes = process.scene.outcomes
    outcomes.on_admitted.append(lambda release: told.append(("started", release.pod)))
    outcomes.on_suspended.append(lambda eviction: told.append(("suspended", eviction.pod)))
    put(process.scene, pods=4)
    async with writer_fixture.at_work(process):
        await until(lambda: stored(process.scene) == (False, "Dequeued"))
        process.world.pods("owner", 8, waiting=True)
        await until(lambda: stored(process.scene) == (True, "Enqueued"))
        await until(lambda: len(process.rest.releases) == 8)
    assert told == [("started", key_of()), ("suspended", key_of())]


@pytest.mark.parametrize("operator", ["takes its pods away", "starts it by itself"])
async def test_a_job_that_waits_with_pods_that_were_admitted_is_suspended_once(
    process: Process, operator: str
) -> None:
    """Its user suspends it and starts it again before its operator has reacted."""
    put(process.scene, pods=4)
    async with writer_fixture.at_work(process, process.scene.recorder):
        await until(lambda: stored(process.scene) == (False, "Dequeued"))
        mine = [of_job(pod) for pod in process.world.pods("team-a", 2)]
        for pod in mine:
            process.world.ledger.upsert_pod(pod)
        await until(lambda: process.phase() == "Running")
        turn(process.scene, suspend=True)
        await until(lambda: stored(process.scene) == (True, "Enqueued"))
        process.world.pods("team-a", 1)
        turn(process.scene, suspend=False)
        await until(lambda: "QuotaReclaim" in process.scene.reasons())
        assert stored(process.scene) == (True, "Enqueued")
        if operator == "starts it by itself":
            turn(process.scene, suspend=False)
            await until(lambda: process.place("train") == 1)
            idle = writes(process.scene)
            await until(lambda: process.idle_rounds > 5)
            assert (writes(process.scene), stored(process.scene)) == (idle, (False, "Enqueued"))
        else:
            for pod in mine:
                process.world.ledger.delete_pod(pod.key)
            await until(lambda: process.place("train") == 1)
            assert stored(process.scene) == (True, "Enqueued")


async def test_pods_left_by_an_operator_are_evicted_one_by_one(scene: Scene, world: World) -> None:
    put(scene, pods=4)
    async with writer_fixture.at_work(Process(scene, world, Terms(stop_timeout=5000))) as process:
        await until(lambda: stored(scene) == (False, "Dequeued"))
        mine = [of_job(pod) for pod in world.pods("team-a", 4)]
        for pod in mine:
            world.ledger.upsert_pod(pod)
        world.pods("owner", 8, waiting=True)
        await until(lambda: stored(scene) == (True, "Enqueued"))
        await until(lambda: world.ledger.jobs[key_of()].deleting)
        assert process.rest.evictions == ()
        process.time += 5000
        await until(
            lambda: {each.pod for each in process.rest.evictions} == {pod.key for pod in mine}
        )
        assert process.controller.queued[key_of()].said.startswith(
            "Waiting for quota team-a: it still has pods that its operator has not deleted. "
        )
        for pod in mine:
            world.ledger.delete_pod(pod.key)
        await until(lambda: len(process.rest.releases) == 8)
        assert stored(scene) == (True, "Enqueued")


async def test_a_starting_job_keeps_its_room_until_its_pods_are_seen(process: Process) -> None:
    """Its user starts it meanwhile, and suspends it again."""
    writes_conflict(process.scene, times=500)
    put(process.scene, pods=4)
    async with writer_fixture.at_work(process):
        await until(lambda: writes(process.scene) == 1)
        (late,) = process.world.pods("team-a", 1, waiting=True)
        process.world.ledger.upsert_pod(of_job(late))
        turn(process.scene, suspend=False)
        turn(process.scene, suspend=True)
        put(process.scene, "next", pods=3)
        await until(lambda: process.place("next"))
        process.scene.double.faults.scripted.clear()
        await until(lambda: stored(process.scene) == (False, "Dequeued"))
    assert stored(process.scene, "next") == (True, "")


async def test_a_start_of_a_job_that_asks_for_more_by_now_is_decided_again(
    process: Process,
) -> None:
    writes_conflict(process.scene, times=500)
    put(process.scene, pods=2)
    async with writer_fixture.at_work(process):
        await until(lambda: writes(process.scene) == 1)
        put(process.scene, "next", pods=2)
        await until(lambda: stored(process.scene, "next") == (False, "Dequeued"))
        process.scene.double.edit(
            JOBS, "teams", "train", lambda job: job["spec"].update(parallelism=3)
        )
        await until(lambda: process.place("train") == 1)
        process.scene.double.faults.scripted.clear()
        assert stored(process.scene) == (True, "")
        assert stored(process.scene, "next") == (False, "Dequeued"), (
            "it is not suspended for the other"
        )
        process.scene.double.remove(JOBS, "teams", "next")
        await until(lambda: stored(process.scene) == (False, "Dequeued"))


async def test_a_job_counts_as_it_was_decided_until_the_answer_to_its_start(
    process: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No other job is suspended for what it asks meanwhile: its start may still fail."""
    real = process.scene.api.patch
    asked, answer = asyncio.Event(), asyncio.Event()

    async def late(resource: Any, namespace: str, name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "train":
            asked.set()
            await answer.wait()
        return await real(resource, namespace, name, *args, **kwargs)

    monkeypatch.setattr(process.scene.api, "patch", late)
    put(process.scene, pods=2)
    async with writer_fixture.at_work(process):
        await asked.wait()
        put(process.scene, "next", pods=2)
        await until(lambda: stored(process.scene, "next") == (False, "Dequeued"))
        process.scene.double.edit(
            JOBS, "teams", "train", lambda job: job["spec"].update(parallelism=3)
        )
        await until(lambda: process.controller.queued[key_of()].job.pods[0].count == 3)
        put(process.scene, "last", pods=1)
        await until(lambda: process.place("last") == 1)
        assert stored(process.scene, "next") == (False, "Dequeued")
        answer.set()
        await until(lambda: process.place("train") > 0)
        assert stored(process.scene, "next") == (False, "Dequeued")
        process.scene.double.remove(JOBS, "teams", "next")
        await until(lambda: stored(process.scene) == (False, "Dequeued"))


async def test_annotations_of_a_job_are_corrected_and_its_suspend_field_is_kept(
    process: Process,
) -> None:
    writes_conflict(process.scene, times=2)
    process.world.pods("team-a", 4)
    put(process.scene, phase=LONG_AGO)
    async with writer_fixture.at_work(process):
        await until(lambda: writes(process.scene) == 1)
        turn(process.scene, suspend=False)
        await until(lambda: stored(process.scene)[1] == "Enqueued")
    assert stored(process.scene) == (False, "Enqueued")


async def test_a_job_suspended_before_the_answer_to_its_start_is_started_again(
    process: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer comes after later events; a real API server cannot be made to do so."""
    real = process.scene.api.patch

    async def late(*args: Any, **kwargs: Any) -> Any:
        monkeypatch.setattr(process.scene.api, "patch", real)
        made = await real(*args, **kwargs)
        turn(process.scene, suspend=True)
        newest = process.scene.double.object(JOBS, "teams", "train")["metadata"]["resourceVersion"]
        await until(lambda: process.controller.queued[key_of()].job.version == newest)
        before = process.rest
        await until(lambda: process.rest is not before)
        return made

    monkeypatch.setattr(process.scene.api, "patch", late)
    put(process.scene)
    async with writer_fixture.at_work(process):
        await until(lambda: stored(process.scene) == (True, "Dequeued"))
        await until(lambda: stored(process.scene) == (False, "Dequeued"))


async def test_a_refused_start_is_reported_and_its_room_is_freed(process: Process) -> None:
    refusal = Refusal(403, "Forbidden", "another webhook refuses it")
    process.scene.double.faults.answer(refusal, times=500, method="PATCH", path="jobs/train")
    put(process.scene, pods=4)
    async with writer_fixture.at_work(process, process.scene.recorder):
        await until(lambda: "QuotaSwitchRefused" in process.scene.reasons())
        put(process.scene, "next", pods=4)
        await until(lambda: stored(process.scene, "next") == (False, "Dequeued"))
    assert stored(process.scene) == (True, "")


async def test_a_cycle_processes_only_changed_jobs(process: Process) -> None:
    async with writer_fixture.at_work(process):
        put(process.scene, "idle", pods=1)
        put(process.scene, "other", pods=1)
        await until(
            lambda: (
                stored(process.scene, "idle")
                == stored(process.scene, "other")
                == (False, "Dequeued")
            )
        )
        await until(lambda: process.idle_rounds > 5)
        process.looked_at.clear()
        (pod,) = process.world.pods("team-a", 1)
        process.world.ledger.upsert_pod(of_job(pod, "other"))
        await until(lambda: process.phase("other") == "Running")
    assert process.looked_at == {"other"}
