"""A store keeps the custom resources of one kind as last seen; writers compare with it.

Objects are kept whole except for what no writer reads: ``managedFields``, which take 11 of 19 KB,
and, where a store says so, long annotations of others, such as kubectl's copy of the whole object.

Kopf's watch, the resync and the answers to our own writes all put objects here. They may be late,
so an older resourceVersion never replaces a newer one, and an object that was seen deleted does not
come back: no uid is used twice.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from elasticquota.model.key import Key


REMEMBERED: Final = 1024
"""Deletions that are remembered; the resync corrects what is later than these."""

LONG: Final = 256
"""Characters of an annotation; a longer one is kept only where we may have to read it."""
_OURS: Final = ("elasticquota.dev", "koordinator.sh", "kube-queue")

Manifest = Mapping[str, Any]


class ManifestStore:
    """Owned by the main loop. ``on_put`` and ``on_drop`` hear of each real change."""

    def __init__(
        self,
        on_put: Callable[[Manifest], None],
        on_drop: Callable[[Key], None],
        *,
        others: bool = True,
    ) -> None:
        """``others``: whether long annotations are kept that are not of our domains."""
        self._others = others
        self._on_put = on_put
        self._on_drop = on_drop
        self._manifests: dict[Key, Manifest] = {}
        self._gone: dict[str, None] = {}  # uids, oldest first
        self._dropped_since: set[str] | None = None  # uids, while a sweep reads

    def get(self, key: Key) -> Manifest | None:
        return self._manifests.get(key)

    def manifests(self) -> tuple[Manifest, ...]:
        """All of them, as of now."""
        return tuple(self._manifests.values())

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

    def put(self, manifest: Manifest) -> bool:
        """Take in an object; tells whether it was news."""
        if _uid(manifest) in self._gone:
            return False
        key = _key(manifest)
        before = self._manifests.get(key)
        if before is not None and not _is_newer(manifest, before):
            return False
        self._manifests[key] = manifest = self.reduced(manifest)
        self._on_put(manifest)
        return True

    def drop(self, manifest: Manifest) -> bool:
        """Remove an object that was seen deleted; its successor of the same name stays."""
        self._gone[_uid(manifest)] = None
        if len(self._gone) > REMEMBERED:
            del self._gone[next(iter(self._gone))]
        if self._dropped_since is not None:
            self._dropped_since.add(_uid(manifest))
        key = _key(manifest)
        before = self._manifests.get(key)
        if before is None or _uid(before) != _uid(manifest):
            return False
        del self._manifests[key]
        self._on_drop(key)
        return True

    def start_list(self) -> frozenset[str]:
        """The uids known before a list is read: only these can be missed by it."""
        self._dropped_since = set()
        return frozenset(_uid(manifest) for manifest in self._manifests.values())

    def finish_list(self, known: frozenset[str], listed: Iterable[Manifest]) -> int:
        """Take over what the list says; returns how many objects had been seen wrongly."""
        dropped, self._dropped_since = self._dropped_since or set(), None
        there = {_uid(manifest): manifest for manifest in listed}
        gone = [m for m in self._manifests.values() if _uid(m) in known and _uid(m) not in there]
        repaired = sum(self.drop(manifest) for manifest in gone)
        return repaired + sum(
            self.put(manifest) for uid, manifest in there.items() if uid not in dropped
        )


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
