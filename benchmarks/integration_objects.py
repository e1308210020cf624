"""A large configuration of each external system: one company, written in three ways.

A root, departments, teams in departments and leaves in teams; each leaf has a namespace. The min of
a team is less than the sum of its leaves, as it happens when people add up by hand.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec
import yaml

from elasticquota import names


FAN: Final = 12
"""Departments, and teams in each of them."""

_STORED: Final = {"uid": "0", "creationTimestamp": "2026-01-01T00:00:00Z"}
_GPU: Final = "nvidia.com/gpu"


def tree(count: int) -> dict[str, Any]:
    """An ElasticQuotaTree with this many nodes."""
    root = {**_node("root", _amounts(10_000, 40_000, 0)), "children": _departments(count - 1)}
    return {
        "apiVersion": names.TREE_API,
        "kind": "ElasticQuotaTree",
        "metadata": {**_STORED, "name": "tree", "namespace": "kube-system"},
        "spec": {"root": root},
    }


def leaves(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The leaves below a node, as stored in it, to be edited."""
    if "children" not in node:
        yield node
    for child in node.get("children", ()):
        yield from leaves(child)


def queues(count: int) -> str:
    """A ``queues.yaml`` with this many queues."""
    root = {"name": "root", "queues": [_queue(node) for node in _departments(count - 1)]}
    return yaml.safe_dump({"partitions": [{"name": "default", "queues": [root]}]})


def capacity(count: int) -> list[bytes]:
    """``count`` ElasticQuotas of capacity scheduling, each in its own namespace."""
    return [
        msgspec.json.encode(
            {
                "apiVersion": names.CAPACITY_API,
                "kind": "ElasticQuota",
                "metadata": {**_STORED, "name": "quota", "namespace": f"space-{number}"},
                "spec": _of_a_leaf(number),
            }
        )
        for number in range(count)
    ]


def _departments(count: int) -> list[dict[str, Any]]:
    """``count`` nodes on three levels."""
    teams: list[list[Any]] = [[] for _ in range(FAN * FAN)]
    for number in range(count - FAN - len(teams)):
        leaf = _node(f"leaf-{number}", _of_a_leaf(number))
        teams[number % len(teams)].append({**leaf, "namespaces": [f"space-{number}"]})
    promised, shared = _amounts(100, 800, 64), _amounts(2_000, 8_000, 640)
    return [
        {
            **_node(f"department-{department}", shared),
            "children": [
                {**_node(f"team-{number}", promised), "children": below}
                for number, below in enumerate(_part(teams, department))
            ],
        }
        for department in range(FAN)
    ]


def _part(teams: Sequence[list[Any]], department: int) -> Sequence[list[Any]]:
    return teams[department * FAN : (department + 1) * FAN]


def _of_a_leaf(number: int) -> dict[str, Any]:
    low = 10 + number % 7
    return _amounts(low, 4 * low, 8)


def _amounts(low: int, high: int, devices: int) -> dict[str, Any]:
    """Min and max: four gibibytes for each cpu."""
    return {
        "min": {"cpu": str(low), "memory": f"{4 * low}Gi", _GPU: str(devices // 4)},
        "max": {"cpu": str(high), "memory": f"{4 * high}Gi", _GPU: str(devices)},
    }


def _node(name: str, amounts: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, **amounts}


def _queue(node: dict[str, Any]) -> dict[str, Any]:
    """The same for YuniKorn."""
    sides = {"guaranteed": node["min"], "max": node["max"]}
    limits = {
        side: {"vcore" if key == names.CPU else key: amount for key, amount in amounts.items()}
        for side, amounts in sides.items()
    }
    found = {"name": node["name"], "resources": limits}
    if "children" in node:
        found["queues"] = [_queue(child) for child in node["children"]]
    return found
