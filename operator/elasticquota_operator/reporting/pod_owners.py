"""Which object controls each pod, as the watch of pods shows it."""

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from elasticquota.model.key import Key
from elasticquota.model.owner import Owner
from elasticquota.wire.kubernetes.pods import PodManifest
from elasticquota_kube.informer.store import Store


GONE: Final = 1000
"""How many pods are remembered after they ended; fewer are evicted at the same time."""
_NONE: Final[Mapping[Owner, int]] = MappingProxyType({})


class PodOwners(Store[PodManifest, Owner]):
    """The owner of each pod that has one and has not finished."""

    def __init__(self) -> None:
        super().__init__(_read, self._count_again)
        self._counts: dict[str, Counter[Owner]] = {}
        self._gone: dict[Key, Owner] = {}

    def of_evicted(self, pod: Key) -> Owner | None:
        """The owner of a pod that was just evicted.

        A pod without a grace period may be gone before the answer to its eviction is read.
        """
        return self.get(pod) or self._gone.get(pod)

    def of(self, namespace: str) -> Mapping[Owner, int]:
        """The owners of pods of a namespace, with the number of their pods; a live view."""
        return self._counts.get(namespace, _NONE)

    def _count_again(self, key: Key, before: Owner | None, now: Owner | None) -> None:
        counts = self._counts.setdefault(key.namespace, Counter())
        if now is not None:
            counts[now] += 1
        if before is not None:
            self._remember(key, before)
            counts[before] -= 1
            if not counts[before]:
                del counts[before]
        if not counts:
            del self._counts[key.namespace]

    def _remember(self, pod: Key, owner: Owner) -> None:
        self._gone.pop(pod, None)
        self._gone[pod] = owner
        if len(self._gone) > GONE:
            del self._gone[next(iter(self._gone))]


def _read(pod: PodManifest) -> Owner | None:
    return None if pod.finished else pod.metadata.controller
