"""The settings of a whole tree, as its profile and its root quota have them.

What cannot be read counts as if it were absent: then the configuration applies.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from elasticquota import names
from elasticquota.model.capacity_mode import CapacityMode
from elasticquota.model.fault import Fault
from elasticquota.model.pools import Pools
from elasticquota.wire.codec import fields
from elasticquota.wire.quota import capacity_modes, policies, pools


FIELDS: Final = ("enforcement", "guaranteeUsage", "capacity", "pools", "poolResources")
_DEFAULT: Final = "the configuration of all trees"


class TreeSettings(NamedTuple):
    """What is said; None: it is not, or cannot be read."""

    observes: bool | None = None
    guarantee_usage: bool | None = None
    capacity: CapacityMode | None = None
    capacity_unreadable: bool = False
    pools: Pools | None = None
    pools_unreadable: bool = False


def read_tree(written: object, faults: list[Fault]) -> TreeSettings:
    """Return the settings in ``spec.tree`` of a root quota."""
    found = fields.record(written, "spec.tree", "tree", FIELDS, faults)
    return read(found, "spec.tree", faults) if found else TreeSettings()


def read(spec: Mapping[str, Any], where: str, faults: list[Fault]) -> TreeSettings:
    """Return the settings in ``spec``, whose path is ``where``; each fault is one line."""
    at, words = f"{where}.enforcement", policies.Enforcement
    enforcement = fields.choice(spec, at, words, faults, _DEFAULT)
    observes = None if not enforcement else enforcement == names.OBSERVE
    at = f"{where}.guaranteeUsage"
    guarantee = fields.switch(spec.get("guaranteeUsage"), at, faults, _DEFAULT)
    written = spec.get("capacity")
    capacity = capacity_modes.read(written, f"{where}.capacity", faults)
    unreadable = written is not None and capacity is None
    before = len(faults)
    kinds = pools.read(spec, where, faults)
    return TreeSettings(observes, guarantee, capacity, unreadable, kinds, len(faults) > before)
