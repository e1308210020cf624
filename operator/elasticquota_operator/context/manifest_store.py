"""A store keeps the objects of one kind as last seen; writers compare with it.

Objects are kept whole except for what no writer reads: ``managedFields``, which take 11 of 19 KB,
and, where a store says so, long annotations of others, such as kubectl's copy of the whole object.

Watches, the resync and the answers to our own writes all put objects here. They may be late, so an
older resourceVersion never replaces a newer one, and an object that was seen deleted does not come
back: no uid is used twice.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from elasticquota.model.key import Key
from elasticquota_kube.informer import reflector
from elasticquota_kube.informer.store import OnChange, Store, ignore


REMEMBERED: Final = 1024
"""Deletions that are remembered; the resync corrects what is later than these."""

LONG: Final = 256
"""Characters of an annotation; a longer one is kept only where we may have to read it."""
_OURS: Final = ("elasticquota.dev", "koordinator.sh", "kube-queue")

Manifest = Mapping[str, Any]


class _KeptMetadata(msgspec.Struct, rename="camel", gc=False, omit_defaults=True):
    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None
    labels: Any = None
    annotations: Any = None
    owner_references: Any = None


class KeptManifest(msgspec.Struct, gc=False, omit_defaults=True):
    """An object of a kind of any shape, with the fields that decisions read; others are dropped."""

    metadata: _KeptMetadata = msgspec.field(default_factory=_KeptMetadata)
    spec: Any = None
    status: Any = None


class ManifestStore(Store[Any, Manifest]):
    """A sink of reflectors; owned by the main loop."""

    def __init__(self, on_change: OnChange[Manifest] = ignore, *, others: bool = True) -> None:
        """``others``: whether long annotations are kept that are not of our domains."""
        super().__init__(msgspec.to_builtins, on_change)
        self._others = others
        self._gone: dict[str, None] = {}  # uids, oldest first
        self._dropped_since: set[str] | None = None  # uids, while a resync reads

    def reduced(self, manifest: Manifest) -> Manifest:
        """What is kept of an object."""
        metadata = dict(manifest["metadata"])
        metadata.pop("managedFields", None)
        written = metadata.get("annotations")
        if not self._others and isinstance(written, Mapping):
            metadata["annotations"] = {
                key: text
                for key, text in written.items()
                if len(text) <= LONG or key.partition("/")[0].endswith(_OURS)
            }
        return {**manifest, "metadata": metadata}

    def upsert(self, obj: msgspec.Struct | Manifest, /) -> bool:
        """Take in an object; return whether it is newer than the stored one."""
        manifest: Manifest = obj if isinstance(obj, Mapping) else msgspec.to_builtins(obj)
        if _uid(manifest) in self._gone:
            return False
        key = _key(manifest)
        before = self.get(key)
        if before is not None and not _is_newer(manifest, before):
            return False
        self._replace(key, before, self.reduced(manifest))
        return True

    def delete(self, key: reflector.ObjectKey, /) -> bool:
        """Remove an object that was seen deleted; its successor of the same name stays."""
        self._gone[key.uid] = None
        if len(self._gone) > REMEMBERED:
            del self._gone[next(iter(self._gone))]
        if self._dropped_since is not None:
            self._dropped_since.add(key.uid)
        before = self.get(Key(key.namespace, key.name))
        if before is None or _uid(before) != key.uid:
            return False
        self._replace(_key(before), before, None)
        return True

    def start_list(self) -> Mapping[str, int]:
        """The uids known before a list is read, each with its version: only these can be missed
        by it.
        """
        self._dropped_since = set()
        return {_uid(manifest): _version(manifest) for manifest in self.list()}

    def is_ahead(self, known: Mapping[str, int], listed: Iterable[Manifest]) -> bool:
        """Whether ``listed`` has an older version of an object than was ``known`` before, or an
        object that had been seen deleted. So the API server's store was set back.
        """
        dropped = self._dropped_since or set()
        return any(
            _version(manifest) < known.get(uid, 0) or (uid in self._gone and uid not in dropped)
            for manifest in listed
            for uid in (_uid(manifest),)
        )

    def finish_list(self, known: Mapping[str, int], listed: Iterable[Manifest]) -> int:
        """Take over what the list says; return how many objects had been seen wrongly."""
        dropped, self._dropped_since = self._dropped_since or set(), None
        there = {_uid(manifest): manifest for manifest in listed}
        gone = [m for m in self.list() if _uid(m) in known and _uid(m) not in there]
        repaired = sum(self.delete(identity(manifest)) for manifest in gone)
        return repaired + sum(
            self.upsert(manifest) for uid, manifest in there.items() if uid not in dropped
        )


def identity(manifest: Manifest) -> reflector.ObjectKey:
    """Return namespace, name and uid of an object."""
    return reflector.ObjectKey(*_key(manifest), _uid(manifest))


def _key(manifest: Manifest) -> Key:
    metadata = manifest["metadata"]
    return Key(metadata.get("namespace", ""), metadata["name"])


def _uid(manifest: Manifest) -> str:
    return str(manifest["metadata"].get("uid", ""))


def _version(manifest: Manifest) -> int:
    """The resourceVersions of one kind are ordered numbers (KEP-5504)."""
    text = str(manifest["metadata"].get("resourceVersion", ""))
    return int(text) if text.isascii() and text.isdigit() else 0


def _is_newer(manifest: Manifest, before: Manifest) -> bool:
    return _version(manifest) > _version(before) or (
        _uid(manifest) != _uid(before) and _version(manifest) == _version(before)
    )
