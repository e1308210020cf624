"""The settings of a tree as the field ``tree`` of its root quota (``wire`` reads it).

There every user of the tree can read them. They also are the last good value: what cannot be read
on the profile stays on the root quota as it is and in force, also after a restart
(``ledger.books``).
"""

from collections.abc import Mapping
from typing import Any, Final

from elasticquota import names, resources
from elasticquota.derived import pools_text
from elasticquota.model.capacity_mode import NODES, SCALE_UP_TIMEOUT, CapacityMode
from elasticquota.model.profile import Profile
from elasticquota.sharing.capacity import TreeCapacity


_ENFORCEMENT: Final = {None: None, False: names.ENFORCE, True: names.OBSERVE}


def of(profile: Profile, found: TreeCapacity) -> Mapping[str, Any]:
    """Return the settings of ``profile`` with capacity mode and pools in force, in one form.

    What is not set is left out.
    """
    said = {
        "enforcement": _ENFORCEMENT[profile.observes],
        "guaranteeUsage": profile.guarantee_usage,
        "capacity": None if found.mode == NODES else capacity(found.mode),
        **pools_text.fields(found.pools if profile.pools_unreadable else profile.pools),
    }
    return {key: value for key, value in said.items() if value is not None}


def capacity(mode: CapacityMode) -> Mapping[str, Any]:
    """Return the field of a capacity mode."""
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
