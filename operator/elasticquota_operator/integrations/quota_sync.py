"""Keep our quotas in step with external objects, and write the result into the status of these.

All quotas of an integration are one item of the queue: when its turn comes, the steps are decided
again from what is stored and taken in order; a refused step is tried again. While the external
objects cannot be used, their quotas stay as they are. A process that dies in between leaves nothing
that the next one has to know. With no integration enabled, nothing is watched.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from elasticquota import names
from elasticquota.integrations.ack import pools
from elasticquota.integrations.source_status import Figures, SourceStatus
from elasticquota.integrations.translation import sync
from elasticquota.integrations.translation.sync import Put, Remove, SyncPlan
from elasticquota.ledger.nodes import tree_nodes
from elasticquota.model.decision import Decisions
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.structs import Struct
from elasticquota.wire.codec import merge
from elasticquota.wire.quota import quota_manifests, statuses
from elasticquota_kube.client.rest.errors import ApiError
from elasticquota_operator.context.controller_context import ControllerContext
from elasticquota_operator.context.runnable import run_all
from elasticquota_operator.integrations.sources import Dialect, ExternalSource, QuotaSource
from elasticquota_operator.workqueue.workers import Workers
from elasticquota_operator.writers import transitions
from elasticquota_operator.writers.quota_client import QuotaClient


STATUS_INTERVAL: Final = 1.0
"""Seconds between two writes to the status of one object."""

Status = Mapping[str, Any]


class _Item(Struct, frozen=True):
    """What the status of one object shall say, and what it says."""

    dialect: Dialect[Any]
    key: Key
    wanted: Status
    stored: Status


class QuotaSync:
    """``apply()`` in each cycle; ``run()`` as a task.

    ``blocking`` names quotas with strict queues; ``now`` is the wall clock.
    """

    def __init__(
        self,
        context: ControllerContext,
        followed: Sequence[QuotaSource],
        *,
        blocking: Callable[[], frozenset[str]] = frozenset,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._api = context.api
        self._ledger = context.ledger
        self._client = QuotaClient(context.api, context.quotas, "kept quota")
        self._followed = {source.name: source for source in followed}
        self._blocking = blocking
        self._now = now
        self._figures: Figures = {}
        self._plans: dict[str, SyncPlan] = {}
        self._answered: dict[tuple[str, Key], tuple[Status, Status]] = {}
        """What was wanted and what was stored for it: other people's definitions drop fields."""
        self._quota_queue: Workers[str, QuotaSource] = Workers("kept quotas", self._sync_quotas)
        self._source_queue: Workers[str, ExternalSource[Any]] = Workers(
            "external objects", self._queue_statuses, interval=STATUS_INTERVAL
        )
        self._status_queue: Workers[tuple[str, Key], _Item] = Workers(
            "statuses of external objects", self._write_status, interval=STATUS_INTERVAL
        )

    def apply(self, decisions: Decisions) -> None:
        if not self._followed:
            return
        self._figures = {status.key.name: status for status in decisions.statuses}
        there = pools.of(self._ledger.profiles, self._ledger.quotas)
        kinds = pools.kinds(tree_nodes.profiles_in_force(self._ledger))
        known = {name: found for name, found in self._followed.items() if found.is_known}
        judged = {name: each for name, each in known.items() if isinstance(each, ExternalSource)}
        for each in judged.values():
            each.reconfigure(there, kinds)
        self._quota_queue.replace(
            {name: found for name, found in known.items() if self._plan(found).steps}
        )
        self._source_queue.replace(judged)

    def taken(self, name: str) -> tuple[str, ...]:
        """Names of quotas that the integration needs and that other objects have."""
        return self._plans.get(name, sync.NO_PLAN).taken

    async def run(self) -> None:
        """Watch and write until cancelled; returns at once when nothing is to be followed."""
        if self._followed:
            queues = (self._quota_queue, self._source_queue, self._status_queue)
            await run_all(*queues, *self._followed.values())

    # -- quotas

    def _plan(self, source: QuotaSource) -> SyncPlan:
        """Cheap while nothing changes: there is a cycle for every pod event."""
        made, before = source.made, self._plans.get(source.name, sync.NO_PLAN)
        stored = self._ledger.quotas.values()
        self._plans[source.name] = planned = sync.plan(
            source.name, made.quotas, stored, made.waiting, self._blocking(), before
        )
        return planned

    async def _sync_quotas(self, source: QuotaSource) -> None:
        refused: ApiError | None = None
        for step in self._plan(source).steps:
            try:
                match step:
                    case Put(quota):
                        await self._put(quota, source.made.origins)
                    case Remove(key, uid):
                        await self._client.remove(key, "nothing asks for it any more", uid=uid)
            except ApiError as error:
                if error.is_unserved:
                    raise
                refused = refused or error
        if refused is not None:
            raise refused

    async def _put(self, quota: Quota, origins: Mapping[str, str]) -> None:
        # One that is on its way out lowers what it promises and keeps what it says of its source.
        name = quota.key.name
        source = {names.SOURCE: origins[name]} if name in origins else {}
        await self._client.put(
            quota.key,
            partial(quota_manifests.manifest, quota, source),
            partial(quota_manifests.patch, quota, source),
            dialect=quota.kept_for,
        )

    # -- statuses

    async def _queue_statuses(self, source: ExternalSource[Any]) -> None:
        """The status of all objects; figures change with every pod, so not in every cycle."""
        for status in source.source_statuses(self._plan(source).taken, self._figures):
            manifest = source.stored(status.key)
            if manifest is None:
                continue
            stored = manifest.status if isinstance(manifest.status, dict) else {}
            place = (source.name, status.key)
            # Where conditions are dropped, theirs is still the time when they came to be.
            before = stored if "conditions" in stored else self._answered.get(place, (stored,))[0]
            wanted = self._wanted(status, manifest.metadata.generation, before)
            if _difference(stored, wanted) and self._answered.get(place) != (wanted, stored):
                self._status_queue.put(place, _Item(source.dialect, status.key, wanted, stored))

    def _wanted(self, status: SourceStatus, generation: int, before: Status) -> Status:
        conditions = statuses.conditions((status.condition,), generation)
        return {
            **status.document(),
            "conditions": transitions.dated(conditions, before, self._now()),
        }

    async def _write_status(self, item: _Item) -> None:
        key, place = item.key, (item.dialect.name, item.key)
        change = {"status": _difference(item.stored, item.wanted)}
        try:
            made = await self._api.patch(
                item.dialect.resource, key.namespace, key.name, change, subresource="status"
            )
        except ApiError as error:
            if not error.is_not_found:
                raise
            # It is gone, or its definition has no status to be written.
            self._answered[place] = (item.wanted, item.stored)
            return
        self._answered[place] = (item.wanted, made.get("status") or {})


def _difference(stored: Status, wanted: Status) -> dict[str, Any]:
    """Fields that are not ours stay."""
    return merge.difference({key: stored[key] for key in wanted if key in stored}, wanted)
