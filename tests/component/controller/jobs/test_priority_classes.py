"""Jobs have the priorities of their classes."""

import asyncio

import writer_fixture
from api_double import Refusal
from api_double.waiting import until
from elasticquota.decisions import decide
from elasticquota.jobs import job
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import replace
from elasticquota_kube.client import paths
from elasticquota_operator.informers.priority_classes import PriorityClasses
from elasticquota_operator.jobs.controller import JobController
from elasticquota_operator.jobs.informer import job_informer
from elasticquota_operator.jobs.ordering import JobOrdering
from job_process import ADAPTERS, JOBS, put
from worlds import World
from writer_fixture import Scene


async def test_class_priorities_are_read_and_unreadable_classes_delay_no_pod(scene: Scene) -> None:
    for name, value, is_default in (("high", 1000, False), ("usual", 5, True)):
        scene.double.put(
            paths.PRIORITY_CLASSES,
            {"metadata": {"name": name}, "value": value, "globalDefault": is_default},
        )
    put(scene)
    seen = job.read(scene.double.object(JOBS, "teams", "train"), ADAPTERS[0])
    async with writer_fixture.at_work(PriorityClasses(scene.api, scene.touch)) as known:
        await until(known.filled.is_set)
    assert known.of(seen) == 5
    assert known.of(replace(seen, priority_class="high")) == 1000
    assert known.of(replace(seen, priority_class="gone")) == 0
    assert known.of(replace(seen, priority_class="high", priority=7)) == 7
    scene.double.faults.answer(Refusal(403, "Forbidden", "no"), times=1000, path="priorityclasses")
    async with writer_fixture.at_work(PriorityClasses(scene.api, scene.touch)) as late:
        await until(late.filled.is_set)


async def test_a_priority_class_created_later_counts_for_queued_jobs(
    scene: Scene, world: World
) -> None:
    policy, changed = Policy(), asyncio.Event()
    context = scene.context(ledger=world.ledger, touch=changed.set)
    context.settings.policy = policy
    ordering = JobOrdering(context)
    controller = JobController(context, ordering)
    watches = [job_informer(context, each, controller) for each in ADAPTERS]

    def line() -> list[str]:
        """Names of the queued jobs in order, once they are at rest."""
        for _ in range(3):
            controller.refresh()
            controller.apply(decide.decide(world.ledger, 1_000_000, policy))
        places = {each.job.key.name: each.place for each in controller.queued.values()}
        return sorted((name for name in places if places[name]), key=places.__getitem__)

    world.pods("team-a", 4)
    put(scene, "first", meta={"creationTimestamp": "2026-01-01T00:00:00Z"})
    put(scene, "urgent", priority_class="high")
    async with writer_fixture.at_work(ordering.classes, controller, *watches):
        for filled in (ordering.classes.filled, *(each.filled for each in watches)):
            await filled.wait()
        assert line() == ["first", "urgent"]
        changed.clear()
        scene.double.put(paths.PRIORITY_CLASSES, {"metadata": {"name": "high"}, "value": 1000})
        await asyncio.wait_for(changed.wait(), 5)
        assert line() == ["urgent", "first"]
