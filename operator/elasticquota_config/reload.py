"""Reloads a configuration file while the process runs; live keys take effect at once.

The file is read every few seconds. A mounted ConfigMap changes by the swap of a link far above the
file, which a watch of the file does not notice. A file that is broken or missing changes nothing:
the last good one stays in force, and the fault is logged once and shown by a metric. It does not
make the process unhealthy, because after a restart it would find the same file and not start.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Final

import structlog

from elasticquota.model.fault import Fault
from elasticquota_config import change as elasticquota_config_change
from elasticquota_config import model
from elasticquota_config.model import Configuration, ConfigurationError


INTERVAL: Final = 5.0
"""Seconds between two reads."""

log = structlog.get_logger(__name__)


class ConfigurationFile:
    """Follows a file; start ``run()`` as a task in the event loop of the code behind ``take``."""

    def __init__(
        self,
        path: Path,
        in_force: Configuration,
        take: Callable[[Configuration], None],
        tell: Callable[[bool], None],
    ) -> None:
        """``take`` is called when a live key changed, ``tell`` with whether the file is good."""
        self._path = path
        self._in_force = in_force
        self._take = take
        self._tell = tell
        self._seen: bytes | None = None
        self._faults: tuple[Fault, ...] = ()

    async def run(self) -> None:
        """Read the file every ``INTERVAL`` seconds until cancelled."""
        while True:
            self._look()
            await asyncio.sleep(INTERVAL)

    def _look(self) -> None:
        try:
            content = model.content(self._path)
            if content == self._seen:
                return
            self._seen = content
            written = model.decode(content)
        except model.UnreadableError as error:
            self._seen = None  # the same content may return
            self._refuse(error)
        except ConfigurationError as error:
            self._refuse(error)
        else:
            self._accept(written)

    def _refuse(self, error: ConfigurationError) -> None:
        self._tell(False)
        if error.faults != self._faults:
            self._faults = error.faults
            faults = [str(fault) for fault in error.faults]
            log.error("configuration is broken, the last good one stays", faults=faults)

    def _accept(self, written: Configuration) -> None:
        self._tell(True)
        change = elasticquota_config_change.between(self._in_force, written)
        if change.taken or change.waiting or self._faults:
            taken, waiting = list(change.taken), list(change.waiting)
            log.info("configuration read", taken=taken, waiting_for_restart=waiting)
        self._faults = ()
        self._in_force = change.now
        if change.taken:
            self._take(change.now)
