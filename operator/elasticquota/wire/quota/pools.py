"""The pools of a tree, as its profile and its root quota have them -> Pools.

``pools`` is a list, because the order is that of preference, and the tools that write a map again
sort its keys: ``[{name: a100, nodeLabels: {gpu.model: a100}}, {name: rest, nodeLabels: {}}]``.
``poolResources`` is a list of resources. Either both are read as a whole or neither: half of the
pools would count pods where they are not.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeGuard

from elasticquota import names, pool_keys
from elasticquota.model.pools import Pool, Pools
from elasticquota.wire.codec import fields


MOST: Final = 32
"""Pools of one profile."""
LONGEST: Final = 63
"""Characters of the name of a pool."""
MOST_LABELS: Final = 16
MOST_RESOURCES: Final = 64
_NAME: Final = re.compile(r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?", re.ASCII)
NAMED: Final = "must have 1 to 63 lower case letters, digits and '-'"
NOT_COUNTED: Final = (
    "cannot be counted by pool. Name a resource of nodes such as cpu or nvidia.com/gpu, of at most "
    "63 characters"
)
_FIELDS: Final = ("name", "nodeLabels")


class Reading(NamedTuple):
    """What the fields say."""

    pools: Pools | None = None
    """None: no pools, or they cannot be read."""
    unreadable: bool = False


def read(spec: Mapping[str, Any], where: str, faults: list[str]) -> Reading:
    """Return the pools in ``spec``, whose path is ``where``; each fault is one line."""
    written, listed = spec.get("pools"), spec.get("poolResources")
    if written is None and listed is None:
        return Reading()
    before = len(faults)
    found = tuple(_pools(written, f"{where}.pools", faults))
    resources = _resources(listed, f"{where}.poolResources", faults)
    if listed is not None and written is None:
        faults.append(
            f"{where}.poolResources: has no effect without pools. Name them or leave it out"
        )
    if len(faults) > before:
        return Reading(unreadable=True)
    return Reading(Pools(found, resources) if found else None)


def _pools(written: object, where: str, faults: list[str]) -> Iterator[Pool]:
    known: list[Pool] = []
    for index, entry in enumerate(fields.sequence(written, where, faults, MOST)):
        at = f"{where}[{index}]"
        pool = _pool(entry, at, faults)
        if pool is None:
            continue
        fault = next(filter(None, (overlap(earlier, pool) for earlier in known)), "")
        if fault:
            faults.append(f"{at}{fault}")
        known.append(pool)
    yield from known


def _pool(entry: object, where: str, faults: list[str]) -> Pool | None:
    if not isinstance(entry, dict):
        faults.append(f"{where}: must be a map with name and nodeLabels, got {fields.shown(entry)}")
        return None
    fields.no_others(entry, _FIELDS, where, "a pool", faults, nearest=True)
    name = entry.get("name")
    if not is_name(name):
        faults.append(f"{where}.name: {NAMED}, got {fields.shown(name)}")
        return None
    if not isinstance(entry.get("nodeLabels"), dict):
        faults.append(
            f"{where}.nodeLabels: must be a map of the labels of its nodes; {{}} takes all nodes "
            f"that no pool before it has; got {fields.shown(entry.get('nodeLabels'))}"
        )
        return None
    labels = fields.labels(entry["nodeLabels"], f"{where}.nodeLabels", faults, MOST_LABELS)
    return Pool(name, tuple(sorted(labels.items())))


def is_name(value: object) -> TypeGuard[str]:
    """Whether a pool may have this name."""
    return isinstance(value, str) and _NAME.fullmatch(value) is not None


def may_be_counted(resource: str) -> bool:
    """Whether a resource may be counted by pool."""
    return resource != names.PODS and bool(pool_keys.key("pool", resource))


def overlap(earlier: Pool, pool: Pool) -> str:
    """Return why the two cannot be distinguished, after the path of the later one; empty: they can.

    The pods of the later one must be kept off the nodes of the earlier one, and a node affinity can
    say of one label that it must not be there, but not of two labels together.
    """
    if pool.name == earlier.name:
        return f".name: '{pool.name}' is there already. Give each pool a name of its own"
    if earlier.excludes(pool):
        return ""
    beyond = earlier.beyond(pool)
    if not beyond:
        return (
            f".nodeLabels: every node of pool '{pool.name}' is in pool '{earlier.name}' too, "
            f"which comes first. Put '{pool.name}' before '{earlier.name}'"
        )
    if len(beyond) == 1:
        return ""
    keys = ", ".join(key for key, _ in beyond)
    return (
        f".nodeLabels: a node may be in pool '{earlier.name}' too, which comes first, and "
        f"{len(beyond)} labels tell them apart: {keys}. Give both pools a label with different "
        "values"
    )


def _resources(listed: object, where: str, faults: list[str]) -> tuple[str, ...] | None:
    if listed is None:
        return None
    before = len(faults)
    found = fields.listed(listed, where, MOST_RESOURCES, fields.is_name, "a name", faults)
    for index, resource in enumerate(found):
        if not may_be_counted(resource):
            faults.append(f"{where}[{index}]: '{resource}' {NOT_COUNTED}")
        elif resource in found[:index]:
            faults.append(f"{where}[{index}]: '{resource}' is there already. Leave it out")
    if not found and len(faults) == before:
        faults.append(f"{where}: must name at least one resource. Leave it out for all devices")
    return found if len(faults) == before else None
