"""The parts of a controller that ask for nodes, on a double of the API server.

The test is the autoscaler: it reads the requests that are made, and writes their conditions.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any, Final

import writer_fixture
from api_double.waiting import until
from elasticquota import names
from elasticquota.decisions import decide
from elasticquota.jobs.kinds import table
from elasticquota.jobs.phase import Terms as JobTerms
from elasticquota.model.decision import Decisions
from elasticquota.model.key import Key
from elasticquota.model.provisioning_choice import ProvisioningChoice
from elasticquota.provisioning.step import ProvisioningTerms
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import replace
from elasticquota_kube.client import paths
from elasticquota_operator.informers import ledger_handlers
from elasticquota_operator.jobs.controller import JobController
from elasticquota_operator.jobs.informer import job_informer
from elasticquota_operator.jobs.ordering import JobOrdering
from elasticquota_operator.provisioning.provisioner import Provisioner
from elasticquota_operator.writers.ungater import Ungater
from engine_cycles import EngineCycles
from job_process import ADAPTERS
from sentences import why
from worlds import World
from writer_fixture import Scene, Writer


CHECK: Final = "check-capacity.autoscaling.x-k8s.io"
TERMS: Final = ProvisioningTerms(CHECK, timeout=600_000, first_backoff=60_000)
_AT_ONCE: Final = Policy(grace=0, delay=0, brake_percent=0)


def world_of_team() -> World:
    """A quota of 4 cpu that binds namespace teams."""
    found = World(nodes=1, cpu=8)
    found.quota("team-a", max=4, namespaces=("teams",))
    return found


class Process(EngineCycles):
    """``time`` is the clock, which only the test moves."""

    def __init__(self, scene: Scene, world: World, terms: ProvisioningTerms | None = TERMS) -> None:
        super().__init__()
        self.world = world
        self.time = 1_000_000
        self.leads = True
        self.last = Decisions()
        self.scene = scene
        self._pods = ledger_handlers.of_pods(world.ledger, self.touch, table.labels(ADAPTERS))
        context = scene.context(ledger=world.ledger, touch=self.touch, leading=lambda: self.leads)
        context.settings.policy = _AT_ONCE
        self.jobs = JobController(
            context,
            JobOrdering(context),
            terms=JobTerms(first_backoff=60_000),
            now=lambda: self.time,
            wait=writer_fixture.short_back_off,
        )
        self._watches = [job_informer(context, each, self.jobs, every=0.02) for each in ADAPTERS]
        self.ungater = Ungater(context, wait=writer_fixture.short_back_off)
        self.provisioner = Provisioner(context, terms, self.jobs, now=lambda: self.time, every=0.02)

    def waits(self) -> dict[str, str]:
        """Name of a waiting pod -> why it waits, without quota and tree."""
        return {wait.pod.name: why(wait.message) for wait in self.last.waits}

    async def begin(self, tasks: asyncio.TaskGroup) -> None:
        parts: list[Writer] = [self.jobs, self.ungater, self.provisioner, *self._watches]
        for part in parts:
            tasks.create_task(part.run())
        for event in (*(each.filled for each in self._watches), *self.provisioner.filled):
            await event.wait()

    def cycle(self) -> None:
        self._follow_pods()
        self.provisioner.refresh()
        self.jobs.refresh()
        decisions = decide.decide(self.world.ledger, self.time, _AT_ONCE)
        self.world.ledger.remember(decisions.clocks)
        if self.leads:
            decisions = self.provisioner.hold(decisions)
            self.jobs.apply(decisions)
            self.ungater.apply(decisions)
        self.last = decisions

    def _follow_pods(self) -> None:
        there = self.scene.double.objects(paths.PODS)
        for pod in there:
            self._pods.upsert_manifest(pod)
        known = {Key(pod["metadata"]["namespace"], pod["metadata"]["name"]) for pod in there}
        for key in [key for key in self.world.ledger.pods if key not in known]:
            self.world.ledger.delete_pod(key)


@contextlib.asynccontextmanager
async def asked_for(process: Process, *others: Writer) -> AsyncIterator[str]:
    """The process at work, once it has made one request, whose name it yields."""
    async with writer_fixture.at_work(process, *others):
        await until(lambda: len(requests(process.scene)) == 1)
        (name,) = requests(process.scene)
        yield name


async def ask_once(process: Process) -> str:
    """Run the process until it has made one request, and return its name."""
    async with asked_for(process) as name:
        return name


def choose(world: World, choice: ProvisioningChoice | None) -> None:
    """Write the choice of the only profile."""
    (profile,) = world.ledger.profiles.values()
    world.ledger.upsert_profile(replace(profile, provisioning=choice))


def gang(scene: Scene, name: str = "train", pods: int = 2, cpu: str = "1", **spec: Any) -> None:
    """Create the gated pods of a group in quota team-a."""
    for index in range(pods):
        pod(scene, f"{name}-{index}", group=name, size=pods, cpu=cpu, **spec)


def pod(
    scene: Scene,
    name: str,
    *,
    group: str = "",
    size: int = 0,
    cpu: str = "1",
    quota: str = "team-a",
    **spec: Any,
) -> None:
    """Create a gated pod."""
    labels = {names.QUOTA_NAME: quota}
    annotations = {}
    if group:
        labels[names.POD_GROUP] = group
        annotations[names.POD_GROUP_SIZE] = str(size)
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
    held = {"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}
    scene.double.put(
        paths.PODS,
        {
            "metadata": {
                "namespace": "teams",
                "name": name,
                "labels": labels,
                "annotations": annotations,
            },
            "spec": {
                "schedulingGates": [{"name": names.GATE}],
                "containers": [container],
                **spec,
            },
            "status": {"phase": "Pending", "conditions": [held]},
        },
    )


def requests(scene: Scene) -> list[str]:
    """Names of the stored requests, sorted."""
    stored = scene.double.objects(paths.PROVISIONING_REQUESTS)
    return sorted(each["metadata"]["name"] for each in stored)


def templates(scene: Scene) -> list[str]:
    """Names of the stored templates, sorted."""
    return sorted(each["metadata"]["name"] for each in scene.double.objects(paths.POD_TEMPLATES))


def answer(scene: Scene, kind: str, message: str = "", *, name: str = "", at: str = "") -> None:
    """Set a condition of a request, by default of the only one, as an autoscaler does."""
    condition = {
        "type": kind,
        "status": "True",
        "reason": kind,
        "message": message,
        "lastTransitionTime": at or "1970-01-01T00:16:40Z",
    }

    def change(stored: dict[str, Any]) -> None:
        status = stored.setdefault("status", {})
        status.setdefault("conditions", []).append(condition)

    (found,) = [name] if name else requests(scene)
    scene.double.edit(paths.PROVISIONING_REQUESTS, "teams", found, change)


def gates(scene: Scene) -> dict[str, bool]:
    """Name of a pod -> whether our gate holds it."""
    return {
        each["metadata"]["name"]: bool(each["spec"].get("schedulingGates"))
        for each in scene.double.objects(paths.PODS)
    }
