"""Keeps the figures that the controller last published for each quota, apart from its spec.

Statuses change every second and are rarely needed: they are stored raw and decoded on use, and the
forest does not hold them. They are about a second old, like every status.
"""

from collections.abc import Collection, Iterable

from elasticquota import names
from elasticquota.forest.structure import Forest
from elasticquota.model.key import Key
from elasticquota.model.quota import Figures, Quota
from elasticquota.model.wait_estimate import WaitEstimate
from elasticquota.structs import replace
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota.wire.quota import quotas
from elasticquota.wire.quota.quotas import StoredQuota
from elasticquota_kube.informer.store import Store


class Published(Store[StoredQuota, StoredQuota]):
    """Filled by the watch of the quotas."""

    def __init__(self) -> None:
        super().__init__(_status, lambda key, *_: self._figures.pop(key, None))
        self._figures: dict[Key, Figures | None] = {}
        """The decoded figures; None: there are none."""

    def of(self, asked: Iterable[Quota]) -> dict[str, Figures]:
        """The published figures by quota name, of those ``asked`` quotas that have any."""
        found = ((quota.name, self._decoded(quota.key)) for quota in asked)
        return {name: figures for name, figures in found if figures is not None}

    def of_keys(self, asked: Iterable[Quota], keys: Collection[str]) -> dict[str, Figures]:
        """As ``of``, with these resources only, and at a part of the cost."""
        found: dict[str, Figures] = {}
        for quota in asked:
            stored = self.get(quota.key)
            figures = None if stored is None else quotas.figures(stored, keys)
            if figures is not None:
                found[quota.name] = figures
        return found

    def waits(self, quota: Quota) -> tuple[int, WaitEstimate | None]:
        """How many pods wait in the quota, and how long new ones are expected to."""
        stored = self.get(quota.key)
        return (
            (0, None) if stored is None else (quotas.waiting(stored), quotas.wait_estimate(stored))
        )

    def _decoded(self, key: Key) -> Figures | None:
        stored = self.get(key)
        if stored is not None and key not in self._figures:
            self._figures[key] = quotas.figures(stored)
        return self._figures.get(key)


def stored_as(quota: Quota, forest: Forest) -> Quota:
    """The quota with the key of its object: a built-in one is stored in the home namespace."""
    home = forest.terms.home
    return replace(quota, key=Key(home, quota.name)) if home and not quota.key.namespace else quota


def _status(manifest: StoredQuota) -> StoredQuota:
    """The parts of a quota that hold figures, not decoded yet."""
    text = manifest.metadata.annotation(names.NON_PREEMPTIBLE_USED)
    annotations = {names.NON_PREEMPTIBLE_USED: text} if text else None
    return StoredQuota(ObjectMeta(annotations=annotations), status=manifest.status)
