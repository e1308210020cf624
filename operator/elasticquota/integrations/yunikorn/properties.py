"""The properties of a queue: what they are here, and a warning for each that has no effect (Y10).

* ``preemption.policy``: the preemption policy of the quota. ``disabled`` of the root, which is no
  quota, is that of the queues below it.
* ``preemption.delay``: the grace of reclaim (``inherited``).
* ``quota.preemption.delay``: the delay after which usage beyond a lowered max is reclaimed, if the
  partition has ``quotapreemptionenabled``. Without both it never is (Y21). It is not inherited.
"""

from collections.abc import Iterator
from typing import Final

from elasticquota import names
from elasticquota.integrations.translation.translation import Path
from elasticquota.model.quota import NOT_EVER
from elasticquota.wire.codec import durations, fields
from elasticquota.wire.integrations.queues import Partition, Queue


GRACE: Final = "preemption.delay"
POLICY: Final = "preemption.policy"
QUOTA_DELAY: Final = "quota.preemption.delay"
_POLICIES: Final = {"default": names.DEFAULT, "fence": names.FENCE, "disabled": names.DISABLED}
_DURATION: Final = "must be a duration of at most a day"
_PRIORITY: Final = (
    "has no effect here, because priority counts inside a quota only; min and weights decide "
    "between quotas"
)
_WITHOUT_EFFECT: Final = {
    "priority.policy": _PRIORITY,
    "priority.offset": _PRIORITY,
}


def preemption(path: Path, queue: Queue, partition: Partition) -> str:
    """The preemption policy of the quota of ``queue``; empty: as that of the quota above."""
    if not partition.preempts:
        return names.DISABLED
    own = _policy(queue)
    if not own and len(path) <= 2 and _policy(partition.root) == names.DISABLED:
        return names.DISABLED
    return own


def preemption_of_made(path: Path, partition: Partition) -> str:
    """The same for a queue that is not configured."""
    return preemption(path, Queue("", path[-1]), partition)


def over_max_delay(queue: Queue | None, partition: Partition, *, followed: bool) -> int | None:
    """The delay after which usage beyond the max of a quota is reclaimed, in milliseconds.

    ``queue`` is None for a queue that is not configured. Without a delay it is ``NOT_EVER`` for a
    queue that is ``followed``, else None.
    """
    said = "" if queue is None else queue.properties.get(QUOTA_DELAY, "")
    delay = durations.read(said) if partition.quota_preempts else None
    return delay or (NOT_EVER if followed else None)


def warnings(queue: Queue, partition: Partition) -> Iterator[tuple[str, str]]:
    """Yield the key and the reason of each property that has no effect."""
    for key, value in sorted(queue.properties.items()):
        reason = _fault(key, value, partition)
        if reason:
            yield key, reason


def _fault(key: str, value: str, partition: Partition) -> str:
    if key == GRACE:
        return "" if durations.read(value) is not None else _unread(_DURATION, value)
    if key == POLICY:
        known = value.lower() in _POLICIES
        return "" if known else _unread("must be default, fence or disabled", value)
    if key == QUOTA_DELAY:
        if durations.read(value) is None:
            return _unread(_DURATION, value)
        if durations.read(value) and not partition.quota_preempts:
            return "has no effect without preemption.quotapreemptionenabled of the partition"
        return ""
    return _WITHOUT_EFFECT.get(key, "has no counterpart here; not taken over")


def _policy(queue: Queue) -> str:
    return _POLICIES.get(queue.properties.get(POLICY, "").lower(), "")


def _unread(rule: str, value: str) -> str:
    return f"{rule}, got {fields.shown(value)}; left out"
