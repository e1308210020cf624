"""What a queue inherits from the nearest queue above it that has it: its grace and its template.

A ``preemption.delay`` of the queue itself takes precedence. Templates apply to queues that are
made.
"""

from collections.abc import Mapping
from typing import Final

from elasticquota.integrations.translation.translation import Path
from elasticquota.integrations.yunikorn import properties
from elasticquota.wire.codec import durations
from elasticquota.wire.integrations.queues import ConfiguredQueue, QueueResources


_NO_TEMPLATE: Final = (QueueResources(), 0)


def graces(queues: Mapping[Path, list[ConfiguredQueue]]) -> dict[Path, int]:
    """The grace of reclaim in each queue that states one."""
    found: dict[Path, int] = {}
    for path, rivals in queues.items():
        for queue in rivals:
            said = durations.read(queue.properties.get(properties.GRACE, ""))
            if said is not None:
                found[path] = min(said, found.get(path, said))
    return found


def grace(path: Path, said: Mapping[Path, int]) -> int | None:
    """The grace of the queue itself or of the nearest one above it in ``said``."""
    for depth in range(len(path), 0, -1):
        if path[:depth] in said:
            return said[path[:depth]]
    return None


def template(
    path: Path, queues: Mapping[Path, list[ConfiguredQueue]]
) -> tuple[QueueResources, int]:
    """The amounts and the number of applications (0: unlimited) of the nearest template."""
    for depth in range(len(path) - 1, 0, -1):
        said = [
            (queue.template, queue.template_applications) for queue in queues.get(path[:depth], ())
        ]
        known = [found for found in said if found != _NO_TEMPLATE]
        if known:
            return min(known, key=_content)
    return _NO_TEMPLATE


def _content(found: tuple[QueueResources, int]) -> str:
    said, applications = found
    return repr([sorted(said.guaranteed.items()), sorted(said.max.items()), applications])
