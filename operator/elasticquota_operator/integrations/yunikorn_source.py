"""YuniKorn's configuration and all namespaces are one external source, whose queues become quotas.

A configuration that YuniKorn would refuse is not followed. Until it is repaired no quota changes
because of it or of a namespace, so the stored quotas are the last good state, whichever process
leads and however often it restarts; nothing else keeps that state. The same holds while neither of
the two ConfigMaps exists, as before YuniKorn is installed and after it was removed. With one that
names no queues, YuniKorn has a queue for each namespace (Y13).

Queues that pods request are removed some time after the last of these pods, because the next one
may be on its way. They follow from the pods, so a restart only begins that time again.
"""

from collections.abc import Mapping
from typing import Final

from elasticquota import names
from elasticquota.integrations.translation import naming
from elasticquota.integrations.translation.translation import NOTHING, Path, Translation
from elasticquota.integrations.yunikorn import notices, queues, requested_queues
from elasticquota.integrations.yunikorn.notices import Note
from elasticquota.integrations.yunikorn.pod_queues import Placements
from elasticquota.model.fault import Fault
from elasticquota.model.key import Key
from elasticquota.wire.integrations import queue_namespaces
from elasticquota.wire.integrations.queue_namespaces import QueueNamespace
from elasticquota.wire.kubernetes.namespaces import NamespaceManifest
from elasticquota_kube.events import Regarding
from elasticquota_kube.informer.queue_config import FollowedConfig
from elasticquota_kube.informer.store import FanOut, Store
from elasticquota_operator.context.controller_context import ControllerContext
from elasticquota_operator.integrations.queue_ttl import QueueTtl
from elasticquota_operator.integrations.requesting_pods import RequestingPods


LINGER: Final = 30.0
"""Seconds that a queue stays after the last pod that asked for it."""


class YuniKornSource:
    """``run()`` as a task; ``pods`` and ``namespaces`` are sinks for the watches of these.

    ``namespace`` has the ConfigMaps; system namespaces have no queues.
    ``places_pods``: whether the webhook sees pods, and can check access lists.
    """

    name = queues.NAME

    def __init__(
        self,
        context: ControllerContext,
        namespace: str,
        *,
        places_pods: bool = True,
        linger: float = LINGER,
    ) -> None:
        self._home = context.settings.home
        self._quotas = context.quotas
        self._settings = context.settings
        self._touch = context.touch
        self.pods = RequestingPods(self._forget)
        self._asked = QueueTtl(linger, self._forget)
        self._telemetry = context.telemetry
        self._config = FollowedConfig(
            context.api,
            namespace,
            self._judge,
            places_pods=places_pods,
            on_restart=context.telemetry.watch_restarted,
        )
        self._namespaces: Store[NamespaceManifest, QueueNamespace] = Store(
            queue_namespaces.read, lambda *_: self._forget(), context.touch
        )
        self._uids: Store[NamespaceManifest, str] = Store(lambda obj: obj.metadata.uid)
        self.namespaces = FanOut(self._namespaces, self._uids)
        self._made = NOTHING
        self._made_without: frozenset[str] | None = None
        """Namespaces without which it was made; None: it has to be made again."""
        self._reported: object = None
        """What the last events were made from."""
        self._recorder = context.recorder
        self._reported_notes: frozenset[Note] = frozenset()

    @property
    def is_known(self) -> bool:
        """Whether there is a good configuration, and all namespaces were read once."""
        return self._config.is_good and self._namespaces.has_synced

    @property
    def made(self) -> Translation:
        """What the last good configuration means."""
        system = self._settings.accounting.terms.system_namespaces
        if self._made_without != system:
            listed = self._namespaces.list()
            spaces = {each.name: each for each in listed if each.name not in system}
            self._asked.are(self._wanted(spaces, system))
            self._made = queues.translate(
                self._config.config,
                spaces.values(),
                self._home,
                every=True,
                asked=self._asked.paths,
            )
            self._made_without = system
        return self._made

    def is_coming(self, quota: str) -> bool:
        """Whether a pod of this quota that is not there is to wait for it."""
        if not naming.is_hashed(quota):
            return False
        return quota in self.made.origins if self.is_known else not self._config.is_read

    def report(self, taken: tuple[str, ...]) -> None:
        """Write events on the ConfigMap and on namespaces: what became of them.

        Each sentence once, as long as it holds; the next leader repeats what holds then. ``taken``
        are names of quotas that cannot be there.
        """
        made = self.made if self.is_known else None
        state = (self._config.faults, made, taken)
        if state == self._reported:
            return
        notes = _notes(*state)
        for note in notes:
            regarding = None if note in self._reported_notes else self._about(note)
            if regarding is not None:
                self._recorder.record(
                    regarding,
                    note.reason,
                    note.text,
                    action="Follow",
                    type="Warning" if note.is_warning else "Normal",
                )
        self._reported, self._reported_notes = state, frozenset(notes)

    def _about(self, note: Note) -> Regarding | None:
        """The object that a note is for, if it is there."""
        if note.namespace:
            uid = self._uids.get(Key("", note.namespace))
            return Regarding("v1", "Namespace", "", note.namespace, uid) if uid else None
        found = self._config.stored_in
        return Regarding("v1", "ConfigMap", self._config.namespace, *found) if found else None

    async def run(self) -> None:
        """Watch until canceled."""
        await self._config.run()

    def _wanted(
        self, spaces: Mapping[str, QueueNamespace], system: frozenset[str]
    ) -> frozenset[Path]:
        pods = (pod for pod in self.pods.all() if pod.namespace not in system)
        partition = queues.partition_in_force(self._config.config)
        return requested_queues.wanted(Placements(partition), pods, spaces, self._stored)

    def _stored(self, name: str) -> Path | None:
        """The queue of one of our quotas, if pods may have asked for it."""
        found = self._quotas.get(Key(self._home, name))
        if found is None:
            return None
        meta = found["metadata"]
        if (meta.get("labels") or {}).get(names.DIALECT) != self.name:
            return None
        return requested_queues.path_of(name, (meta.get("annotations") or {}).get(names.SOURCE, ""))

    def _judge(self) -> None:
        if self._config.faults is not None:
            self._telemetry.dialect_is(self.name, self._config.is_good)
        self._forget()

    def _forget(self) -> None:
        self._made_without = None
        self._touch()


def _notes(
    faults: tuple[Fault, ...] | None, made: Translation | None, taken: tuple[str, ...]
) -> tuple[Note, ...]:
    if faults:
        return notices.of_broken(faults)
    return notices.of_followed(made, taken) if made is not None else ()
