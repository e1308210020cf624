"""Jobs are held by their switch until their quota has room, whoever else turns it, and when."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

import acting
from acting import Scene
from api_double import Refusal
from api_double.kinds import Kind
from api_double.waiting import until
from elasticquota import names
from elasticquota.enforcement import decide
from elasticquota.enforcement.policy import Policy
from elasticquota.jobs import job, table
from elasticquota.jobs.course import USUAL, Terms
from elasticquota.model.decision import Decisions
from elasticquota.model.key import Key
from elasticquota_kube import paths
from elasticquota_kube.paths import Resource
from elasticquota_operator import observer
from elasticquota_operator.job_desk import JobDesk
from elasticquota_operator.job_watch import JobWatch
from elasticquota_operator.priorities import Priorities
from elasticquota_operator.queued_job import Queued
from worlds import World


JOBS = Resource("batch", "v1", "jobs")
JOB_SETS = Kind(Resource("jobset.x-k8s.io", "v1alpha2", "jobsets"), "JobSet")
OF_A_SET = {
    "ownerReferences": [
        {
            "apiVersion": "jobset.x-k8s.io/v1alpha2",
            "kind": "JobSet",
            "name": "set",
            "uid": "u",
            "controller": True,
        }
    ]
}
ADAPTERS = [each for each in table.BUILT_IN if each.kind in ("Job", "JobSet")]
AT_ONCE = Policy(grace=0, delay=0, brake_percent=0)
LONG_AGO = "Dequeued 1000 0"


class Process:
    """The parts of a controller that queue jobs, on a double of the API server."""

    def __init__(self, scene: Scene, world: World, terms: Terms = USUAL) -> None:
        self.world = world
        self.time = 1_000_000
        self._scene = scene
        self._changed = asyncio.Event()
        self.leads = True
        self.looked_at: set[str] = set()
        self.idle_rounds = 0
        """Since anybody was looked at."""
        self.rest = Decisions()
        self.desk = JobDesk(
            scene.api,
            world.ledger,
            scene.recorder,
            self.touch,
            books=lambda: world.ledger.balance(AT_ONCE.accounting),
            priority=self._priority,
            leading=lambda: self.leads,
            now=lambda: self.time,
            terms=terms,
            wait=acting.never_in_step,
        )
        self._watches = [JobWatch(scene.api, each, self.desk, every=0.02) for each in ADAPTERS]

    def touch(self) -> None:
        self._changed.set()

    def _priority(self, found: Queued) -> int:
        """Which is asked of everybody who is looked at."""
        self.looked_at.add(found.job.key.name)
        self.idle_rounds = 0
        return 0

    async def run(self) -> None:
        """Rounds as the engine has them; pods are what the double has."""
        feed = observer.of_pods(self.world.ledger, self.touch, table.labels(ADAPTERS))
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.desk.run())
            for watch in self._watches:
                tasks.create_task(watch.run())
            await asyncio.gather(*(watch.filled.wait() for watch in self._watches))
            while True:
                for pod in self._scene.double.objects(paths.PODS):
                    feed.take(pod)
                self.idle_rounds += 1
                self.desk.look()
                decisions = decide.decide(self.world.ledger, self.time, AT_ONCE)
                self.world.ledger.remember(decisions.clocks)
                if self.leads:
                    self.rest = self.desk.take(decisions)
                self._changed.clear()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(0.02):
                        await self._changed.wait()


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    async with acting.scene() as found:
        found.double.serve(Kind(JOBS, "Job", status=True))
        found.double.put(paths.NAMESPACES, {"metadata": {"name": "teams"}})
        yield found


@pytest.fixture
def world() -> World:
    """A quota of 4 cpu that binds namespace teams, and one that may ask for all 8."""
    found = World(nodes=1, cpu=8)
    found.quota("team-a", max=4, namespaces=("teams",))
    found.quota("owner", min=8)
    return found


def put(scene: Scene, name: str = "train", pods: int = 2, **fields: Any) -> None:
    """A suspended Job of pods of one cpu; ``course`` is what stands on it."""
    course = fields.pop("course", "")
    metadata = {"annotations": {names.COURSE: course}} if course else {}
    container = {"name": "c", "resources": {"requests": {"cpu": "1"}}}
    scene.double.put(
        JOBS,
        {
            "metadata": {"namespace": "teams", "name": name, **metadata, **fields.pop("meta", {})},
            "spec": {
                "suspend": fields.pop("suspend", True),
                "parallelism": pods,
                "template": {"spec": {"containers": [container]}},
            },
            **fields,
        },
    )


def stored(scene: Scene, name: str = "train") -> tuple[bool, str]:
    """Whether it is suspended, and how far it says that it has come."""
    found = scene.double.object(JOBS, "teams", name)
    course = (found["metadata"].get("annotations") or {}).get(names.COURSE, "")
    return found["spec"]["suspend"], course.partition(" ")[0]


def writes(scene: Scene) -> int:
    return len([call for call in scene.double.calls if call.method == "PATCH"])


async def test_a_job_is_started_by_one_write_that_also_says_so_on_it(
    scene: Scene, world: World
) -> None:
    put(scene)
    async with acting.at_work(Process(scene, world)):
        await until(lambda: stored(scene) == (False, "Dequeued"))
        await until(lambda: world.ledger.pods[Key("teams", "job.batch/train")].gates == ())
    assert writes(scene) == 1


async def test_a_job_that_does_not_fit_stays_suspended_and_is_told(
    scene: Scene, world: World
) -> None:
    put(scene, pods=3)
    process = Process(scene, world)
    async with acting.at_work(process):
        await until(lambda: stored(scene) == (False, "Dequeued"))
        put(scene, "late", pods=2)
        late = Key("teams", "job.batch/late")
        await until(lambda: late in process.desk.queued and process.desk.queued[late].place == 1)
        assert (
            "2 cpu asked by Job teams/late, 1 of runtime 4 left" in process.desk.queued[late].said
        )
    assert stored(scene, "late") == (True, "")
    assert process.rest.waits == ()


async def test_who_unsuspends_a_job_has_not_let_it_in(scene: Scene, world: World) -> None:
    world.pods("team-a", 3)
    put(scene, pods=2, suspend=False)
    process = Process(scene, world)
    async with acting.at_work(process):
        await until(lambda: process.desk.queued and next(iter(process.desk.queued.values())).place)
        assert stored(scene) == (False, "")
        for pod in list(world.ledger.pods.values()):
            if pod.reserves is None:
                world.ledger.delete_pod(pod.key)
        await until(lambda: stored(scene) == (False, "Dequeued"))


async def test_a_new_process_knows_who_was_let_in(scene: Scene, world: World) -> None:
    put(scene, pods=4, suspend=False, course=LONG_AGO)
    put(scene, "next", pods=1)
    process = Process(scene, world, Terms(start_timeout=0))
    async with acting.at_work(process):
        late = Key("teams", "job.batch/next")
        await until(lambda: late in process.desk.queued and process.desk.queued[late].place == 1)
    assert (stored(scene), stored(scene, "next")) == ((False, "Dequeued"), (True, ""))
    assert writes(scene) == 0


async def test_a_job_that_its_user_suspends_stands_in_line_again_and_says_so(
    scene: Scene, world: World
) -> None:
    put(scene, pods=4)
    process = Process(scene, world)
    async with acting.at_work(process):
        await until(lambda: stored(scene) == (False, "Dequeued"))
        world.pods("team-a", 4, waiting=True, priority=5)
        scene.double.edit(JOBS, "teams", "train", lambda job: job["spec"].update(suspend=True))
        await until(lambda: stored(scene) == (True, "Enqueued"))


async def test_a_job_of_which_no_pod_was_started_in_time_goes_back_for_longer_each_time(
    scene: Scene, world: World
) -> None:
    put(scene)
    process = Process(scene, world, Terms(start_timeout=1000, first_backoff=5000))
    async with acting.at_work(process):
        for attempt, wait in ((1, 5000), (2, 10_000)):
            await until(lambda: stored(scene) == (False, "Dequeued"))
            process.time += 1000
            await until(lambda: stored(scene) == (True, "Backoff"))
            annotation = scene.double.object(JOBS, "teams", "train")["metadata"]["annotations"]
            assert annotation[names.COURSE] == f"Backoff {process.time} {attempt}"
            process.time += wait - 1
            rounds = writes(scene)
            await until(lambda: Key("teams", "job.batch/train") not in world.ledger.pods)
            assert writes(scene) == rounds
            process.time += 1
        await until(lambda: stored(scene) == (False, "Dequeued"))
    await until(lambda: scene.reasons().count("QuotaBackoff") <= 2)


async def test_a_job_that_is_taken_back_is_suspended_and_its_pods_leave_with_it(
    scene: Scene, world: World
) -> None:
    put(scene, pods=4)
    process = Process(scene, world)
    async with acting.at_work(process):
        await until(lambda: stored(scene) == (False, "Dequeued"))
        world.pods("owner", 8, waiting=True)
        await until(lambda: stored(scene) == (True, "Enqueued"))
        await until(lambda: len(process.rest.releases) == 8)


async def test_pods_that_an_operator_leaves_are_asked_to_go_one_by_one(
    scene: Scene, world: World
) -> None:
    put(scene, pods=4)
    process = Process(scene, world, Terms(stop_timeout=5000))
    async with acting.at_work(process):
        await until(lambda: stored(scene) == (False, "Dequeued"))
        borne = ("batch.kubernetes.io/job-name=train",)
        mine = [replace(pod, jobs=borne) for pod in world.pods("team-a", 4)]
        for pod in mine:
            world.ledger.upsert_pod(pod)
        world.pods("owner", 8, waiting=True)
        await until(lambda: stored(scene) == (True, "Enqueued"))
        key = Key("teams", "job.batch/train")
        await until(lambda: world.ledger.pods[key].deleting)
        assert process.rest.evictions == ()
        process.time += 5000
        await until(
            lambda: {each.pod for each in process.rest.evictions} == {pod.key for pod in mine}
        )
        assert process.desk.queued[key].said.endswith(
            "ours goes last, and it still has pods that its operator has not deleted"
        )
        for pod in mine:
            world.ledger.delete_pod(pod.key)
        await until(lambda: len(process.rest.releases) == 8)
        assert stored(scene) == (True, "Enqueued")


async def test_a_start_that_is_under_way_keeps_its_room_though_pods_of_the_job_are_seen_late(
    scene: Scene, world: World
) -> None:
    """Its user starts it meanwhile, and suspends it again."""
    conflict = Refusal(409, "Conflict", "the object has been modified")
    scene.double.faults.answer(conflict, times=500, method="PATCH", path="jobs/train")
    put(scene, pods=4)
    process, other = Process(scene, world), Key("teams", "job.batch/next")
    async with acting.at_work(process):
        await until(lambda: writes(scene) == 1)
        (late,) = world.pods("team-a", 1, waiting=True)
        world.ledger.upsert_pod(replace(late, jobs=("batch.kubernetes.io/job-name=train",)))
        scene.double.edit(JOBS, "teams", "train", lambda job: job["spec"].update(suspend=False))
        scene.double.edit(JOBS, "teams", "train", lambda job: job["spec"].update(suspend=True))
        put(scene, "next", pods=3)
        await until(lambda: other in process.desk.queued and process.desk.queued[other].place)
        scene.double.faults.scripted.clear()
        await until(lambda: stored(scene) == (False, "Dequeued"))
    assert stored(scene, "next") == (True, "")


async def test_what_stands_on_a_job_is_put_right_and_its_switch_left_as_its_user_has_it(
    scene: Scene, world: World
) -> None:
    conflict = Refusal(409, "Conflict", "the object has been modified")
    scene.double.faults.answer(conflict, times=2, method="PATCH", path="jobs/train")
    world.pods("team-a", 4)
    put(scene, course=LONG_AGO)
    async with acting.at_work(Process(scene, world)):
        await until(lambda: writes(scene) == 1)
        scene.double.edit(JOBS, "teams", "train", lambda job: job["spec"].update(suspend=False))
        await until(lambda: stored(scene)[1] == "Enqueued")
    assert stored(scene) == (False, "Enqueued")


async def test_a_job_that_its_user_suspends_before_we_hear_that_it_was_started_has_its_next_turn(
    scene: Scene, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    process, key = Process(scene, world), Key("teams", "job.batch/train")
    real = scene.api.patch

    async def late(*args: Any, **kwargs: Any) -> Any:
        monkeypatch.setattr(scene.api, "patch", real)
        made = await real(*args, **kwargs)
        scene.double.edit(JOBS, "teams", "train", lambda job: job["spec"].update(suspend=True))
        newest = scene.double.object(JOBS, "teams", "train")["metadata"]["resourceVersion"]
        await until(lambda: process.desk.queued[key].job.version == newest)
        before = process.rest
        await until(lambda: process.rest is not before)
        return made

    monkeypatch.setattr(scene.api, "patch", late)
    put(scene)
    async with acting.at_work(process):
        await until(lambda: stored(scene) == (True, "Dequeued"))
        await until(lambda: stored(scene) == (False, "Dequeued"))


async def test_a_refused_switch_is_told_and_its_room_is_others(scene: Scene, world: World) -> None:
    refusal = Refusal(403, "Forbidden", "a webhook of somebody says no")
    scene.double.faults.answer(refusal, times=500, method="PATCH", path="jobs/train")
    put(scene, pods=4)
    async with acting.at_work(Process(scene, world), scene.recorder):
        await until(lambda: "QuotaSwitchRefused" in scene.reasons())
        put(scene, "next", pods=4)
        await until(lambda: stored(scene, "next") == (False, "Dequeued"))
    assert stored(scene) == (True, "")


async def test_jobs_of_jobs_and_of_nobodys_namespaces_are_left_alone(
    scene: Scene, world: World
) -> None:
    scene.double.serve(JOB_SETS)
    put(scene, "inner", meta=OF_A_SET)
    scene.double.put(paths.NAMESPACES, {"metadata": {"name": "free"}})
    put(scene, "outside", meta={"namespace": "free"})
    put(scene, "freed", suspend=False, course="Backoff 999999 1", meta={"namespace": "free"})
    put(scene, "mine")
    async with acting.at_work(Process(scene, world)):
        await until(lambda: stored(scene, "mine") == (False, "Dequeued"))
    assert stored(scene, "inner") == (True, "")
    assert scene.double.object(JOBS, "free", "outside")["spec"]["suspend"]
    assert not scene.double.object(JOBS, "free", "freed")["spec"]["suspend"]
    assert writes(scene) == 1


async def test_a_job_whose_owner_is_queued_from_now_on_stands_in_line_no_more(
    scene: Scene, world: World
) -> None:
    put(scene, "inner", pods=5, meta=OF_A_SET)
    process, inner = Process(scene, world), Key("teams", "job.batch/inner")
    async with acting.at_work(process):
        await until(lambda: inner in world.ledger.pods)
        scene.double.serve(JOB_SETS)
        await until(lambda: inner not in world.ledger.pods)
    assert process.desk.queued == {}


async def test_a_standby_turns_no_switch_and_knows_what_the_leader_did(
    scene: Scene, world: World
) -> None:
    put(scene, pods=4)
    process = Process(scene, world)
    process.leads = False
    async with acting.at_work(process):
        key = Key("teams", "job.batch/train")
        await until(lambda: key in process.desk.queued)

        def let_in(job: Any) -> None:
            job["spec"]["suspend"] = False
            job["metadata"]["annotations"] = {names.COURSE: LONG_AGO}

        scene.double.edit(JOBS, "teams", "train", let_in)
        await until(lambda: process.desk.queued[key].course.phase == "Dequeued")


async def test_a_standby_that_begins_to_lead_takes_up_where_its_jobs_are(
    scene: Scene, world: World
) -> None:
    put(scene, suspend=False, course=LONG_AGO)
    (pod,) = world.pods("team-a", 1)
    world.ledger.upsert_pod(replace(pod, jobs=("batch.kubernetes.io/job-name=train",)))
    process, key = Process(scene, world, Terms(start_timeout=0)), Key("teams", "job.batch/train")
    process.leads = False
    async with acting.at_work(process):
        await until(lambda: key in process.desk.queued and process.desk.queued[key].started == 1)
        assert process.desk.queued[key].course.phase == "Dequeued"
        process.leads = True
        process.touch()
        await until(lambda: process.desk.queued[key].course.phase == "Running")


async def test_a_standby_is_not_woken_by_what_only_a_leader_does_in_time(
    scene: Scene, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(scene, suspend=False, course=LONG_AGO)
    process, key = Process(scene, world), Key("teams", "job.batch/train")
    process.leads = False
    alarms = []
    loop = asyncio.get_running_loop()
    real = loop.call_later

    def call_later(seconds: float, call: Any, *args: Any, **kwargs: Any) -> Any:
        if call == process.touch:
            alarms.append(seconds)
        return real(seconds, call, *args, **kwargs)

    monkeypatch.setattr(loop, "call_later", call_later)
    async with acting.at_work(process):
        await until(lambda: key in world.ledger.pods)
        assert alarms == []
        process.leads = True
        process.touch()
        await until(lambda: stored(scene) == (True, "Backoff"))
        await until(lambda: len(alarms) > 0)


async def test_a_round_looks_at_nobody_to_whom_nothing_happened(scene: Scene, world: World) -> None:
    process = Process(scene, world)
    async with acting.at_work(process):
        put(scene, "idle", pods=1)
        put(scene, "other", pods=1)
        await until(lambda: stored(scene, "idle") == stored(scene, "other") == (False, "Dequeued"))
        await until(lambda: process.idle_rounds > 5)
        process.looked_at.clear()
        (pod,) = world.pods("team-a", 1)
        world.ledger.upsert_pod(replace(pod, jobs=("batch.kubernetes.io/job-name=other",)))
        key = Key("teams", "job.batch/other")
        await until(lambda: process.desk.queued[key].course.phase == "Running")
    assert process.looked_at == {"other"}


async def test_kinds_that_may_not_be_read_hold_nobody_up(scene: Scene, world: World) -> None:
    put(scene)
    refused = Refusal(403, "Forbidden", "jobsets.jobset.x-k8s.io is forbidden")
    scene.double.faults.answer(refused, times=1000, method="GET", path="/jobsets")
    async with acting.at_work(Process(scene, world)):
        await until(lambda: stored(scene) == (False, "Dequeued"))


async def test_priorities_are_those_of_classes_and_hold_nobody_up_either(scene: Scene) -> None:
    for name, value, is_default in (("high", 1000, False), ("usual", 5, True)):
        scene.double.put(
            paths.PRIORITY_CLASSES,
            {"metadata": {"name": name}, "value": value, "globalDefault": is_default},
        )
    put(scene)
    seen = job.read(scene.double.object(JOBS, "teams", "train"), ADAPTERS[0])
    known = Priorities(scene.api, scene.touch)
    async with acting.at_work(known):
        await until(known.filled.is_set)
    assert known.of(seen) == 5
    assert known.of(replace(seen, priority_class="high")) == 1000
    assert known.of(replace(seen, priority_class="gone")) == 0
    assert known.of(replace(seen, priority_class="high", priority=7)) == 7
    scene.double.faults.answer(Refusal(403, "Forbidden", "no"), times=1000, path="priorityclasses")
    late = Priorities(scene.api, scene.touch)
    async with acting.at_work(late):
        await until(late.filled.is_set)
