"""The pools of a tree, as its profile and its root quota have them -> Pools.

``pools`` is a list, because the order is that of preference, and the tools that write a map again
sort its keys: ``[{name: a100, nodeLabels: {gpu.model: a100}}, {name: rest, nodeLabels: {}}]``.
``poolResources`` is a list of resources. Either both are read as a whole or neither: half of the
pools would count pods where they are not.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from elasticquota import names, pool_keys
from elasticquota.model.fault import Fault
from elasticquota.model.pools import Pool, Pools
from elasticquota.wire.codec import fields


MOST: Final = 32
"""Pools of one profile."""
LONGEST: Final = 63
"""Characters of the name of a pool."""
MOST_LABELS: Final = 16
MOST_RESOURCES: Final = 64
_NAME: Final = re.compile(r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?", re.ASCII)
NAMED: Final = "have 1 to 63 lower case letters, digits and '-'"
NOT_COUNTED: Final = (
    "cannot be counted by pool. Name a resource of nodes such as cpu or nvidia.com/gpu, of at most "
    "63 characters"
)
_FIELDS: Final = ("name", "nodeLabels")


def read(spec: Mapping[str, Any], where: str, faults: list[Fault]) -> Pools | None:
    """Return the pools in ``spec``, whose path is ``where``; None without any, or with a fault."""
    written, listed = spec.get("pools"), spec.get("poolResources")
    before = len(faults)
    wanted = _pools(written, f"{where}.pools", faults)
    resources = _resources(listed, f"{where}.poolResources", faults)
    if listed is not None and written is None:
        faults.append(
            Fault(
                f"{where}.poolResources", "has no effect without pools", "Name them or leave it out"
            )
        )
    return Pools(wanted, resources) if wanted and len(faults) == before else None


def _pools(written: object, where: str, faults: list[Fault]) -> tuple[Pool, ...]:
    known: list[Pool] = []
    for name, at, entry in entries(written, where, "a pool", _FIELDS, faults):
        labels = entry.get("nodeLabels")
        if not isinstance(labels, dict):
            faults.append(
                Fault(
                    f"{at}.nodeLabels",
                    "must be a map of the labels of its nodes; {} takes all nodes that no pool "
                    f"before it has; got {fields.shown(labels)}",
                )
            )
            continue
        node_labels = fields.labels(labels, f"{at}.nodeLabels", faults, MOST_LABELS)
        pool = Pool(name, tuple(sorted(node_labels.items())))
        fault = next(filter(None, (overlap(earlier, pool) for earlier in known)), None)
        if fault is not None:
            faults.append(fault.below(at))
        known.append(pool)
    return tuple(known)


def entries(
    written: object, where: str, what: str, known: Collection[str], faults: list[Fault]
) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield name, path and fields of each pool of a list; the fields may be the ``known`` ones."""
    for index, entry in enumerate(fields.sequence(written, where, faults, MOST)):
        at = f"{where}[{index}]"
        if not isinstance(entry, dict):
            faults.append(fields.mismatch(at, f"a map with {' and '.join(known)}", entry))
            continue
        fields.no_others(entry, known, at, what, faults, nearest=True)
        name = fields.matching(entry.get("name"), _NAME, f"{at}.name", NAMED, faults)
        if name is not None:
            yield name, at, entry


def may_be_counted(resource: str) -> bool:
    """Whether a resource may be counted by pool."""
    return resource != names.PODS and bool(pool_keys.key("pool", resource))


def overlap(earlier: Pool, pool: Pool) -> Fault | None:
    """Return why the two cannot be distinguished, as a fault of the later one; None: they can.

    The pods of the later one must be kept off the nodes of the earlier one, and a node affinity can
    say of one label that it must not be there, but not of two labels together.
    """
    if pool.name == earlier.name:
        return Fault("name", f"'{pool.name}' is there already", "Give each pool a name of its own")
    if earlier.excludes(pool):
        return None
    beyond = earlier.beyond(pool)
    if not beyond:
        return Fault(
            "nodeLabels",
            f"every node of pool '{pool.name}' is in pool '{earlier.name}' too, which comes first",
            f"Put '{pool.name}' before '{earlier.name}'",
        )
    if len(beyond) == 1:
        return None
    keys = ", ".join(key for key, _ in beyond)
    return Fault(
        "nodeLabels",
        f"a node may be in pool '{earlier.name}' too, which comes first, and {len(beyond)} labels "
        f"tell them apart: {keys}",
        "Give both pools a label with different values",
    )


def _resources(listed: object, where: str, faults: list[Fault]) -> tuple[str, ...] | None:
    if listed is None:
        return None
    before = len(faults)
    counted = fields.listed(listed, where, MOST_RESOURCES, fields.is_name, "a name", faults)
    for index, resource in enumerate(counted):
        if not may_be_counted(resource):
            faults.append(Fault(f"{where}[{index}]", f"'{resource}' {NOT_COUNTED}"))
        elif resource in counted[:index]:
            faults.append(
                Fault(f"{where}[{index}]", f"'{resource}' is there already", "Leave it out")
            )
    if not counted and len(faults) == before:
        faults.append(
            Fault(where, "must name at least one resource", "Leave it out for all devices")
        )
    return counted
