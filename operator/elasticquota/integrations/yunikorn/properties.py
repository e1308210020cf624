"""The properties of a queue: what they are here, and a warning for each that has no effect (Y10).

* ``preemption.policy``: the preemption policy of the quota. ``disabled`` of the root, which is no
  quota, is that of the queues below it.
* ``preemption.delay``: the grace of reclaim (``inherited``).
* ``application.sort.policy`` and ``application.sort.priority``: the order of the quota's queue.
  Both pass down. Without them pods are ordered one by one, which is ``fifo`` for applications of
  one pod.
* ``quota.preemption.delay``: the delay after which usage beyond a lowered max is reclaimed, if the
  partition has ``quotapreemptionenabled``. Without both it never is (Y21). It is not inherited.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeVar

from elasticquota import names
from elasticquota.integrations.translation.translation import Draft, Path
from elasticquota.model.quota import NOT_EVER
from elasticquota.wire.codec import durations, fields
from elasticquota.wire.integrations.queues import ConfiguredQueue, Partition


_T = TypeVar("_T")

GRACE: Final = "preemption.delay"
POLICY: Final = "preemption.policy"
SORT: Final = "application.sort.policy"
SORT_PRIORITY: Final = "application.sort.priority"
_SORTS: Final = {"fifo": names.FIFO, "stateaware": names.FIFO, "fair": names.FAIR}
_SWITCH: Final = {"enabled": True, "disabled": False}
QUOTA_DELAY: Final = "quota.preemption.delay"
_POLICIES: Final = {"default": names.DEFAULT, "fence": names.FENCE, "disabled": names.DISABLED}
_DURATION: Final = "must be a duration of at most a day"
_READ: Final[Mapping[str, tuple[Callable[[str], object], str]]] = {
    GRACE: (durations.read, _DURATION),
    QUOTA_DELAY: (durations.read, _DURATION),
    POLICY: (_POLICIES.get, "must be default, fence or disabled"),
    SORT: (_SORTS.get, "must be fifo or fair"),
    SORT_PRIORITY: (_SWITCH.get, "must be enabled or disabled"),
}
"""By property: its reader, which returns None for an unknown value, and what it must be."""
_PRIORITY: Final = (
    "has no effect here, because priority counts inside a quota only; min and weights decide "
    "between quotas"
)
_WITHOUT_EFFECT: Final = {
    "priority.policy": _PRIORITY,
    "priority.offset": _PRIORITY,
}


def preemption(path: Path, queue: ConfiguredQueue, partition: Partition) -> str:
    """The preemption policy of the quota of ``queue``; empty: as that of the quota above."""
    if not partition.preempts:
        return names.DISABLED
    own = _policy(queue)
    if not own and len(path) <= 2 and _policy(partition.root) == names.DISABLED:
        return names.DISABLED
    return own


def preemption_of_made(path: Path, partition: Partition) -> str:
    """The same for a queue that is not configured."""
    return preemption(path, ConfiguredQueue("", path[-1]), partition)


def ordered(path: Path, queues: Mapping[Path, list[ConfiguredQueue]], draft: Draft) -> Draft:
    """The draft with the order of its queue: its own, or that of the nearest queue above."""
    if draft.is_parent:
        return draft
    return draft._replace(
        application_order=_nearest(path, queues, SORT, _SORTS) or "",
        orders_by_priority=_nearest(path, queues, SORT_PRIORITY, _SWITCH) is not False,
    )


def over_max_delay(
    queue: ConfiguredQueue | None, partition: Partition, *, followed: bool
) -> int | None:
    """The delay after which usage beyond the max of a quota is reclaimed, in milliseconds.

    ``queue`` is None for a queue that is not configured. Without a delay it is ``NOT_EVER`` for a
    queue that is ``followed``, else None.
    """
    said = "" if queue is None else queue.properties.get(QUOTA_DELAY, "")
    delay = durations.read(said) if partition.quota_preempts else None
    return delay or (NOT_EVER if followed else None)


def warnings(queue: ConfiguredQueue, partition: Partition) -> Iterator[tuple[str, str]]:
    """Yield the key and the reason of each property that has no effect."""
    for key, value in sorted(queue.properties.items()):
        reason = _fault(key, value, partition)
        if reason:
            yield key, reason


def _fault(key: str, value: str, partition: Partition) -> str:
    found = _READ.get(key)
    if found is None:
        return _WITHOUT_EFFECT.get(key, "has no counterpart here; not taken over")
    known, rule = found
    if known(value.lower()) is None:
        return _unread(rule, value)
    if key == QUOTA_DELAY and durations.read(value) and not partition.quota_preempts:
        return "has no effect without preemption.quotapreemptionenabled of the partition"
    return ""


def _policy(queue: ConfiguredQueue) -> str:
    return _POLICIES.get(queue.properties.get(POLICY, "").lower(), "")


def _unread(rule: str, value: str) -> str:
    return f"{rule}, got {fields.shown(value)}; left out"


def _nearest(
    path: Path, queues: Mapping[Path, list[ConfiguredQueue]], key: str, known: Mapping[str, _T]
) -> _T | None:
    """The value that the queue or the nearest one above it states; None: none does."""
    for depth in range(len(path), 0, -1):
        said = (queue.properties.get(key, "").lower() for queue in queues.get(path[:depth], ()))
        found = sorted(text for text in said if text in known)
        if found:
            return known[found[0]]
    return None
