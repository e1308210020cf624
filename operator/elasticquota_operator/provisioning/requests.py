"""The ProvisioningRequests of the cluster, as the watch shows them, by name and by workload.

Other users' requests are among them: what a request says about itself is no reason to trust it.
"""

from collections.abc import Iterator

from elasticquota.model.key import Key
from elasticquota.provisioning import manifests
from elasticquota_kube.client.paths import PROVISIONING_REQUESTS
from elasticquota_operator.context.controller_context import ControllerContext
from elasticquota_operator.context.manifest_store import KeptManifest, Manifest, ManifestStore
from elasticquota_operator.informers import crd_informer
from elasticquota_operator.informers.crd_informer import CrdInformer


class Requests:
    """``run()`` as a task; ``filled`` is set once it is known which requests there are."""

    def __init__(
        self, context: ControllerContext, *, every: float = crd_informer.ASKS_EVERY
    ) -> None:
        self._touch = context.touch
        self._by_prefix: dict[Key, dict[str, None]] = {}
        """Namespace and start of the name -> names."""
        self._by_subject: dict[Key, dict[str, None]] = {}
        """Workload -> names."""
        self.store = ManifestStore(self._change)
        self._informer = CrdInformer(
            context.api,
            [PROVISIONING_REQUESTS],
            KeptManifest,
            lambda _: self.store,
            every=every,
            on_restart=context.telemetry.watch_restarted,
            on_unread=context.unread,
        )
        self.filled = self._informer.filled

    @property
    def is_served(self) -> bool:
        """Whether the API server serves the kind and all requests were read once."""
        return self._informer.has_synced

    def get(self, namespace: str, name: str) -> Manifest | None:
        """The request of this name; None: there is none."""
        return self.store.get(Key(namespace, name))

    def of_prefix(self, namespace: str, prefix: str) -> Iterator[tuple[int, Manifest]]:
        """The requests of all attempts with this start of the name, by number."""
        for name in self._by_prefix.get(Key(namespace, prefix), ()):
            attempt, stored = manifests.attempt_of(name, prefix), self.get(namespace, name)
            if attempt is not None and stored is not None:
                yield attempt, stored

    def of_subject(self, subject: Key) -> Iterator[Manifest]:
        """The requests that say that they are for this workload."""
        for name in self._by_subject.get(subject, ()):
            stored = self.get(subject.namespace, name)
            if stored is not None:
                yield stored

    async def run(self) -> None:
        """Watch until canceled, once the API server serves the kind."""
        await self._informer.run()

    def _change(self, key: Key, before: Manifest | None, now: Manifest | None) -> None:
        for manifest in (before, now):
            if manifest is not None:
                self._index(self._by_prefix, self._prefix(key), key.name, there=now is not None)
                subject = manifests.subject(manifest)
                if subject is not None:
                    there = manifest is now
                    self._index(self._by_subject, subject, key.name, there=there)
        self._touch()

    @staticmethod
    def _prefix(key: Key) -> Key:
        return Key(key.namespace, manifests.prefix_of(key.name))

    @staticmethod
    def _index(index: dict[Key, dict[str, None]], at: Key, name: str, *, there: bool) -> None:
        if there:
            index.setdefault(at, {})[name] = None
            return
        found = index.get(at)
        if found is not None:
            found.pop(name, None)
            if not found:
                del index[at]
