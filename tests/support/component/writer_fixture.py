"""What the tests of the writers share: a writer on a double of the API server, and its events."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any, Protocol, TypeVar

from api_double import ApiDouble
from elasticquota import names
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Condition, QuotaStatus
from elasticquota.model.key import Key
from elasticquota.resources import Resources
from elasticquota_config.model import Configuration
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.credentials.credentials import Credentials
from elasticquota_kube.events import Recorder
from elasticquota_operator.context.backlog import Backlog
from elasticquota_operator.context.controller_context import ControllerContext
from elasticquota_operator.context.manifest_store import ManifestStore
from elasticquota_operator.context.outcomes import Outcomes
from elasticquota_operator.context.settings import Settings
from elasticquota_operator.informers import ledger_handlers
from elasticquota_operator.pages.metrics import Telemetry


ACCEPTED = Condition("Accepted", True, "Accepted", "guaranteed 4 cpu")


class Writer(Protocol):
    async def run(self) -> None: ...


W = TypeVar("W", bound=Writer)


class Scene:
    """A double, a connection to it, a ledger, stores, and the number of calls of ``touch``."""

    def __init__(self, double: ApiDouble, api: Api) -> None:
        self.double = double
        self.api = api
        self.ledger = Ledger()
        self.recorder = Recorder(api, "elasticquota.dev/test", "test")
        self.touches = 0
        double.put(paths.NAMESPACES, {"metadata": {"name": "team"}})
        self.quotas = ManifestStore()
        self.profiles = ManifestStore()
        self.settings = Settings(Configuration(), "kube-system")
        self.telemetry = Telemetry(lambda: True)
        self.backlog = Backlog(self.ledger)
        self.outcomes = Outcomes()

    def touch(self) -> None:
        self.touches += 1

    def context(self, **others: Any) -> ControllerContext:
        """What the parts share: of this scene, except for ``others``."""
        shared: dict[str, Any] = {
            "api": self.api,
            "ledger": self.ledger,
            "quotas": self.quotas,
            "profiles": self.profiles,
            "recorder": self.recorder,
            "touch": self.touch,
            "leading": lambda: True,
            "settings": self.settings,
            "telemetry": self.telemetry,
            "backlog": self.backlog,
            "outcomes": self.outcomes,
        }
        return ControllerContext(**{**shared, **others})

    def pod(
        self,
        name: str,
        gates: tuple[str, ...] = (names.GATE,),
        label: str = "team-a",
        **spec: Any,
    ) -> str:
        """Put a pod into the double and the ledger; returns its uid.

        An empty label means no label.
        """
        gated = [{"name": gate} for gate in gates]
        reason = "SchedulingGated" if gates else "Unschedulable"
        held = {"type": "PodScheduled", "status": "False", "reason": reason}
        manifest = {
            "metadata": {
                "namespace": "team",
                "name": name,
                **({"labels": {names.QUOTA_NAME: label}} if label else {}),
            },
            "spec": {"schedulingGates": gated, "containers": [], **spec},
            "status": {"phase": "Pending", "conditions": [held]},
        }
        return self.see(self.double.put(paths.PODS, manifest))

    def see(self, manifest: dict[str, Any]) -> str:
        """Add a pod to the ledger, as the watch would."""
        feed = ledger_handlers.of_pods(self.ledger, self.touch)
        feed.upsert_manifest(manifest)
        return str(manifest["metadata"]["uid"])

    def relabel(self, name: str, label: str) -> None:
        """Give the stored pod another quota label, or remove it, as a user would."""

        def change(pod: dict[str, Any]) -> None:
            pod["metadata"]["labels"] = {names.QUOTA_NAME: label} if label else {}

        self.double.edit(paths.PODS, "team", name, change)

    def see_again(self, name: str) -> None:
        self.see(self.double.object(paths.PODS, "team", name))

    def quota(self, name: str, **fields: Any) -> Key:
        """Put a quota into the double and into the store."""
        manifest = {"metadata": {"namespace": "team", "name": name}, "spec": {}, **fields}
        self.quotas.upsert(self.double.put(paths.QUOTAS, manifest))
        return Key("team", name)

    def profile(self, name: str, **spec: Any) -> Key:
        """Put a profile into the double and into the store."""
        manifest = {"metadata": {"namespace": "team", "name": name}, "spec": spec}
        self.profiles.upsert(self.double.put(paths.PROFILES, manifest))
        return Key("team", name)

    def reasons(self) -> list[str]:
        """Reasons of the events that were written."""
        return [event["reason"] for event in self.double.objects(paths.EVENTS)]


@contextlib.asynccontextmanager
async def scene() -> AsyncIterator[Scene]:
    async with ApiDouble() as double, Api(Credentials(double.url)) as api:
        yield Scene(double, api)


@contextlib.asynccontextmanager
async def at_work(writer: W, *others: Writer) -> AsyncIterator[W]:
    """The writers run inside the block; yields the first."""
    writers: tuple[Writer, ...] = (writer, *others)
    running = [asyncio.create_task(each.run()) for each in writers]
    try:
        yield writer
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


def short_back_off(_failures: int) -> float:
    """A very short back-off for tests, in seconds."""
    return 0.01


def with_all_figures(key: Key, amounts: Resources) -> QuotaStatus:
    """A status with the same amounts in each figure that Koordinator has too."""
    return status(
        key,
        runtime=amounts,
        request=amounts,
        child_request=amounts,
        guaranteed=amounts,
        allocated=amounts,
        non_preemptible_request=amounts,
        non_preemptible_used=amounts,
    )


def status(key: Key, **fields: Any) -> QuotaStatus:
    """The status of a quota that uses nothing, unless given."""
    facts: dict[str, Any] = {
        "generation": 1,
        "tree": "root",
        "parent": "root",
        "used": {},
        "request": {},
        "runtime": {},
        "admitted": {},
        "min": {},
        "max": {},
        "weight": {},
        "pods_admitted": 0,
        "pods_gated": 0,
        "conditions": (ACCEPTED,),
    }
    return QuotaStatus(key=key, **{**facts, **fields})
