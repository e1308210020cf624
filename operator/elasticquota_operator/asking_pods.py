"""Pods that may ask for a queue to be made are remembered, as the watch of pods shows them.

They bear the name of a quota with a hash, as only such queues' quotas and a few others have. A pod
that is over asks for nothing.
"""

from collections.abc import Callable, Iterable

from elasticquota import names
from elasticquota.dialects import asking
from elasticquota.dialects.asking import Asking
from elasticquota.model import holder
from elasticquota.model.key import Key
from elasticquota.wire import holders, queue_pods
from elasticquota.wire.pods import PodManifest
from elasticquota_kube import reflector


class AskingPods:
    """A sink; ``changed()`` is called when others ask, or ask otherwise."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._found: dict[Key, Asking] = {}

    def all(self) -> Iterable[Asking]:
        """Those that there are now."""
        return self._found.values()

    def upsert(self, obj: PodManifest, /) -> None:
        key = obj.metadata.key
        quota = obj.metadata.label(names.QUOTA_NAME)
        if obj.finished or not asking.may_be(quota):
            self._forget(key)
            return
        found = _read(obj, quota)
        if self._found.get(key) != found:
            self._found[key] = found
            self._changed()

    def delete(self, key: reflector.Key, /) -> None:
        self._forget(Key(key.namespace, key.name))

    def synced(self) -> None:
        """Nothing waits for this: nobody leads before all pods are known."""

    def poison(self, key: reflector.Key | None, error: Exception, /) -> None:
        """The last good state remains."""

    def _forget(self, key: Key) -> None:
        if self._found.pop(key, None) is not None:
            self._changed()


def _read(pod: PodManifest, quota: str) -> Asking:
    meta = pod.metadata
    who = holders.read(meta.labels or {}, meta.annotations or {})
    user = "" if who.user == holder.UNKNOWN else who.user
    return Asking(quota, meta.namespace, queue_pods.queue(meta), user, who.groups)
