"""The fields of ObjectMeta that are read, for every kind."""

import sys
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import msgspec

from elasticquota.model import moments
from elasticquota.model.key import Key
from elasticquota.model.owner import Owner


class OwnerReference(msgspec.Struct, rename="camel", gc=False):
    """One entry of ``metadata.ownerReferences``."""

    kind: str = ""
    name: str = ""
    controller: bool | None = None
    api_version: str = ""
    uid: str = ""


class ObjectMeta(msgspec.Struct, rename="camel", gc=False):
    """Fields with the names and meaning of the API; null maps become None."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    creation_timestamp: str | None = ""
    deletion_timestamp: str | None = None
    deletion_grace_period_seconds: int | None = None
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None
    owner_references: list[OwnerReference] | None = None

    @property
    def key(self) -> Key:
        """Namespace and name."""
        return Key(self.namespace, self.name)

    @property
    def created(self) -> str:
        """The creation timestamp as written; empty if absent."""
        return self.creation_timestamp or ""

    @property
    def deleting(self) -> bool:
        """Whether the object has a deletion timestamp."""
        return self.deletion_timestamp is not None

    @property
    def controller(self) -> Owner | None:
        """The owner that controls the object; objects of one owner share one value."""
        for found in self.owner_references or ():
            if found.controller:
                return _owner(found.api_version, found.kind, found.name, found.uid)
        return None

    @property
    def gone_after(self) -> int | None:
        """The deletion timestamp plus the grace period (K 2.2), in epoch milliseconds.

        The timestamp already contains the grace period; adding it again gives a late node the same
        time once more.
        """
        if self.deletion_timestamp is None:
            return None
        deleted = moments.read(self.deletion_timestamp)
        if deleted is None:
            return None
        return deleted + (self.deletion_grace_period_seconds or 0) * 1000

    @property
    def ends_at(self) -> int | None:
        """The deletion timestamp, at which the grace period ends, in epoch milliseconds."""
        return moments.read(self.deletion_timestamp or "")

    def label(self, key: str, default: str = "") -> str:
        """Return the value of a label."""
        return (self.labels or {}).get(key, default)

    def annotation(self, key: str, default: str = "") -> str:
        """Return the value of an annotation."""
        return (self.annotations or {}).get(key, default)


@lru_cache(maxsize=1024)
def _owner(api_version: str, kind: str, name: str, uid: str) -> Owner:
    return Owner(sys.intern(api_version), sys.intern(kind), name, uid)


def document(
    api: str, kind: str, key: Key, spec: Mapping[str, Any], **metadata: Mapping[str, str]
) -> dict[str, Any]:
    """Return an object to create, with these labels and annotations."""
    return {
        "apiVersion": api,
        "kind": kind,
        "metadata": {"name": key.name, "namespace": key.namespace, **metadata},
        "spec": spec,
    }


class SpecManifest(msgspec.Struct, gc=False):
    """An object of a kind whose stored ``spec`` may have any shape."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: Any = None


class StatusManifest(SpecManifest, gc=False):
    """The same with its ``status``, for the writers of the status."""

    status: Any = None
