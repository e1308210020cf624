"""The life cycle of the controller, whose steps are Kopf's handlers (``handlers``).

Start, in order: ``follow`` begins the watches, ``decide`` ends with the first cycle after all
caches are filled, ``act`` starts the writers, and ``elect`` makes the process a candidate for the
Lease. Stop: writing ends, then the Lease is released, so that the standby does not wait until it
expires. A process that lost the Lease ends at once. A process with a failed part stops in order.
The next one starts from live state.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import structlog

from elasticquota.model.key import Key
from elasticquota_config.model import Configuration
from elasticquota_kube import liveness
from elasticquota_kube.client import paths
from elasticquota_kube.client.credentials.credentials import Credentials
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.client.rest.errors import ApiError
from elasticquota_operator import gc_tuning
from elasticquota_operator.composition import Composition
from elasticquota_operator.context import manifest_store
from elasticquota_operator.context.runnable import Runnables
from elasticquota_operator.context.settings import Settings


ROOT_SECONDS: Final = 10.0
"""How long an event of a profile waits for the write of its root quota at most."""

log = structlog.get_logger(__name__)


class Runtime:
    """Starts and stops the parts; create it inside the event loop that runs them."""

    def __init__(
        self,
        configuration: Configuration,
        who: Credentials,
        namespace: str,
        identity: str,
        file: Path | None = None,
        end: Callable[[], None] | None = None,
    ) -> None:
        """``end`` stops the process in order when a part failed or the API server's store was set
        back; by default it sets ``ended``.
        """
        self.credentials = who
        self.ended = asyncio.Event()
        """Kopf's flag to stop."""
        end = end or self.ended.set
        self._stopped = False
        self._parts = Composition(Settings(configuration, namespace), who, identity, file, end)
        self._running = Runnables(self._parts.context.api, end)
        self._liveness = liveness.Liveness(self._heartbeats)

    @property
    def failure(self) -> Exception | None:
        """What broke."""
        return self._running.failure

    async def listen(self, hosts: Sequence[str]) -> None:
        """Serve our pages. Call it before ``decide``, which may wait for the API server.

        Raises ``OSError`` when an address or the port is not available.
        """
        await self._parts.pages.listen(hosts)

    def follow(self) -> None:
        """Start to fill the caches: watches, resync, and the configuration file."""
        self._running.start(*self._parts.followers)

    async def decide(self) -> None:
        """Run one cycle when the caches are filled, and one after each change from then on.

        Waits for the API server. Raises ``RuntimeError`` when a part fails meanwhile; ``failure``
        says why.
        """
        self._running.start(self._parts.engine)
        await self._running.until(self._parts.engine.decided)

    def act(self) -> None:
        """Start the writers; they get the decisions of each cycle in which this process leads.

        Raises ``RuntimeError`` when a part has failed.
        """
        self._running.start(*self._parts.writers)

    def elect(self) -> None:
        """Become a candidate for the Lease."""
        gc_tuning.settle()
        log.info("caches filled, candidate for the Lease")
        self._parts.elector.start()

    async def stop(self) -> None:
        """End all tasks; then, when none of them can write, release the Lease.

        A second call does nothing.
        """
        if self._stopped:
            return
        self._stopped = True
        await self._running.stop()
        await asyncio.to_thread(self._parts.elector.release, 4.0)
        await self._parts.pages.close()
        log.info("controller ended")

    def see(self, resource: Resource, event: str | None, manifest: Mapping[str, Any]) -> Key:
        """Take an event of Kopf's watch, a profile or quota, listed or changed; return its key."""
        context, found = self._parts.context, manifest_store.identity(manifest)
        store = context.quotas if resource == paths.QUOTAS else context.profiles
        if event == "DELETED":
            store.delete(found)
        elif store.upsert(manifest):
            context.touch()  # even if it means the same: what we publish on it may be forged
        return Key(found.namespace, found.name)

    async def unwritten_root(self, profile: Key) -> str:
        """Wait until the root quota of a profile is what the next decision says.

        Returns why it is not, which is tried again. Empty: it is, or it is not ours to write.
        """
        found = self._parts.context.ledger.profiles.get(profile)
        if found is None or not found.quota_name or not self._parts.elector.leading:
            return ""
        root = Key(profile.namespace, found.quota_name)
        why: ApiError | str | None = f"no answer in {ROOT_SECONDS:.0f} s"
        with suppress(TimeoutError):
            async with asyncio.timeout(ROOT_SECONDS):
                await self._parts.engine.settled()
                why = await self._parts.roots.written(root)
        return f"root quota {root} is not written yet, and is tried again: {why}" if why else ""

    def watches(self) -> dict[str, int]:
        """Seconds since the last answer of each watch; raise ``RuntimeError`` for a dead one."""
        silent = self._liveness.silent()
        if silent:
            raise RuntimeError(
                "; ".join(f"{name}: silent for {age} s" for name, age in silent.items())
            )
        now = asyncio.get_running_loop().time()
        return {name: round(now - at) for name, at in self._heartbeats().items()}

    def cycles(self) -> int:
        """Decision cycles so far."""
        return self._parts.engine.cycles

    def role(self) -> str:
        """``leader`` or ``standby``."""
        return "leader" if self._parts.elector.leading else "standby"

    def _heartbeats(self) -> dict[str, float]:
        heard = {found.resource.plural: found.last_heard for found in self._parts.reflectors}
        heard["resync"] = self._parts.resync.last_heard
        if self._parts.elector.last_heard is not None:  # by a connection and a thread of its own
            heard["lease"] = self._parts.elector.last_heard
        return heard
