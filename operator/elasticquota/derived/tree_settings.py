"""The settings of a tree as the field ``tree`` of its root quota (``wire`` reads it).

There every user of the tree can read them. They also are the last good value: what cannot be read
on the profile stays on the root quota as it is and in force, also after a restart
(``ledger.books``).
"""

from collections.abc import Mapping
from typing import Any

from elasticquota import resources
from elasticquota.model.capacity_mode import NODES, SCALE_UP_TIMEOUT, CapacityMode


def of(mode: CapacityMode) -> Mapping[str, Any]:
    """Return the settings in one form, without those that are not set."""
    said = {"capacity": None if mode == NODES else _capacity(mode)}
    return {key: value for key, value in said.items() if value is not None}


def _capacity(mode: CapacityMode) -> Mapping[str, Any]:
    written: dict[str, Any] = {"mode": mode.mode}
    if mode.mode == "Declared":
        written["total"] = resources.text(mode.total)
    if mode.elastic:
        written["max"] = resources.text(mode.max)
        if mode.largest_node is not None:
            written["largestNode"] = resources.text(mode.largest_node)
        if mode.scale_up_timeout != SCALE_UP_TIMEOUT:
            seconds, rest = divmod(mode.scale_up_timeout, 1000)
            written["scaleUpTimeout"] = f"{mode.scale_up_timeout}ms" if rest else f"{seconds}s"
    return written
