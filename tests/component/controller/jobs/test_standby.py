"""A standby starts and suspends no job, and knows all it needs to continue as the leader."""

import asyncio
from typing import Any

import pytest

import writer_fixture
from api_double.waiting import until
from elasticquota import names
from elasticquota.jobs.phase import Terms
from job_process import JOBS, LONG_AGO, Process, key_of, of_job, put, stored
from worlds import World
from writer_fixture import Scene


async def test_a_standby_writes_no_job_and_knows_what_the_leader_did(process: Process) -> None:
    put(process.scene, pods=4)
    process.leads = False
    async with writer_fixture.at_work(process):
        await until(lambda: key_of() in process.controller.queued)

        def admitted(job: Any) -> None:
            job["spec"]["suspend"] = False
            job["metadata"]["annotations"] = {names.JOB_PHASE: LONG_AGO}

        process.scene.double.edit(JOBS, "teams", "train", admitted)
        await until(lambda: process.phase() == "Dequeued")


async def test_a_standby_that_begins_to_lead_continues_with_its_jobs(
    scene: Scene, world: World
) -> None:
    put(scene, suspend=False, phase=LONG_AGO)
    (pod,) = world.pods("team-a", 1)
    world.ledger.upsert_pod(of_job(pod))
    process, key = Process(scene, world, Terms(start_timeout=0)), key_of()
    process.leads = False
    async with writer_fixture.at_work(process):
        await until(
            lambda: key in process.controller.queued and process.controller.queued[key].started == 1
        )
        assert process.phase() == "Dequeued"
        process.leads = True
        process.touch()
        await until(lambda: process.phase() == "Running")


async def test_a_standby_is_not_woken_by_the_alarms_of_a_leader(
    process: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A missing alarm is visible only where it would be set."""
    put(process.scene, suspend=False, phase=LONG_AGO)
    process.leads = False
    alarms = []
    loop = asyncio.get_running_loop()
    real = loop.call_later

    def call_later(seconds: float, call: Any, *args: Any, **kwargs: Any) -> Any:
        if call == process.touch:
            alarms.append(seconds)
        return real(seconds, call, *args, **kwargs)

    monkeypatch.setattr(loop, "call_later", call_later)
    async with writer_fixture.at_work(process):
        await until(lambda: key_of() in process.world.ledger.jobs)
        assert alarms == []
        process.leads = True
        process.touch()
        await until(lambda: stored(process.scene) == (True, "Backoff"))
        await until(lambda: len(alarms) > 0)
