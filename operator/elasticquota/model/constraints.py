"""Constraints: which nodes a pod may run on, whatever room these have, by the scheduler's filters.

* NodeAffinity: the node has every label of ``nodeSelector``, and one of the required terms holds.
* TaintToleration: every NoSchedule and NoExecute taint of the node is tolerated.
* NodeUnschedulable: a cordoned node counts as one with the taint that the cordon brings.

A node that is not ready is known by its taint, as it is to the scheduler.

Spreading, affinity between pods, volumes and host ports stay the scheduler's: it says by the
condition PodScheduled when one of these keeps a pod off every node.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from elasticquota.model.node import Node, Taint


_CORDONED: Final = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")
_KEEPING_OFF: Final = frozenset({"NoSchedule", "NoExecute"})
_NODE_NAME: Final = "metadata.name"
_PASSING: Final = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/")
"""Taints of these prefixes say how a node does at the moment, not what it is for."""


class Toleration(NamedTuple):
    """As written in the pod; empty fields match as the API says."""

    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""

    def tolerates(self, taint: Taint) -> bool:
        """Whether it matches ``taint`` (core/v1 Toleration.ToleratesTaint)."""
        if self.effect not in ("", taint.effect) or self.key not in ("", taint.key):
            return False
        match self.operator:
            case "" | "Equal":
                return self.value == taint.value
            case "Exists":
                return True
            case "Lt" | "Gt":
                return _compare(taint.value, self.operator, self.value)
            case _:
                return False


class NodeRequirement(NamedTuple):
    """One expression of a term; operators In, NotIn, Exists, DoesNotExist, Gt and Lt."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def holds(self, labels: Mapping[str, str]) -> bool:
        """Whether a node with ``labels`` has it; an operator that is not known holds nowhere."""
        found = labels.get(self.key)
        match self.operator:
            case "In":
                return found in self.values
            case "NotIn":
                return found not in self.values
            case "Exists":
                return found is not None
            case "DoesNotExist":
                return found is None
            case "Gt" | "Lt" if found is not None and len(self.values) == 1:
                return _compare(found, self.operator, self.values[0])
            case _:
                return False


class NodeTerm(NamedTuple):
    """One alternative of a required node affinity; without any requirement it matches no node."""

    labels: tuple[NodeRequirement, ...] = ()
    fields: tuple[NodeRequirement, ...] = ()

    def holds(self, node: Node) -> bool:
        if not (self.labels or self.fields):
            return False
        own = {_NODE_NAME: node.name}
        return all(each.holds(node.labels) for each in self.labels) and all(
            each.key == _NODE_NAME and each.operator in ("In", "NotIn") and each.holds(own)
            for each in self.fields
        )


@dataclass(frozen=True, slots=True)
class Constraints:
    """Equal for all pods of one template, and shared by them; hashed once."""

    selector: tuple[tuple[str, str], ...] = ()
    """Sorted."""
    terms: tuple[NodeTerm, ...] | None = None
    """None: any node; one of them must hold."""
    tolerations: tuple[Toleration, ...] = ()
    _hash: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        found = hash((self.selector, self.terms, self.tolerations))
        object.__setattr__(self, "_hash", found)

    def __hash__(self) -> int:
        return self._hash

    def obstacle(self, node: Node) -> str:
        """What keeps the pod off ``node`` now, as said of nodes; empty: nothing."""
        if node.unschedulable and not self._tolerates(_CORDONED):
            return "are cordoned"
        return self.lasting_obstacle(node, passing=True)

    def lasting_obstacle(self, node: Node, *, passing: bool = False) -> str:
        """The same without what passes by itself: a node that is cordoned, not ready or under
        pressure. ``passing``: taints that say so count too.
        """
        for key, value in self.selector:
            if node.labels.get(key) != value:
                return f"lack label {key}={value}"
        if self.terms is not None and not any(term.holds(node) for term in self.terms):
            return "do not match its node affinity"
        for taint in node.taints:
            if (
                taint.effect in _KEEPING_OFF
                and (passing or not taint.key.startswith(_PASSING))
                and not self._tolerates(taint)
            ):
                return f"have taint {taint}"
        return ""

    def _tolerates(self, taint: Taint) -> bool:
        return any(toleration.tolerates(taint) for toleration in self.tolerations)


ANYWHERE: Final = Constraints()
"""Every ready node without taints."""

EVERYWHERE: Final = Constraints(tolerations=(Toleration(operator="Exists"),))
"""Every node."""


def _compare(found: str, operator: str, bound: str) -> bool:
    left, right = _integer(found), _integer(bound)
    if left is None or right is None:
        return False
    return left > right if operator == "Gt" else left < right


def _integer(text: str) -> int | None:
    """A decimal 64-bit integer, as Go's ParseInt reads it."""
    digits = text[1:] if text[:1] in ("-", "+") else text
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 40):
        return None
    found = int(text)
    return found if -(2**63) <= found < 2**63 else None
