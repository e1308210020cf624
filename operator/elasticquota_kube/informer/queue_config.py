"""Follows YuniKorn's configuration: two ConfigMaps, each read by its name.

By name, because the right to read them is by name too. ``config`` is the last valid configuration.
While the stored one has faults, these are reported and ``config`` stays.
"""

import asyncio
from collections.abc import Callable

import structlog

from elasticquota.integrations.yunikorn import queue_rules
from elasticquota.wire.integrations import queue_maps
from elasticquota.wire.integrations.queue_maps import ConfigMapManifest, QueueMap
from elasticquota.wire.integrations.queues import QueueConfig
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.informer import reflector
from elasticquota_kube.informer.reflector import Reflector


MOST_LOGGED = 20

log = structlog.get_logger(__name__)


class FollowedConfig:
    """The sink of two reflectors; start ``run()`` as a task. Calls ``changed()`` on each change."""

    def __init__(
        self,
        api: Api,
        namespace: str,
        changed: Callable[[], None],
        *,
        on_restart: Callable[[Resource, str], None] = lambda _resource, _why: None,
    ) -> None:
        self.namespace = namespace
        self.faults: tuple[str, ...] | None = None
        """What YuniKorn would refuse; None while no ConfigMap is known to exist."""
        self.config: QueueConfig | None = None
        """None: YuniKorn's behavior without a configuration."""
        self._changed = changed
        self._maps: dict[str, QueueMap] = {}
        self._uids: dict[str, str] = {}
        self._in_force: QueueMap | None = None
        self._reflectors = [
            Reflector(
                api,
                paths.CONFIG_MAPS,
                ConfigMapManifest,
                self,
                namespace=namespace,
                field_selector=f"metadata.name={name}",
                on_restart=on_restart,
            )
            for name in queue_maps.NAMES
        ]

    @property
    def is_read(self) -> bool:
        """Whether both ConfigMaps have been read."""
        return all(each.synced.is_set() for each in self._reflectors)

    @property
    def is_good(self) -> bool:
        """Whether ``config`` is the stored one."""
        return self.faults == ()

    @property
    def stored_in(self) -> tuple[str, str] | None:
        """Name and uid of the ConfigMap that counts; None: none does."""
        if self._in_force is None:
            return None
        return self._in_force.name, self._uids[self._in_force.name]

    async def run(self) -> None:
        """Watch both ConfigMaps until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for each in self._reflectors:
                tasks.create_task(each.run())

    # -- as a sink

    def upsert(self, obj: ConfigMapManifest, /) -> None:
        name = obj.metadata.name
        self._uids[name] = obj.metadata.uid
        self._maps[name] = queue_maps.read(obj)
        self._reread()

    def delete(self, key: reflector.Key, /) -> None:
        if self._maps.pop(key.name, None) is not None:
            self._reread()

    def synced(self) -> None:
        self._reread()

    def poison(self, key: reflector.Key | None, error: Exception, /) -> None:
        log.warning("not understood", kind="configmaps", object=str(key), why=str(error))

    def _reread(self) -> None:
        if not self.is_read:
            return
        found = queue_maps.in_force(self._maps.values())
        if not self._maps:
            log.info("no ConfigMap of YuniKorn, all stays as it is", namespace=self.namespace)
            self._in_force = self.faults = None
        elif self.faults is None or found != self._in_force:
            self._in_force = found
            self._judge(queue_maps.config(found))
        else:
            return
        self._changed()

    def _judge(self, config: QueueConfig | None) -> None:
        faults = () if config is None else queue_rules.faults(config)
        for fault in faults[:MOST_LOGGED]:
            log.error("queues.yaml is broken, all stays as it is", fault=fault)
        if self.faults and not faults:
            log.info("queues.yaml is good again")
        self.faults = faults
        if not faults:
            self.config = config
