"""Leader election by a Lease: at most one process leads, and the others notice when it stops.

As in client-go, each process measures time only on its own monotonic clock. A holder leads until
`renew` seconds after the *start* of its last successful write. A candidate waits until the Lease
has not changed for the whole duration written in it. Different clock readings do no harm; a clock
that runs faster than another by more than duration/renew would.

This is no fence: a write sent just before the deadline may arrive after it. So every writer checks
`leading` before each write. The elector has its own thread and its own connection, so that a
blocked main loop cannot keep it alive. A process that loses the Lease ends itself.
"""

import asyncio
import contextlib
import copy
import os
import random
import threading
import time
from collections.abc import Callable
from typing import Any, Final

import structlog

from elasticquota_kube import event_series
from elasticquota_kube.client.api import Api, ApiError, Document
from elasticquota_kube.client.credentials.credentials import Credentials
from elasticquota_kube.client.paths import LEASES


_JITTER: Final = 0.2

log = structlog.get_logger(__name__)


def end_the_process() -> None:
    """Stop at once, without clean-up: another process may lead now, so this one must not write."""
    os._exit(1)


class Elector:
    """Tries to hold the Lease `namespace`/`name` as `identity`; times are seconds.

    `on_started` and `on_lost` are called in the elector's thread, each at most once. `on_lost` is
    also called when the elector itself fails, because then it would not notice a lost Lease.
    """

    def __init__(
        self,
        credentials: Credentials,
        *,
        namespace: str,
        name: str,
        identity: str,
        duration: int = 15,
        renew: float = 10,
        retry: float = 2,
        on_started: Callable[[], None] = lambda: None,
        on_lost: Callable[[], None] = end_the_process,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._credentials = credentials
        self._namespace = namespace
        self._name = name
        self._identity = identity
        self._duration = duration
        self._renew = renew
        self._retry = retry
        self._on_started = on_started
        self._on_lost = on_lost
        self._clock = clock
        self._lease: Document | None = None
        self._seen: Document | None = None  # the spec that was last seen, first at _seen_at
        self._seen_at = 0.0
        self._leads_until = float("-inf")
        self.last_heard: float | None = None
        """When the API server last answered, by ``clock``; None: not yet."""
        self._released = threading.Event()
        self._thread = threading.Thread(target=self._run, name="elector", daemon=True)
        self._wake: Callable[[], object] = lambda: None

    @property
    def leading(self) -> bool:
        """Whether a write may be sent now; safe to call from any thread."""
        return not self._released.is_set() and self._clock() < self._leads_until

    @property
    def leader(self) -> str:
        """The identity that held the Lease when it was last read; empty when unknown or free."""
        return str((self._seen or {}).get("holderIdentity") or "")

    def start(self) -> None:
        """Start to campaign, in a thread of its own."""
        self._thread.start()

    def release(self, timeout: float = 5.0) -> None:
        """Stop leading and release the Lease, so that another process need not wait for its expiry.

        Call it when all writing has stopped. Blocks for at most `timeout` seconds; on failure the
        Lease expires. `on_lost` is not called.
        """
        self._released.set()
        if self._thread.is_alive():
            with contextlib.suppress(RuntimeError):  # its loop has just ended by itself
                self._wake()
            self._thread.join(timeout)

    async def attempt(self, api: Api) -> bool:
        """Acquire or renew the Lease once; returns whether it is ours now. Errors mean no."""
        started = self._clock()
        try:
            won = await self._claim(api)
        except ApiError as error:
            self._lease = None  # our copy may be stale: read it before the next try
            if not error.is_unreachable:
                self.last_heard = self._clock()
            if not error.is_conflict:
                log.warning("lease not reached", lease=self._name, why=str(error))
            return False
        self.last_heard = self._clock()
        if won:
            self._leads_until = started + self._renew
        return won

    async def _claim(self, api: Api) -> bool:
        lease = self._lease
        if lease is None:
            try:
                lease = await api.get(LEASES, self._namespace, self._name)
            except ApiError as error:
                if not error.is_not_found:
                    raise
                fresh: Document = {
                    "apiVersion": LEASES.api_version,
                    "kind": "Lease",
                    "metadata": {"name": self._name, "namespace": self._namespace},
                }
                self._note(await api.create(LEASES, self._namespace, self._claimed(fresh)))
                return True
            self._note(lease)
        if self._is_held_by_another(lease):
            self._lease = None
            self._leads_until = float("-inf")
            return False
        self._note(await api.replace(LEASES, self._namespace, self._claimed(lease)))
        return True

    def _note(self, lease: Document) -> None:
        self._lease = lease
        spec = lease.get("spec") or {}
        if spec != self._seen:
            self._seen = spec
            self._seen_at = self._clock()

    def _is_held_by_another(self, lease: Document) -> bool:
        spec: Document = lease.get("spec") or {}
        if spec.get("holderIdentity") in (None, "", self._identity):
            return False
        duration = spec.get("leaseDurationSeconds") or self._duration
        return self._clock() < self._seen_at + duration

    def _claimed(self, lease: Document) -> Document:
        old: dict[str, Any] = lease.get("spec") or {}
        mine = old.get("holderIdentity") == self._identity
        now = event_series.now()
        claimed = copy.copy(lease)
        claimed["spec"] = {
            **old,
            "holderIdentity": self._identity,
            "leaseDurationSeconds": self._duration,
            "acquireTime": old.get("acquireTime", now) if mine else now,
            "renewTime": now,
            "leaseTransitions": (old.get("leaseTransitions") or 0) + (0 if mine or not old else 1),
        }
        return claimed

    def _run(self) -> None:
        try:
            asyncio.run(self._campaign())
        except Exception:
            log.exception("elector broke", lease=self._name)
            self._leads_until = float("-inf")
            self._on_lost()

    async def _campaign(self) -> None:
        loop = asyncio.get_running_loop()
        woken = asyncio.Event()
        self._wake = lambda: loop.call_soon_threadsafe(woken.set)
        # One call must not use up the time in which a renewal could still be repeated.
        async with Api(self._credentials, timeout=self._renew / 2) as api:
            while not self._released.is_set() and not await self.attempt(api):
                await _pause(woken, self._retry)
            if self.leading:
                log.info("leading", lease=self._name, identity=self._identity)
                self._on_started()
            while self.leading:
                await _pause(woken, min(self._retry, self._leads_until - self._clock()))
                left = self._leads_until - self._clock()
                if self.leading:
                    await self.attempt(api.within(min(self._renew / 2, left)))
            if self._released.is_set():
                await self._give_up_lease(api)
                return
        log.error("lease lost", lease=self._name, identity=self._identity, leader=self.leader)
        self._on_lost()

    async def _give_up_lease(self, api: Api) -> None:
        lease = self._lease
        if lease is None or lease["spec"].get("holderIdentity") != self._identity:
            return
        spec = {**lease["spec"], "holderIdentity": "", "leaseDurationSeconds": 1}
        try:
            await api.replace(
                LEASES,
                self._namespace,
                {**lease, "spec": {**spec, "renewTime": event_series.now()}},
            )
        except ApiError as error:
            log.warning("lease not released, it will run out", why=str(error))
        else:
            log.info("lease released", lease=self._name)


async def _pause(woken: asyncio.Event, seconds: float) -> None:
    spread = random.uniform(1, 1 + _JITTER)  # noqa: S311 - jitter is no secret
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(max(seconds, 0) * spread):
            await woken.wait()
