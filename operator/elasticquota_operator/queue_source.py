"""YuniKorn's configuration and all namespaces are one neighbour, whose queues quotas follow.

A configuration that YuniKorn would refuse is not followed. Until it is repaired no quota is changed
for its sake or for that of a namespace, so the kept quotas are the last good state, whoever leads
and however often the process is restarted; nothing else keeps it. The same holds while neither of
the two ConfigMaps is there, as before YuniKorn is installed and after it was removed. With one that
says nothing of queues YuniKorn has a queue for each namespace (Y13).
"""

import asyncio
from collections.abc import Callable

import structlog

from elasticquota.dialects import assembly, queue_notes, yunikorn
from elasticquota.dialects.queue_notes import Note
from elasticquota.dialects.translation import Translation
from elasticquota.wire import queue_namespaces
from elasticquota.wire.namespaces import NamespaceManifest
from elasticquota.wire.queue_namespaces import QueueNamespace
from elasticquota_kube import paths, reflector
from elasticquota_kube.api import Api
from elasticquota_kube.events import Regarding
from elasticquota_kube.paths import Resource
from elasticquota_kube.queue_config import FollowedConfig
from elasticquota_kube.reflector import Reflector


log = structlog.get_logger(__name__)


class QueueSource:
    """``run()`` as a task; a sink for its reflector of namespaces.

    ``namespace`` has the ConfigMaps, ``home`` the quotas that are made; ``system()`` are the
    namespaces that have no queues. ``judged`` is told whether the configuration is good.
    """

    name = yunikorn.NAME

    def __init__(
        self,
        api: Api,
        namespace: str,
        home: str,
        system: Callable[[], frozenset[str]],
        touch: Callable[[], None],
        *,
        judged: Callable[[bool], None] = lambda _good: None,
        on_restart: Callable[[Resource, str], None] = lambda _resource, _why: None,
    ) -> None:
        self._home = home
        self._system = system
        self._touch = touch
        self._judged = judged
        self._config = FollowedConfig(api, namespace, self._judge, on_restart=on_restart)
        self._reflector = Reflector(
            api, paths.NAMESPACES, NamespaceManifest, self, on_restart=on_restart
        )
        self._spaces: dict[str, QueueNamespace] = {}
        self._uids: dict[str, str] = {}
        self._assembly = assembly.NOTHING
        self._made_without: frozenset[str] | None = None
        """Namespaces without which it was made; None: it has to be made anew."""
        self._noted: tuple[object, tuple[Note, ...]] = (None, ())

    @property
    def is_known(self) -> bool:
        """Whether there is a good configuration, and all namespaces were read once."""
        return self._config.is_good and self._reflector.synced.is_set()

    @property
    def made(self) -> Translation:
        """What the last good configuration means."""
        system = self._system()
        if self._made_without != system:
            spaces = [each for name, each in self._spaces.items() if name not in system]
            self._assembly = yunikorn.assemble(
                self._config.config, spaces, self._home, self._assembly, every=True
            )
            self._made_without = system
        return self._assembly.translation

    def notes(self, taken: tuple[str, ...]) -> tuple[Note, ...]:
        """What is to be told; ``taken`` are names of quotas that cannot be there."""
        made = self.made if self.is_known else None
        now = (self._config.faults, made, taken)
        if now != self._noted[0]:
            self._noted = (now, _notes(*now))
        return self._noted[1]

    def about(self, note: Note) -> Regarding | None:
        """The object that a note is for, if it is there."""
        if note.namespace:
            uid = self._uids.get(note.namespace)
            return Regarding("v1", "Namespace", "", note.namespace, uid) if uid else None
        found = self._config.stored_in
        return Regarding("v1", "ConfigMap", self._config.namespace, *found) if found else None

    async def run(self) -> None:
        """Watch until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._config.run())
            tasks.create_task(self._reflector.run())

    # -- as a sink

    def upsert(self, obj: NamespaceManifest, /) -> None:
        found = queue_namespaces.read(obj)
        self._uids[found.name] = obj.metadata.uid
        if self._spaces.get(found.name) != found:
            self._spaces[found.name] = found
            self._forget()

    def delete(self, key: reflector.Key, /) -> None:
        if self._spaces.pop(key.name, None) is not None:
            del self._uids[key.name]
            self._forget()

    def synced(self) -> None:
        self._touch()

    def poison(self, key: reflector.Key | None, error: Exception, /) -> None:
        log.warning("not understood", kind="namespaces", object=str(key), why=str(error))

    def _judge(self) -> None:
        if self._config.faults is not None:
            self._judged(self._config.is_good)
        self._forget()

    def _forget(self) -> None:
        self._made_without = None
        self._touch()


def _notes(
    faults: tuple[str, ...] | None, made: Translation | None, taken: tuple[str, ...]
) -> tuple[Note, ...]:
    if faults:
        return queue_notes.of_broken(faults)
    return queue_notes.of_followed(made, taken) if made is not None else ()
