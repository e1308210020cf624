"""Whether pods fit on nodes: requests, node selector, required node affinity, taints.

A model of the scheduler's filters that is independent of the operator's, because the operator is
judged by what this autoscaler does.
"""

import copy
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, Final

from local_cluster.api import Object


Amounts = dict[str, Decimal]

_SUFFIXES: Final = {
    "m": Decimal("0.001"),
    **{f"{unit}i": Decimal(1024) ** power for power, unit in enumerate("KMGTPE", start=1)},
    **{unit: Decimal(1000) ** power for power, unit in enumerate("kMGTPE", start=1)},
}
_HARD: Final = ("NoSchedule", "NoExecute")
_PASSING: Final = "node.kubernetes.io/"
"""Taints of a node that is not ready yet, which a new node loses by itself."""


class Room:
    """A node, existing or to be made, and what is free on it."""

    def __init__(self, node: Object) -> None:
        self.name = node["metadata"]["name"]
        self.labels: dict[str, str] = node["metadata"].get("labels") or {}
        spec = node.get("spec") or {}
        self._taints = [
            each
            for each in spec.get("taints") or ()
            if each["effect"] in _HARD and not each["key"].startswith(_PASSING)
        ]
        self._closed = bool(spec.get("unschedulable"))
        self.free = amounts(node["status"].get("allocatable") or {})

    def copy(self) -> "Room":
        """The same node with the same room, to try something out."""
        made = copy.copy(self)
        made.free = dict(self.free)
        return made

    def takes(self, pod: Object) -> bool:
        """Whether the node admits the pod and has room for it."""
        spec = pod["spec"]
        return (
            not self._closed
            and all(self.free.get(key, 0) >= amount for key, amount in request(pod).items())
            and all(_tolerated(each, spec.get("tolerations") or ()) for each in self._taints)
            and self._is_chosen(spec)
        )

    def place(self, pod: Object) -> None:
        """Book the pod on the node."""
        for key, amount in request(pod).items():
            self.free[key] = self.free.get(key, Decimal(0)) - amount

    def _is_chosen(self, spec: Object) -> bool:
        selector = spec.get("nodeSelector") or {}
        affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
        required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}
        terms = required.get("nodeSelectorTerms")
        return all(self.labels.get(key) == value for key, value in selector.items()) and (
            not terms
            or any(
                all(self._holds(each) for each in term.get("matchExpressions") or ())
                for term in terms
            )
        )

    def _holds(self, expression: Object) -> bool:
        found, values = self.labels.get(expression["key"]), expression.get("values") or ()
        match expression["operator"]:
            case "In":
                return found in values
            case "NotIn":
                return found not in values
            case "Exists":
                return found is not None
            case "DoesNotExist":
                return found is None
        return False


def request(pod: Object) -> Amounts:
    """What the containers of a pod ask for, with ``pods: 1``."""
    total: Amounts = {"pods": Decimal(1)}
    for container in pod["spec"].get("containers") or ():
        resources = container.get("resources") or {}
        asked = {**(resources.get("limits") or {}), **(resources.get("requests") or {})}
        for key, amount in amounts(asked).items():
            total[key] = total.get(key, Decimal(0)) + amount
    return total


def amounts(written: dict[str, Any]) -> Amounts:
    """Read quantities."""
    return {key: _number(str(text)) for key, text in written.items()}


def _number(text: str) -> Decimal:
    for suffix, factor in _SUFFIXES.items():
        if text.endswith(suffix):
            return Decimal(text.removesuffix(suffix)) * factor
    return Decimal(text)


def _tolerated(taint: Object, tolerations: Iterable[Object]) -> bool:
    return any(
        (not each.get("key") or each["key"] == taint["key"])
        and (not each.get("effect") or each["effect"] == taint["effect"])
        and (each.get("operator") == "Exists" or each.get("value", "") == taint.get("value", ""))
        for each in tolerations
    )
