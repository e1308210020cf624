"""Keeps the figures that the controller last published for each quota, apart from its spec.

Statuses change every second and are rarely needed: they are stored raw and decoded on use, and the
forest does not hold them. They are about a second old, like every status.
"""

from collections.abc import Iterable

from elasticquota import names
from elasticquota.model.figures import Figures
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota.wire.quota import quotas
from elasticquota.wire.quota.quotas import StoredQuota
from elasticquota_kube.informer import reflector


class Published:
    """Filled by the watch of the quotas; their store reports what cannot be decoded."""

    def __init__(self) -> None:
        self._unread: dict[Key, StoredQuota] = {}
        self._figures: dict[Key, Figures] = {}

    def upsert(self, manifest: StoredQuota, /) -> None:
        """Store the status of a quota, not decoded yet."""
        said = {
            key: text
            for key in (names.NON_PREEMPTIBLE_USED,)
            if (text := manifest.metadata.annotation(key))
        }
        figures = StoredQuota(ObjectMeta(annotations=said or None), status=manifest.status)
        self._unread[manifest.metadata.key] = figures

    def delete(self, key: reflector.Key, /) -> None:
        """Remove a quota."""
        gone = Key(key.namespace, key.name)
        self._unread.pop(gone, None)
        self._figures.pop(gone, None)

    def synced(self) -> None:
        """Do nothing: no reader waits for it."""

    def poison(self, key: reflector.Key | None, error: Exception, /) -> None:
        """Do nothing: the last good state remains."""

    def of(self, asked: Iterable[Quota]) -> dict[str, Figures]:
        """The published figures by quota name, of those ``asked`` quotas that have any."""
        found = {}
        for quota in asked:
            self._read(quota.key)
            if quota.key in self._figures:
                found[quota.name] = self._figures[quota.key]
        return found

    def _read(self, key: Key) -> None:
        if key in self._unread:
            figures = quotas.figures(self._unread.pop(key))
            if figures is None:
                self._figures.pop(key, None)
            else:
                self._figures[key] = figures
