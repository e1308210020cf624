"""A recorder of events with a manual clock, as one process has it, on a double."""

import contextlib
from collections.abc import AsyncIterator
from typing import Any

import writer_fixture
from api_double import ApiDouble
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.credentials.credentials import Credentials
from elasticquota_kube.events import Recorder, Regarding


POD = Regarding("v1", "Pod", "team", "a", "uid-a")


class Recording:
    """The recorder, and the results of its events."""

    def __init__(self, api: Api) -> None:
        self.now = 0.0
        self.yields = False
        self.fates: list[str] = []
        self.recorder = Recorder(
            api,
            "elasticquota.dev/controller",
            "controller-0",
            clock=lambda: self.now,
            wait=writer_fixture.short_back_off,
            yields=lambda: self.yields,
            on_fate=self.fates.append,
        )

    def warn(
        self, note: str = "4 cpu asked, 1 left", about: Regarding = POD, **options: Any
    ) -> None:
        """Record a warning."""
        self.recorder.record(about, "QuotaWait", note, action="Admit", type="Warning", **options)

    async def say(self, *args: Any, **options: Any) -> None:
        """Record a warning, and wait until all is written."""
        self.warn(*args, **options)
        await self.recorder.flush()

    def mention(self, note: str, about: Regarding = POD) -> None:
        """Record an event that is no warning."""
        self.recorder.record(about, "QuotaAdmitted", note, action="Release")


@contextlib.asynccontextmanager
async def process(double: ApiDouble) -> AsyncIterator[Recording]:
    """A process that records events, also of namespace team."""
    double.put(paths.NAMESPACES, {"metadata": {"name": "team"}})
    async with Api(Credentials(double.url)) as api:
        recording = Recording(api)
        async with writer_fixture.at_work(recording.recorder):
            yield recording
