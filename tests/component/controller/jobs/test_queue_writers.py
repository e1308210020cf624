"""Units and queues show the places of jobs, and follow the edits that users may make in them."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import writer_fixture
from api_double.kinds import Kind
from api_double.waiting import until
from elasticquota import names
from elasticquota.jobs import job
from elasticquota.jobs.job import Job
from elasticquota.jobs.kinds import table
from elasticquota.jobs.phase import JobPhase
from elasticquota.model.decision import Decisions
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota_kube.client import paths
from elasticquota_kube.client.paths import Resource
from elasticquota_operator.jobs import queueunit_writer
from elasticquota_operator.jobs.ordering import JobOrdering
from elasticquota_operator.jobs.queue_writer import QueueWriter
from elasticquota_operator.jobs.queued_job import Queued
from elasticquota_operator.jobs.queueunit_writer import MANY, SOON, QueueUnitWriter
from writer_fixture import Scene


JOB = next(each for each in table.BUILT_IN if each.kind == "Job")
JOBS = Resource("batch", "v1", "jobs")
HOME = "kube-queue"
PATIENCE = 60.0
"""Seconds; more than a hundred units take their time on a busy machine."""


class Jobs:
    """The written statuses of the jobs of a test."""

    def __init__(self) -> None:
        self.queued: dict[Key, Queued] = {}
        self.is_backlogged = False

    def add(self, name: str, place: int = 1, said: str = "") -> Queued:
        document: Any = {
            "metadata": {"namespace": "teams", "name": name, "uid": f"uid-{name}"},
            "spec": {"template": {"spec": {"containers": [], "priority": 3}}},
        }
        read: Job = job.read(document, JOB)
        found = Queued(JOB, JOBS, document, read, JobPhase(), quota="video", said=said, place=place)
        self.queued[Key("teams", f"job.batch/{name}")] = found
        return found


@pytest.fixture
def jobs() -> Jobs:
    return Jobs()


@pytest.fixture
def scene(scene: Scene) -> Scene:
    scene.double.serve(Kind(paths.QUEUE_UNITS, names.QUEUE_UNIT_KIND, status=True))
    scene.double.serve(Kind(paths.JOB_QUEUES, names.JOB_QUEUE_KIND, status=True))
    for name in ("teams", HOME):
        scene.double.put(paths.NAMESPACES, {"metadata": {"name": name}})
    return scene


def unit_writer(
    scene: Scene,
    jobs: Jobs,
    *,
    now: Callable[[], datetime] = lambda: datetime(2026, 1, 1, tzinfo=UTC),
    soon: float = SOON,
) -> QueueUnitWriter:
    scene.backlog.add_queue(jobs)
    context = scene.context()
    ordering = JobOrdering(context)
    return QueueUnitWriter(context, jobs, ordering, every=0.02, now=now, soon=soon)


@asynccontextmanager
async def showing(scene: Scene, jobs: Jobs, **options: Any) -> AsyncIterator[QueueUnitWriter]:
    """A writer at work that has read all units and compared them with the jobs once."""
    async with writer_fixture.at_work(unit_writer(scene, jobs, **options)) as writer:
        await writer.filled.wait()
        writer.apply(Decisions())
        yield writer


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queueunit_writer, "INTERVAL", 0.02)


def unit(scene: Scene, name: str = "train") -> Mapping[str, Any]:
    found = scene.double.objects(paths.QUEUE_UNITS)
    return next((each for each in found if each["metadata"]["name"] == f"{name}-job-qu"), {})


def told(scene: Scene, name: str = "train") -> tuple[str, int | None]:
    status = unit(scene, name).get("status") or {}
    return status.get("message", ""), status.get("position")


async def test_a_unit_is_created_and_follows_its_job(scene: Scene, jobs: Jobs) -> None:
    found = jobs.add("train", said="quota video: QuotaExhausted: 2 cpu asked")
    async with showing(scene, jobs) as writer:
        await until(lambda: told(scene) == ("quota video: QuotaExhausted: 2 cpu asked", 1))
        assert unit(scene)["spec"]["priority"] == 3
        assert unit(scene)["metadata"]["ownerReferences"][0]["uid"] == "uid-train"
        found.phase, found.said, found.place = JobPhase("Running", 5), "", 0
        writer.apply(Decisions())
        await until(lambda: unit(scene)["status"]["phase"] == "Running")
    assert told(scene) == ("", None)


class NotToBeRead(dict[Key, Queued]):
    """Fails when one of its jobs is read."""

    def items(self) -> Any:
        raise AssertionError("looked at")


async def test_while_many_pods_are_admitted_no_job_is_written_and_afterwards_all_are(
    scene: Scene, jobs: Jobs
) -> None:
    jobs.add("train")
    queued, jobs.queued = jobs.queued, NotToBeRead()
    async with writer_fixture.at_work(unit_writer(scene, jobs)) as writer:
        await writer.filled.wait()
        jobs.is_backlogged = True
        writer.apply(Decisions())
        jobs.is_backlogged, jobs.queued = False, queued
        writer.apply(Decisions())
        await until(lambda: told(scene)[1] == 1)


def phases(scene: Scene) -> set[str | None]:
    """What the units say, once there is one for each of the many jobs."""
    units = scene.double.objects(paths.QUEUE_UNITS)
    found = {(each.get("status") or {}).get("phase") for each in units}
    return found if len(units) == MANY + 20 else set()


async def test_of_many_jobs_that_start_together_each_unit_is_written_once(
    scene: Scene, jobs: Jobs
) -> None:
    found = [jobs.add(f"train-{number}") for number in range(MANY + 20)]
    writer = unit_writer(scene, jobs)
    start = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp() * 1000)
    async with writer_fixture.at_work(writer):
        await writer.filled.wait()
        writer.apply(Decisions())
        await until(
            lambda: phases(scene) == {"Enqueued"} and not writer._writes.is_busy, within=PATIENCE
        )
        before = scene.double.count("PATCH", "/queueunits")
        for each in found:
            each.phase = JobPhase("Dequeued", start)
        writer.apply(Decisions())
        assert not writer._writes.is_busy
        for each in found:
            each.phase = JobPhase("Running", start)
        writer.apply(Decisions())
        await until(lambda: phases(scene) == {"Running"}, within=PATIENCE)
        assert scene.double.count("PATCH", "/queueunits") == before + len(found)


async def test_of_many_jobs_that_start_and_do_not_run_each_unit_says_so_soon(
    scene: Scene, jobs: Jobs
) -> None:
    found = [jobs.add(f"train-{number}") for number in range(MANY + 20)]
    clock = [datetime(2026, 1, 1, tzinfo=UTC)]
    started = int(clock[0].timestamp() * 1000)
    async with writer_fixture.at_work(
        unit_writer(scene, jobs, now=lambda: clock[0], soon=0.1)
    ) as writer:
        await writer.filled.wait()
        for each in found:
            each.phase = JobPhase("Dequeued", started)
        writer.apply(Decisions())
        assert not writer._writes.is_busy
        clock[0] += timedelta(seconds=0.1)
        await until(lambda: phases(scene) == {"Dequeued"}, within=PATIENCE)


async def test_a_job_far_back_does_not_report_every_step(scene: Scene, jobs: Jobs) -> None:
    found = jobs.add("train", place=50, said="1 left; position 50 of 60 [QuotaExhausted]")
    async with showing(scene, jobs) as writer:
        await until(lambda: told(scene)[1] == 50 and not writer._is_news(found))
        found.place, found.said = 49, "2 left; position 49 of 60 [QuotaExhausted]"
        jobs.add("other")
        writer.apply(Decisions())
        await until(lambda: told(scene, "other")[1] == 1)
        assert (told(scene)[1], writer._is_news(found)) == (50, False)
        found.said = "2 left; position 49 of 60 [AncestorExhausted]"
        writer.apply(Decisions())
        await until(lambda: told(scene)[1] == 49)


async def test_a_workload_without_a_position_reports_every_figure(scene: Scene, jobs: Jobs) -> None:
    found = jobs.add("train", place=0, said="quota v: ExceedsMax: 5 cpu asked, max 4")
    async with showing(scene, jobs) as writer:
        await until(lambda: told(scene)[0].endswith("max 4"))
        found.said = "quota v: ExceedsMax: 5 cpu asked, max 3"
        writer.apply(Decisions())
        await until(lambda: told(scene)[0].endswith("max 3"))


async def test_a_job_pushed_back_from_the_front_is_reported(scene: Scene, jobs: Jobs) -> None:
    found = jobs.add("train", place=10, said="quota v: QuotaExhausted: 1 left; position 10 of 60")
    async with showing(scene, jobs) as writer:
        await until(lambda: told(scene)[1] == 10)
        found.place, found.said = 11, "quota v: QuotaExhausted: 1 left; position 11 of 61"
        writer.apply(Decisions())
        await until(lambda: told(scene)[1] == 11)


async def test_an_edited_unit_is_corrected_except_its_priority(scene: Scene, jobs: Jobs) -> None:
    found = jobs.add("train")
    async with showing(scene, jobs) as writer:
        await until(lambda: told(scene)[1] == 1)

        def edit(stored: Any) -> None:
            stored["spec"].update(priority=9, queue="another")

        scene.double.edit(paths.QUEUE_UNITS, "teams", "train-job-qu", edit)
        await until(lambda: writer._ordering.priority(found) == 9 and writer._ordering.changes > 1)
        writer.apply(Decisions())
        await until(lambda: unit(scene)["spec"]["queue"] == "video")
    assert unit(scene)["spec"]["priority"] == 9


async def test_without_the_unit_definition_nothing_waits(jobs: Jobs) -> None:
    async with writer_fixture.scene() as bare:
        writer = unit_writer(bare, jobs)
        jobs.add("train")
        async with writer_fixture.at_work(writer):
            await until(writer.filled.is_set)
            writer.apply(Decisions())
        assert writer._ordering.priority(next(iter(jobs.queued.values()))) == 3


def leaf(scene: Scene, name: str, *, kept_for: str = "", is_parent: bool = False) -> None:
    key = Key("home", name)
    scene.ledger.upsert_quota(Quota(key, f"uid-{name}", "", kept_for=kept_for, is_parent=is_parent))


@asynccontextmanager
async def following(scene: Scene, jobs: Jobs, **options: Any) -> AsyncIterator[QueueWriter]:
    """A writer at work that has read all queues and compared them with the leaves once."""
    context = scene.context()
    made = QueueWriter(context, jobs, JobOrdering(context), every=0.02, interval=0.02, **options)
    async with writer_fixture.at_work(made) as writer:
        await writer.filled.wait()
        writer.apply(Decisions())
        yield writer


def queues(scene: Scene) -> set[str]:
    return {each["metadata"]["name"] for each in scene.double.objects(paths.JOB_QUEUES)}


async def test_queues_follow_their_leaves_and_queues_of_others_stay(
    scene: Scene, jobs: Jobs
) -> None:
    scene.double.put(
        paths.JOB_QUEUES, {"metadata": {"namespace": HOME, "name": "theirs"}, "spec": {}}
    )
    leaf(scene, "video", kept_for="ack")
    async with following(scene, jobs) as writer:
        await until(lambda: queues(scene) == {"theirs", "video"})
        await until(lambda: writer._ordering.changes > 1)
        jobs.add("train", place=1)
        writer.apply(Decisions())
        await until(lambda: (queue(scene, "video").get("status") or {}) != {})
        assert queue(scene, "video")["status"]["queueItemDetails"] == {
            "video": [{"name": "train", "namespace": "teams", "priority": 3, "position": 1}]
        }
        scene.double.edit(
            paths.JOB_QUEUES, HOME, "video", lambda each: each["spec"].update(queuePolicy="Block")
        )
        await until(lambda: writer._ordering.blocking() == {"video"})
        scene.ledger.delete_quota(Key("home", "video"))
        writer.apply(Decisions())
        await until(lambda: queues(scene) == {"theirs"})


def queue(scene: Scene, name: str) -> Any:
    return scene.double.object(paths.JOB_QUEUES, HOME, name)


@pytest.mark.parametrize(("switch", "expected"), [(False, {"leaf"}), (True, {"leaf", "team"})])
async def test_every_leaf_quota_has_a_queue_where_the_switch_says_so(
    scene: Scene, jobs: Jobs, switch: bool, expected: set[str]
) -> None:
    leaf(scene, "leaf", kept_for="ack")
    leaf(scene, "team")
    leaf(scene, "dept", is_parent=True)
    leaf(scene, names.DEFAULT_QUOTA)
    async with following(scene, jobs, of_all_quotas=switch) as writer:
        await until(lambda: queues(scene) == expected)
        for name in ("team", "leaf"):
            scene.ledger.delete_quota(Key("home", name))
        writer.apply(Decisions())
        await until(lambda: queues(scene) == set())


async def test_the_order_of_queues_changes_with_their_priority(scene: Scene, jobs: Jobs) -> None:
    context = scene.context()
    ordering = JobOrdering(context, by_priority=True)
    writer = QueueWriter(context, jobs, ordering, every=0.02)

    def give(value: int) -> None:
        manifest = {"metadata": {"name": "high"}, "value": value}
        scene.double.put(paths.PRIORITY_CLASSES, manifest)

    give(7)
    async with writer_fixture.at_work(writer, ordering.classes):
        await writer.filled.wait()
        assert ordering.queue_order().priorities == {}
        before = ordering.changes
        spec = {"priorityClassName": "high", "queuePolicy": "Block"}
        scene.double.put(
            paths.JOB_QUEUES, {"metadata": {"name": "a", "namespace": HOME}, "spec": spec}
        )
        await until(lambda: ordering.queue_order().priorities == {"a": 7})
        assert ordering.queue_order().strict == {"a"}
        assert ordering.changes > before, "a cycle applies it"
        give(9)
        await until(lambda: ordering.queue_order().priorities == {"a": 9})
