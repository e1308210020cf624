"""Annotations of an ElasticQuota about evictions and about the order of its queue (Y10, Y21).

The preemption policy and the delay of usage beyond max protect pods, so only administrators of
quotas may write them (EQ1108). An unknown value counts as missing, and gives a warning.
"""

from collections.abc import Iterator
from typing import Final

from elasticquota import names
from elasticquota.model.quota import NOT_EVER
from elasticquota.wire.codec import durations, fields
from elasticquota.wire.codec.metadata import ObjectMeta


PREEMPTION: Final = (names.DEFAULT, names.FENCE, names.DISABLED)


def preemption(meta: ObjectMeta) -> str:
    """Return the preemption policy; empty if there is none, or an unknown one."""
    text = meta.annotation(names.PREEMPTION)
    return text if text in PREEMPTION else ""


def over_max_delay(meta: ObjectMeta) -> int | None:
    """Return the delay of usage beyond max in milliseconds; ``NOT_EVER`` for never, else None."""
    text = meta.annotation(names.OVER_MAX_DELAY)
    return NOT_EVER if text == names.NEVER else durations.read(text)


def over_max_text(delay: int) -> str:
    """Return the annotation for a delay."""
    return names.NEVER if delay == NOT_EVER else durations.text(delay)


def application_order(meta: ObjectMeta) -> str:
    """Return the order of applications; empty if there is none, or an unknown one."""
    text = meta.annotation(names.APPLICATION_ORDER)
    return text if text in (names.FIFO, names.FAIR) else ""


def warnings(meta: ObjectMeta) -> Iterator[str]:
    """Yield a sentence for each value that has no effect."""
    policy = meta.annotation(names.PREEMPTION)
    if policy and policy not in PREEMPTION:
        yield (
            f"metadata.annotations[{names.PREEMPTION}]: must be '{names.DEFAULT}', "
            f"'{names.FENCE}' or '{names.DISABLED}', got {fields.shown(policy)}, which counts as "
            "the policy of the quota above"
        )
    delay = meta.annotation(names.OVER_MAX_DELAY)
    if delay and over_max_delay(meta) is None:
        yield (
            f"metadata.annotations[{names.OVER_MAX_DELAY}]: must be '{names.NEVER}', seconds or a "
            f"duration like '1m30s', at most a day, got {fields.shown(delay)}, which counts as "
            "config.reclaim.delaySeconds"
        )
    order = meta.annotation(names.APPLICATION_ORDER)
    if order and not application_order(meta):
        yield (
            f"metadata.annotations[{names.APPLICATION_ORDER}]: must be '{names.FIFO}' or "
            f"'{names.FAIR}', got {fields.shown(order)}, which counts as none"
        )
    priority = meta.annotation(names.PRIORITY_ORDER)
    if priority not in ("", "true", "false"):
        yield (
            f"metadata.annotations[{names.PRIORITY_ORDER}]: must be 'true' or 'false', got "
            f"{fields.shown(priority)}, which counts as 'true'"
        )
