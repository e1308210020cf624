"""Follows YuniKorn's configuration: two ConfigMaps, each read by its name.

By name, because the right to read them is by name too. ``config`` is the last valid configuration.
While the stored one has faults, these are reported and ``config`` stays.
"""

import asyncio
from collections.abc import Callable

import structlog

from elasticquota.integrations.yunikorn import queue_rules
from elasticquota.model.fault import Fault
from elasticquota.wire.integrations import queue_maps
from elasticquota.wire.integrations.queue_maps import ConfigMapManifest, QueueMap
from elasticquota.wire.integrations.queues import QueueConfig
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.informer.reflector import Reflector
from elasticquota_kube.informer.store import Store


MOST_LOGGED = 20

log = structlog.get_logger(__name__)


class FollowedConfig:
    """Start ``run()`` as a task. Calls ``changed()`` on each change."""

    def __init__(
        self,
        api: Api,
        namespace: str,
        changed: Callable[[], None],
        *,
        places_pods: bool = True,
        on_restart: Callable[[Resource, str], None] = lambda _resource, _why: None,
    ) -> None:
        self.namespace = namespace
        self.faults: tuple[Fault, ...] | None = None
        """What YuniKorn would refuse; None while no ConfigMap is known to exist."""
        self.config: QueueConfig | None = None
        """None: YuniKorn's behavior without a configuration."""
        self._places_pods = places_pods
        """Whether the webhook sees pods and can check access lists."""
        self._changed = changed
        self._maps: Store[ConfigMapManifest, QueueMap] = Store(
            queue_maps.read, lambda *_: self._reread(), self._reread
        )
        self._in_force: QueueMap | None = None
        self._reflectors = [
            Reflector(
                api,
                paths.CONFIG_MAPS,
                ConfigMapManifest,
                self._maps,
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
        key = (self.namespace, self._in_force.name)
        uids = [each.known[key] for each in self._reflectors if key in each.known]
        return self._in_force.name, uids[0]

    async def run(self) -> None:
        """Watch both ConfigMaps until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for each in self._reflectors:
                tasks.create_task(each.run())

    def _reread(self) -> None:
        if not self.is_read:
            return
        found = queue_maps.in_force(self._maps.list())
        if not self._maps.list():
            log.info("no ConfigMap of YuniKorn, all stays as it is", namespace=self.namespace)
            self._in_force = self.faults = None
        elif self.faults is None or found != self._in_force:
            self._in_force = found
            self._judge(queue_maps.config(found))
        else:
            return
        self._changed()

    def _judge(self, config: QueueConfig | None) -> None:
        faults = () if config is None else queue_rules.faults(config, places_pods=self._places_pods)
        for fault in faults[:MOST_LOGGED]:
            log.error("queues.yaml is broken, all stays as it is", fault=str(fault))
        if self.faults and not faults:
            log.info("queues.yaml is good again")
        self.faults = faults
        if not faults:
            self.config = config
