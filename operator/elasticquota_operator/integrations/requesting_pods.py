"""Pods that may request a queue, remembered as the watch of pods shows them.

They carry the name of a quota with a hash, as only the quotas of such queues and a few others have.
A finished pod requests nothing. Pods of one user request the same queue, and only the first and the
last of them are news.
"""

from collections import Counter
from collections.abc import Callable, Collection
from typing import Final

from elasticquota import names
from elasticquota.integrations.translation import naming
from elasticquota.integrations.yunikorn.requested_queues import PodQueueRequest
from elasticquota.model import holder
from elasticquota.model.key import Key
from elasticquota.wire.integrations import queue_pods
from elasticquota.wire.kubernetes import holders
from elasticquota.wire.kubernetes.pods import PodManifest
from elasticquota_kube.informer.store import Store


_MOST: Final = 2080
"""Characters of the path of a queue; no path that can be has as many."""


class RequestingPods(Store[PodManifest, PodQueueRequest]):
    """``changed()`` is called when something else is asked for."""

    def __init__(self, changed: Callable[[], None]) -> None:
        super().__init__(_read, self._count_again)
        self._changed = changed
        self._counts: Counter[PodQueueRequest] = Counter()

    def all(self) -> Collection[PodQueueRequest]:
        """What the pods that there are now ask for, each thing once."""
        return self._counts.keys()

    def _count_again(
        self, _key: Key, before: PodQueueRequest | None, now: PodQueueRequest | None
    ) -> None:
        self._count(now, 1)
        self._count(before, -1)

    def _count(self, found: PodQueueRequest | None, more: int) -> None:
        if found is None:
            return
        before = self._counts[found]
        self._counts[found] = before + more
        if not self._counts[found]:
            del self._counts[found]
        if found not in self._counts or not before:
            self._changed()


def _read(pod: PodManifest) -> PodQueueRequest | None:
    meta = pod.metadata
    quota = meta.label(names.QUOTA_NAME)
    if pod.finished or not naming.is_hashed(quota):
        return None
    who = holders.read(meta.labels or {}, meta.annotations or {})
    user = "" if who.user == holder.UNKNOWN else who.user
    queue = queue_pods.queue(meta)[:_MOST]
    return PodQueueRequest(quota, meta.namespace, queue, user, who.groups)
