"""A steady stream of quota creates, all of them dry runs, that counts the failures."""

import asyncio
import threading
from types import TracebackType
from typing import Self

from urllib3.exceptions import HTTPError

from users import RefusedError, User


_PAUSE_SECONDS = 0.02


class QuotaStream:
    """Runs inside ``with``; every create passes every webhook for quotas and stores nothing.

    Use ``async with`` where the webhook is in the event loop of the test.
    """

    def __init__(self, admin: User, namespace: str) -> None:
        self.passed = 0
        self.failures: list[str] = []
        self._admin = admin
        self._namespace = namespace
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=self._write, args=(number,)) for number in range(2)
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(self, *_: object) -> None:
        # The last creates may need an answer of this event loop.
        await asyncio.to_thread(self._end)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def _end(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _write(self, number: int) -> None:
        name = f"stream-{number}-{self._namespace}"
        quota = {
            "apiVersion": "scheduling.sigs.k8s.io/v1alpha1",
            "kind": "ElasticQuota",
            "metadata": {"name": name, "namespace": self._namespace},
            "spec": {"min": {"cpu": "1"}, "max": {"cpu": "2"}},
        }
        while not self._stop.wait(_PAUSE_SECONDS):
            try:
                self._admin.create(quota, dry_run=True)
            except (RefusedError, HTTPError) as failure:
                self.failures.append(str(failure))
            else:
                self.passed += 1
