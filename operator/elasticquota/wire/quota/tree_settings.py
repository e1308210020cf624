"""The settings of a whole tree, as its profile and its root quota have them."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from elasticquota.model.capacity_mode import CapacityMode
from elasticquota.wire.quota import capacity_modes


class TreeSettings(NamedTuple):
    """What is said; None: it is not, or cannot be read."""

    capacity: CapacityMode | None = None
    capacity_unreadable: bool = False


NONE: Final = TreeSettings()


def read(spec: Mapping[str, Any], where: str, faults: list[str]) -> TreeSettings:
    """Return the settings in ``spec``, whose path is ``where``; each fault is one line."""
    written = spec.get("capacity")
    capacity = capacity_modes.read(written, f"{where}.capacity", faults)
    return TreeSettings(capacity, written is not None and capacity is None)
