"""The annotations of a profile that name the pools of its tree -> Pools.

``elasticquota.dev/pools`` is a JSON list, because the order is that of preference, and the tools
that write a map again sort its keys::

    [{"name": "a100", "nodeLabels": {"gpu.model": "a100"}}, {"name": "rest", "nodeLabels": {}}]

``elasticquota.dev/pool-resources`` is a JSON list of resources. Either both are read as a whole or
neither: half of the pools would count pods where they are not.
"""

import difflib
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from elasticquota import names, pool_keys
from elasticquota.model.pools import Pool, Pools
from elasticquota.wire.codec import amounts, fields
from elasticquota.wire.codec.metadata import ObjectMeta


MOST: Final = 32
"""Pools of one profile."""
LONGEST: Final = 63
"""Characters of the name of a pool."""
_MOST_LABELS: Final = 16
_WHERE: Final = f"metadata.annotations[{names.POOLS}]"
_RESOURCES: Final = f"metadata.annotations[{names.POOL_RESOURCES}]"
_NAME: Final = re.compile(r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?", re.ASCII)
_FIELDS: Final = ("name", "nodeLabels")
_WANTED: Final = 'list like [{"name": "a100", "nodeLabels": {"gpu.model": "a100"}}]'


class Reading(NamedTuple):
    """What the annotations say."""

    pools: Pools | None = None
    """None: no pools, or the annotations cannot be read."""
    unreadable: bool = False


def read(meta: ObjectMeta, faults: list[str]) -> Reading:
    """Return the pools; each fault is one line with its path and what to do."""
    written, listed = meta.annotation(names.POOLS), meta.annotation(names.POOL_RESOURCES)
    if not (written or listed):
        return Reading()
    before = len(faults)
    found = tuple(_pools(written, faults)) if written else ()
    resources = _resources(listed, faults)
    if listed and not written:
        faults.append(
            f"{_RESOURCES}: has no effect without {names.POOLS}. Add it or leave this out"
        )
    if len(faults) > before:
        return Reading(unreadable=True)
    return Reading(Pools(found, resources) if found else None)


def _pools(written: str, faults: list[str]) -> Iterator[Pool]:
    listed = fields.decoded(written, _WHERE, faults, _WANTED, list)
    known: list[Pool] = []
    for index, entry in enumerate(fields.sequence(listed, _WHERE, faults, MOST)):
        pool = _pool(entry, f"{_WHERE}[{index}]", faults)
        if pool is None:
            continue
        for earlier in known:
            fault = overlap(earlier, pool)
            if fault:
                faults.append(f"{_WHERE}[{index}]{fault}")
                break
        known.append(pool)
    yield from known


def _pool(entry: object, where: str, faults: list[str]) -> Pool | None:
    if not isinstance(entry, dict):
        faults.append(f"{where}: must be a map with name and nodeLabels, got {fields.shown(entry)}")
        return None
    for key in sorted(map(str, entry.keys() - set(_FIELDS))):
        near = difflib.get_close_matches(key[:63], _FIELDS, n=1, cutoff=0.4)
        hint = f". Did you mean {near[0]}?" if near else ". Leave it out"
        faults.append(f"{where}.{fields.shown_key(key)}: is no field of a pool{hint}")
    name = entry.get("name")
    if not (isinstance(name, str) and _NAME.fullmatch(name)):
        faults.append(
            f"{where}.name: must have 1 to 63 lower case letters, digits and '-', "
            f"got {fields.shown(name)}"
        )
        return None
    if not isinstance(entry.get("nodeLabels"), dict):
        faults.append(
            f"{where}.nodeLabels: must be a map of the labels of its nodes; {{}} takes all nodes "
            f"that no pool before it has; got {fields.shown(entry.get('nodeLabels'))}"
        )
        return None
    labels = fields.labels(entry["nodeLabels"], f"{where}.nodeLabels", faults, _MOST_LABELS)
    return Pool(name, tuple(sorted(labels.items())))


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


def _resources(listed: str, faults: list[str]) -> tuple[str, ...] | None:
    before = len(faults)
    found = amounts.read_names(listed, _RESOURCES, faults)
    if found is None or len(faults) > before:
        return None
    for index, resource in enumerate(found):
        if resource == names.PODS or not pool_keys.key("pool", resource):
            faults.append(
                f"{_RESOURCES}[{index}]: '{resource}' cannot be counted by pool. Name a resource "
                "of nodes such as cpu or nvidia.com/gpu, of at most 63 characters"
            )
    if not found:
        faults.append(
            f"{_RESOURCES}: must name at least one resource. Leave it out for all devices"
        )
    return tuple(dict.fromkeys(found))
