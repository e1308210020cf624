"""Stores the last state of every object of one kind, fed by a reflector.

The state may be some milliseconds old. While the API server is away it is stale but complete. An
object that cannot be decoded keeps its last good state and is reported once per change.
"""

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

import structlog

from elasticquota.model.key import Key
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota_kube.informer import reflector


class Manifest(Protocol):
    """Anything with metadata."""

    @property
    def metadata(self) -> ObjectMeta: ...


M_contra = TypeVar("M_contra", bound=Manifest, contravariant=True)
V = TypeVar("V")

log = structlog.get_logger(__name__)


class ObjectStore(Generic[M_contra, V]):
    """Values by key; ``changed`` is called with the key of each value that changes."""

    def __init__(
        self,
        kind: str,
        read: Callable[[M_contra], V],
        changed: Callable[[Key], None],
        seen: Callable[[Key, str], None] = lambda _key, _version: None,
    ) -> None:
        self.values: dict[Key, V] = {}
        self.full = False
        self._kind = kind
        self._read = read
        self._changed = changed
        self._seen = seen

    def upsert(self, manifest: M_contra, /) -> None:
        """Store an object; calls ``changed`` only when its value differs."""
        key = manifest.metadata.key
        value = self._read(manifest)
        if self.values.get(key) != value:
            self.values[key] = value
            self._changed(key)
        self._seen(key, manifest.metadata.resource_version)

    def delete(self, key: reflector.Key, /) -> None:
        """Remove an object."""
        gone = Key(key.namespace, key.name)
        if self.values.pop(gone, None) is not None:
            self._changed(gone)
        self._seen(gone, "")

    def synced(self) -> None:
        """Note that every existing object is stored."""
        self.full = True

    def poison(self, key: reflector.Key | None, error: Exception, /) -> None:
        """Report an object that cannot be decoded."""
        log.warning("undecodable object", kind=self._kind, object=key, error=str(error))
