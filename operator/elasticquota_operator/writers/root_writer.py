"""Create the root quotas that profiles need and the built-in ones; remove those without a profile.

Created, patched by what differs, or deleted (by uid); labels and annotations of others stay. A
profile without a tree id gets its id as a label, so that people and other tools see it (K 3.1).
So does a quota or profile whose fields say more than its keys (``wire.quota.equal_keys``).
"""

import asyncio
from functools import partial
from typing import Any

from elasticquota import names
from elasticquota.model.decision import BuiltInQuota, Decisions, ProfileStatus, RootQuota
from elasticquota.model.key import Key
from elasticquota.structs import Struct
from elasticquota.wire.quota import built_in, equal_keys, roots
from elasticquota_kube.client.paths import PROFILES, QUOTAS
from elasticquota_kube.client.rest import errors
from elasticquota_kube.client.rest.errors import ApiError
from elasticquota_operator.context.controller_context import ControllerContext
from elasticquota_operator.workqueue.workers import Workers
from elasticquota_operator.writers.quota_client import QuotaClient


class _Removal(Struct, frozen=True):
    key: Key


class _TreeId(Struct, frozen=True):
    key: Key
    tree_id: str


class _Unequal(Struct, frozen=True):
    kind: str
    key: Key


_Item = RootQuota | BuiltInQuota | _Removal | _TreeId | _Unequal
_Place = tuple[str, Key]
"""Kind and place of the object."""


class RootWriter:
    """``apply()`` in each cycle; ``run()`` as a task."""

    def __init__(self, context: ControllerContext) -> None:
        self._api = context.api
        self._settings = context.settings
        self._quotas = context.quotas
        self._client = QuotaClient(context.api, context.quotas, "root quota")
        self._profiles = context.profiles
        self._writes: Workers[_Place, _Item] = Workers("root quotas", self._write, interval=1.0)
        self._failures: dict[_Place, ApiError] = {}
        """Why the last write of an item that is tried again failed."""
        self._moved = asyncio.Event()
        """Set for a moment when items were replaced or a write ended."""

    def apply(self, decisions: Decisions) -> None:
        items: dict[_Place, _Item] = {}
        if not self._settings.writes_quotas:
            decisions = Decisions()
        for root in decisions.roots:
            if self._wants_writing(root):
                items[names.QUOTA_KIND, root.key] = root
        for quota in decisions.built_in:
            stored = self._quotas.get(quota.key)
            if stored is None or built_in.patch(quota, stored) is not None:
                items[names.QUOTA_KIND, quota.key] = quota
        for key in decisions.unequal:
            items.setdefault((names.QUOTA_KIND, key), _Unequal(names.QUOTA_KIND, key))
        for key in decisions.orphan_roots:
            items[names.QUOTA_KIND, key] = _Removal(key)
        for profile in decisions.profiles:
            if (due := self._due(profile)) is not None:
                items[names.PROFILE_KIND, profile.key] = due
        self._writes.replace(items)
        self._failures = {place: why for place, why in self._failures.items() if place in items}
        self._wake()

    async def written(self, key: Key) -> ApiError | None:
        """Wait until nothing is to be written to the quota ``key``, or its last write has failed.

        Returns this failure; the write is tried again all the same.
        """
        place = names.QUOTA_KIND, key
        while place in self._writes and place not in self._failures:
            await self._moved.wait()
        return self._failures.get(place)

    async def run(self) -> None:
        """Write until cancelled."""
        await self._writes.run()

    async def _write(self, item: _Item) -> None:
        kind = names.QUOTA_KIND
        if isinstance(item, _TreeId):
            kind = names.PROFILE_KIND
        elif isinstance(item, _Unequal):
            kind = item.kind
        try:
            await self._attempt(item)
        except ApiError as error:
            self._failures[kind, item.key] = error
            raise
        else:
            self._failures.pop((kind, item.key), None)
        finally:
            self._wake()

    def _wake(self) -> None:
        self._moved.set()
        self._moved.clear()

    async def _attempt(self, item: _Item) -> None:
        match item:
            case RootQuota():
                await self._client.put(
                    item.key, partial(roots.manifest, item), partial(roots.patch, item)
                )
            case BuiltInQuota():
                await self._client.put(
                    item.key, partial(built_in.manifest, item), partial(built_in.patch, item)
                )
            case _Removal():
                await self._client.remove(item.key, "its profile is gone")
            case _TreeId():
                await self._label(item)
            case _Unequal():
                await self._equalize(item)

    async def _label(self, item: _TreeId) -> None:
        patch = {"metadata": {"labels": {names.TREE_ID: item.tree_id}}}
        key = item.key
        with errors.ignore_not_found():
            self._profiles.upsert(await self._api.patch(PROFILES, key.namespace, key.name, patch))

    async def _equalize(self, item: _Unequal) -> None:
        key, of_quota = item.key, item.kind == names.QUOTA_KIND
        store = self._quotas if of_quota else self._profiles
        pairs = equal_keys.QUOTA if of_quota else equal_keys.PROFILE
        stored = store.get(key)
        if stored is None or (change := equal_keys.patch(stored, pairs)) is None:
            return
        with errors.ignore_not_found():
            place = QUOTAS if of_quota else PROFILES
            store.upsert(await self._api.patch(place, key.namespace, key.name, change))

    def _wants_writing(self, root: RootQuota) -> bool:
        stored = self._quotas.get(root.key)
        return stored is None or roots.patch(root, stored) is not None

    def _due(self, profile: ProfileStatus) -> _TreeId | _Unequal | None:
        """What a profile lacks first."""
        stored = self._profiles.get(profile.key)
        if stored is None:
            return None
        labels: dict[str, Any] = stored["metadata"].get("labels") or {}
        if not labels.get(names.TREE_ID):
            return _TreeId(profile.key, profile.tree_id)
        unequal = equal_keys.patch(stored, equal_keys.PROFILE) is not None
        return _Unequal(names.PROFILE_KIND, profile.key) if unequal else None
