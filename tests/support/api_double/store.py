"""The objects with their resource versions, and the history from which watches are served."""

import copy
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from api_double import refusals
from api_double.kinds import Kind
from elasticquota_kube.client import paths
from elasticquota_kube.client.paths import Resource


Document = dict[str, Any]
Key = tuple[str, str]

_GATED = {
    "type": "PodScheduled",
    "status": "False",
    "reason": "SchedulingGated",
    "message": "Scheduling is blocked due to non-empty scheduling gates",
}


@dataclass(frozen=True, slots=True)
class Change:
    """One entry of history: the object as it is now (or was last) and as it was before."""

    version: int
    type: str
    resource: Resource
    after: Document
    before: Document | None


@dataclass(slots=True)
class Store:
    """All objects. Every write gets the next resource version, unless it changes nothing."""

    version: int = 1000
    oldest: int = 1000  # watches from before this version have expired
    objects: dict[Resource, dict[Key, Document]] = field(default_factory=dict)
    history: list[Change] = field(default_factory=list)
    listeners: list[Callable[[Change], None]] = field(default_factory=list)

    def of(self, kind: Kind) -> dict[Key, Document]:
        # Events are the same objects in both groups; here they have the fields of events.k8s.io.
        resource = paths.EVENTS if kind.resource == paths.CORE_EVENTS else kind.resource
        return self.objects.setdefault(resource, {})

    def get(self, kind: Kind, key: Key) -> Document:
        try:
            return self.of(kind)[key]
        except KeyError:
            raise refusals.not_found(kind.resource, key[1]) from None

    def create(self, kind: Kind, namespace: str, manifest: Document, *, dry: bool) -> Document:
        obj = copy.deepcopy(manifest)
        meta = obj.setdefault("metadata", {})
        key = (namespace, meta["name"])
        if key in self.of(kind):
            raise refusals.exists(kind.resource, meta["name"])
        obj |= {"apiVersion": kind.resource.api_version, "kind": kind.kind}
        meta["uid"] = str(uuid.uuid4())
        meta.setdefault("creationTimestamp", _now())
        if namespace:
            meta["namespace"] = namespace
        if kind.status:
            meta["generation"] = 1
        if kind.resource == paths.PODS:
            status = obj.setdefault("status", {})
            status.setdefault("phase", "Pending")
            if obj.get("spec", {}).get("schedulingGates"):
                status.setdefault("conditions", [_GATED])
        return self._keep(kind, key, "ADDED", obj, None, dry=dry)

    def write(self, kind: Kind, key: Key, obj: Document, *, dry: bool = False) -> Document:
        """Store the new state of an existing object."""
        before = self.get(kind, key)
        meta = obj["metadata"]
        for name in ("uid", "creationTimestamp", "resourceVersion", "generation"):
            if name in before["metadata"]:
                meta[name] = before["metadata"][name]
        if obj == before:
            return before
        if kind.status and obj.get("spec") != before.get("spec"):
            meta["generation"] += 1
        if meta.get("deletionTimestamp") and not meta.get("finalizers") and _had(before):
            return self._keep(kind, key, "DELETED", obj, before, dry=dry)
        return self._keep(kind, key, "MODIFIED", obj, before, dry=dry)

    def delete(self, kind: Kind, key: Key, *, grace: int | None = None) -> Document:
        """Delete as the API server does: finalizers and the grace of bound pods come first."""
        before = self.get(kind, key)
        obj = copy.deepcopy(before)
        bound = kind.resource == paths.PODS and obj.get("spec", {}).get("nodeName")
        if obj["metadata"].get("finalizers") or (bound and grace != 0):
            obj["metadata"].setdefault("deletionTimestamp", _now())
            obj["metadata"].setdefault("deletionGracePeriodSeconds", 30 if grace is None else grace)
            return self.write(kind, key, obj)
        return self._keep(kind, key, "DELETED", obj, before, dry=False)

    def _keep(
        self,
        kind: Kind,
        key: Key,
        change: str,
        obj: Document,
        before: Document | None,
        *,
        dry: bool,
    ) -> Document:
        if dry:
            return obj
        self.version += 1
        obj["metadata"]["resourceVersion"] = str(self.version)
        if change == "DELETED":
            del self.of(kind)[key]
        else:
            self.of(kind)[key] = obj
        entry = Change(self.version, change, kind.resource, obj, before)
        self.history.append(entry)
        for listener in list(self.listeners):
            listener(entry)
        return obj


def _had(before: Document) -> bool:
    return bool(before["metadata"].get("finalizers"))


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
