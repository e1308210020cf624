"""The parts of a controller that queue jobs, on a double of the API server, and the jobs there."""

import asyncio
from collections.abc import Callable
from typing import Any, Final

import writer_fixture
from elasticquota import names
from elasticquota.decisions import decide
from elasticquota.jobs.kinds import table
from elasticquota.jobs.phase import USUAL, Terms
from elasticquota.model.decision import Decisions
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import replace
from elasticquota_kube.client import paths
from elasticquota_kube.client.paths import Resource
from elasticquota_operator.context.controller_context import ControllerContext
from elasticquota_operator.informers import ledger_handlers
from elasticquota_operator.jobs.controller import JobController
from elasticquota_operator.jobs.informer import job_informer
from elasticquota_operator.jobs.ordering import JobOrdering
from elasticquota_operator.jobs.queued_job import Queued
from engine_cycles import EngineCycles
from worlds import World
from writer_fixture import Scene


JOBS: Final = Resource("batch", "v1", "jobs")
ADAPTERS: Final = [each for each in table.BUILT_IN if each.kind in ("Job", "JobSet")]
LONG_AGO: Final = "Dequeued 1000 0"
_AT_ONCE: Final = Policy(grace=0, delay=0, brake_percent=0)


class Ordering(JobOrdering):
    """Is asked for every job that is examined."""

    def __init__(self, context: ControllerContext, process: "Process") -> None:
        super().__init__(context)
        self._process = process

    def priority(self, found: Queued) -> int:
        self._process.looked_at.add(found.job.key.name)
        self._process.idle_rounds = 0
        return self._process.priority(found)


class Process(EngineCycles):
    """The parts of a controller that queue jobs, on a double of the API server."""

    def __init__(self, scene: Scene, world: World, terms: Terms = USUAL) -> None:
        super().__init__()
        self.world = world
        self.time = 1_000_000
        self.scene = scene
        self.leads = True
        self.looked_at: set[str] = set()
        self.idle_rounds = 0
        """Cycles since a job was last examined."""
        self.rest = Decisions()
        self.priority: Callable[[Queued], int] = lambda _: 0
        self._pods = ledger_handlers.of_pods(world.ledger, self.touch, table.labels(ADAPTERS))
        context = scene.context(ledger=world.ledger, touch=self.touch, leading=lambda: self.leads)
        context.settings.policy = _AT_ONCE
        self.ordering = Ordering(context, self)
        self.controller = JobController(
            context,
            self.ordering,
            terms=terms,
            now=lambda: self.time,
            wait=writer_fixture.short_back_off,
        )
        self._watches = [
            job_informer(context, each, self.controller, every=0.02) for each in ADAPTERS
        ]

    def place(self, name: str) -> int:
        """The job's place in the queue; 0 when it is in none."""
        found = self.controller.queued.get(key_of(name))
        return 0 if found is None else found.place

    def phase(self, name: str = "train") -> str:
        """The job's phase; empty when the job is not known."""
        found = self.controller.queued.get(key_of(name))
        return "" if found is None else found.phase.phase

    async def begin(self, tasks: asyncio.TaskGroup) -> None:
        tasks.create_task(self.controller.run())
        for watch in self._watches:
            tasks.create_task(watch.run())
        await asyncio.gather(*(watch.filled.wait() for watch in self._watches))

    def cycle(self) -> None:
        """The pods are those of the double."""
        for pod in self.scene.double.objects(paths.PODS):
            self._pods.upsert_manifest(pod)
        self.idle_rounds += 1
        self.controller.refresh()
        decisions = decide.decide(self.world.ledger, self.time, _AT_ONCE)
        self.world.ledger.remember(decisions.clocks)
        if self.leads:
            self.controller.apply(decisions)
            self.rest = decisions


def key_of(name: str = "train") -> Key:
    """The key of the job in the ledger."""
    return Key("teams", f"job.batch/{name}")


def of_job(pod: Pod, name: str = "train") -> Pod:
    """The pod as one of the job."""
    return replace(pod, jobs=(f"batch.kubernetes.io/job-name={name}",))


def put(scene: Scene, name: str = "train", pods: int = 2, **fields: Any) -> None:
    """Create a suspended Job of pods of one cpu; ``phase`` is the value of its annotation."""
    phase = fields.pop("phase", "")
    metadata = {"annotations": {names.JOB_PHASE: phase}} if phase else {}
    container = {"name": "c", "resources": {"requests": {"cpu": "1"}}}
    priority_class = fields.pop("priority_class", "")
    of_class = {"priorityClassName": priority_class} if priority_class else {}
    scene.double.put(
        JOBS,
        {
            "metadata": {"namespace": "teams", "name": name, **metadata, **fields.pop("meta", {})},
            "spec": {
                "suspend": fields.pop("suspend", True),
                "parallelism": pods,
                "template": {"spec": {"containers": [container], **of_class}},
            },
            **fields,
        },
    )


def stored(scene: Scene, name: str = "train") -> tuple[bool, str]:
    """Whether it is suspended, and the phase in its annotation."""
    found = scene.double.object(JOBS, "teams", name)
    phase = (found["metadata"].get("annotations") or {}).get(names.JOB_PHASE, "")
    return found["spec"]["suspend"], phase.partition(" ")[0]


def writes(scene: Scene) -> int:
    return len([call for call in scene.double.calls if call.method == "PATCH"])
