"""Publish the decided status where it differs from the stored one.

The first change after a quiet second is written at once, then at most one write per object and
second, always the newest; while many pods are admitted, one write after the other. The whole status
is ours: edits of others in it are corrected. A condition keeps its ``lastTransitionTime`` until its
status flips, and an event reports the flip. A status that cannot be written is only old; nothing is
decided from it; an event says so where the object is the cause, such as one at the size limit of
the store. What the API server drops, because the definition is of another version
(``informers.own_definitions``), is written again with the next change; events still tell of it.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from elasticquota import names
from elasticquota.model.decision import Decisions, ProfileStatus, QuotaStatus
from elasticquota.model.key import Key
from elasticquota.structs import Struct
from elasticquota.wire.codec import merge
from elasticquota.wire.quota import statuses
from elasticquota_kube.client.paths import PROFILES, QUOTAS, Resource
from elasticquota_kube.client.rest import errors
from elasticquota_kube.client.rest.errors import ApiError
from elasticquota_kube.events import Regarding
from elasticquota_operator.context.controller_context import ControllerContext
from elasticquota_operator.context.manifest_store import Manifest, ManifestStore
from elasticquota_operator.workqueue.workers import Workers
from elasticquota_operator.writers import transitions


INTERVAL: Final = 1.0
"""Seconds between two writes to one object; more while many objects change (`Workers`)."""

WRITING: Final = 16
"""Writes under way at one time. Where the API server takes 0.2 s for each, four are 20 a second:
less than what fifty pod events a second change."""

PAUSE: Final = 1.0
"""Seconds after each write while pods come first. A status costs the API server as much as the
release of two pods."""

_TROUBLE: Final = frozenset(
    {
        ("Accepted", "False"),
        ("Ready", "False"),
        ("NodesOverlap", "True"),
        ("ProfileMissing", "True"),
        ("FieldsDropped", "True"),
        ("EvictionsHeld", "True"),
        ("ReclaimBlocked", "True"),
        ("Starved", "True"),
    }
)
"""Conditions worth an event, and the status that is the bad one."""
_COUNTS: Final = {QUOTAS: "quota", PROFILES: "profile"}
_PASSING: Final = "RootQuotaMissing"
"""The reason of every new profile, until its root quota is there; worth no event."""

Item = QuotaStatus | ProfileStatus
_Key = tuple[str, Key]  # kind and place


class _StatusKind(Struct, frozen=True):
    resource: Resource
    name: str
    document: Callable[[Any], dict[str, Any]]
    store: ManifestStore


class _Judged(Struct):
    """An item that was compared with the stored object."""

    item: Item
    stored: Manifest | None = None
    document: Mapping[str, Any] | None = None
    """The item as it is written, while it is news, which few of thousands of quotas are."""


class StatusWriter:
    """``apply()`` in each cycle; ``run()`` as a task. ``now`` says what time people have."""

    def __init__(
        self,
        context: ControllerContext,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._api = context.api
        self._recorder = context.recorder
        self._now = now
        self._kinds: dict[type[Item], _StatusKind] = {
            QuotaStatus: _StatusKind(
                QUOTAS, names.QUOTA_KIND, statuses.quota_status, context.quotas
            ),
            ProfileStatus: _StatusKind(
                PROFILES, names.PROFILE_KIND, statuses.profile_status, context.profiles
            ),
        }
        self._yields = context.backlog.ungating_many
        self._judged: dict[_Key, _Judged] = {}
        self._writes: Workers[_Key, Item] = Workers(
            "statuses",
            self._write,
            at_once=WRITING,
            interval=INTERVAL,
            yields=self._yields,
            pause=lambda: PAUSE,
        )

    def apply(self, decisions: Decisions) -> None:
        items: list[Item] = [*decisions.statuses, *decisions.profiles]
        found = {(self._kinds[type(item)].name, item.key): item for item in items}
        for key in self._judged.keys() - found.keys():
            del self._judged[key]
        self._writes.replace_changed(found, self._is_news)

    async def run(self) -> None:
        """Write until cancelled."""
        await self._writes.run()

    def is_busy(self) -> bool:
        """Whether there are statuses to be written."""
        return self._writes.is_busy

    def _is_news(self, key: _Key, item: Item) -> bool:
        """Cheap while nothing changes, however many cycles an item waits."""
        kind = self._kinds[type(item)]
        stored = kind.store.get(item.key)
        if stored is None:
            return False
        past = self._judged.get(key)
        if past is None or past.item != item:
            past = self._judged[key] = _Judged(item)
        if past.stored is None and self._yields():
            return True  # it will have changed again before its turn, and is compared then
        if past.stored is not stored:
            past.stored = stored
            document = past.document or kind.document(item)
            past.document = document if self._difference(document, stored) else None
        return past.document is not None

    async def _write(self, item: Item) -> None:
        kind = self._kinds[type(item)]
        stored = kind.store.get(item.key)
        if stored is not None and self._was_given_up(kind, item, stored):
            return
        document = kind.document(item)
        change = self._difference(document, stored) if stored is not None else {}
        if stored is None or not change:
            return
        key = item.key
        # A conflict is tried again: our patch names no version, so the same one may do next time.
        try:
            written = await self._api.patch(
                kind.resource, key.namespace, key.name, {"status": change}, subresource="status"
            )
        except ApiError as error:
            if not error.is_not_found:
                self._report_refusal(kind, stored, error)
                raise
            # It is gone, or its definition has no status subresource, as Koordinator's.
            with errors.ignore_not_found():
                await self._api.get(kind.resource, key.namespace, key.name)
                self._give_in(kind, item, stored)
                bare = {"metadata": stored["metadata"]}
                self._record_transitions(kind, bare, change.get("conditions", ()))
            return
        kind.store.upsert(written)
        if _version(written) == _version(stored):
            self._give_in(kind, item, stored)
        # What was dropped is not there to be compared with, whatever the watch showed before.
        shown = stored if (written.get("status") or {}).get("conditions") else written
        self._record_transitions(kind, shown, change.get("conditions", ()))

    def _report_refusal(self, kind: _StatusKind, stored: Manifest, error: ApiError) -> None:
        if error.concerns_object and not error.is_conflict:
            self._recorder.record(
                _regarding(kind, stored),
                "QuotaStatusRefused",
                "the API server refused to store the status, which stays as it was; the "
                f"{_COUNTS[kind.resource]} counts as it is written: {error.message}",
                action="Publish",
                type="Warning",
            )

    def _give_in(self, kind: _StatusKind, item: Item, stored: Manifest) -> None:
        """Nothing was stored, so this would be written without end: wait until it differs."""
        judged = self._judged_of(kind, item, stored)
        if judged is not None:
            judged.document = None

    def _was_given_up(self, kind: _StatusKind, item: Item, stored: Manifest) -> bool:
        """It was put again while the attempt was under way after which it was given up."""
        judged = self._judged_of(kind, item, stored)
        return judged is not None and judged.document is None

    def _judged_of(self, kind: _StatusKind, item: Item, stored: Manifest) -> _Judged | None:
        """What was last judged, if it is of this item and what was stored then."""
        judged = self._judged.get((kind.name, item.key))
        same = judged is not None and judged.item == item and judged.stored is stored
        return judged if same else None

    def _difference(self, document: Mapping[str, Any], stored: Manifest) -> dict[str, Any]:
        written = stored.get("status")
        before: Mapping[str, Any] = written if isinstance(written, Mapping) else {}
        dated = transitions.dated(document["conditions"], before, self._now())
        return merge.difference(before, {**document, "conditions": dated})

    def _record_transitions(
        self, kind: _StatusKind, stored: Manifest, conditions: Sequence[Mapping[str, Any]]
    ) -> None:
        before = {
            (earlier.get("type"), earlier.get("status"))
            for earlier in (stored.get("status") or {}).get("conditions") or ()
            if earlier.get("reason") != _PASSING
        }
        for condition in conditions:
            if condition["reason"] == _PASSING:
                continue
            state = (condition["type"], condition["status"])
            if kind.resource is QUOTAS and condition["type"] == "Ready":
                continue  # Accepted says the same of a quota
            if state in _TROUBLE and state not in before:
                self._recorder.record(
                    _regarding(kind, stored),
                    condition["reason"],
                    condition["message"],
                    action="Judge",
                    type="Warning",
                )


def _regarding(kind: _StatusKind, stored: Manifest) -> Regarding:
    metadata = stored["metadata"]
    return Regarding(
        kind.resource.api_version,
        kind.name,
        metadata.get("namespace", ""),
        metadata["name"],
        metadata["uid"],
    )


def _version(manifest: Manifest) -> object:
    return manifest["metadata"].get("resourceVersion")
