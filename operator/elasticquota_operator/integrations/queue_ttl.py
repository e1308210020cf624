"""A queue that no pod asks for any more is kept for a while, and then removed."""

import asyncio
from collections.abc import Callable

from elasticquota.integrations.translation.translation import Path
from elasticquota.integrations.yunikorn import requested_queues


class QueueTtl:
    """``are()`` the queues that are asked for; ``changed()`` is called when one has to go."""

    def __init__(self, seconds: float, changed: Callable[[], None]) -> None:
        self._seconds = seconds
        self._changed = changed
        self._asked: frozenset[Path] = frozenset()
        self._leaving: dict[Path, asyncio.TimerHandle] = {}

    @property
    def paths(self) -> frozenset[Path]:
        """Those that are requested, and those that are kept for a while and block no other."""
        return requested_queues.together([*sorted(self._asked), *sorted(self._leaving)])

    def are(self, asked: frozenset[Path]) -> None:
        """From now on."""
        for path in asked & self._leaving.keys():
            self._leaving.pop(path).cancel()
        loop = asyncio.get_running_loop()
        for path in self._asked - asked:
            self._leaving[path] = loop.call_later(self._seconds, self._let_go, path)
        self._asked = asked

    def _let_go(self, path: Path) -> None:
        del self._leaving[path]
        self._changed()
