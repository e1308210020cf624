"""Constraints: which nodes a pod may run on, without regard to their free resources.

They follow three filters of kube-scheduler:

* NodeAffinity: the node has every label of ``nodeSelector``, and one of the required terms holds.
* TaintToleration: every NoSchedule and NoExecute taint of the node is tolerated.
* NodeUnschedulable: a cordoned node counts as if it had the unschedulable taint.

As in the scheduler, a node that is not ready is recognized by its taint.

Topology spreading, affinity between pods, volumes and host ports are left to the scheduler. If one
of these keeps a pod off every node, the scheduler says so in the condition PodScheduled.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from elasticquota.model.node import Node, Taint
from elasticquota.structs import Struct, force_setattr


_CORDONED: Final = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")
_KEEPING_OFF: Final = frozenset({"NoSchedule", "NoExecute"})
_NODE_NAME: Final = "metadata.name"
_PASSING: Final = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/")
"""Prefixes of taints that describe the current state of a node, not its purpose."""


class Toleration(NamedTuple):
    """A toleration as written in the pod; empty fields match as the API says."""

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
    """One expression of a term, with operator In, NotIn, Exists, DoesNotExist, Gt or Lt."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def holds(self, labels: Mapping[str, str]) -> bool:
        """Whether it holds for a node with ``labels``; an unknown operator holds for none."""
        value = labels.get(self.key)
        match self.operator:
            case "In":
                return value in self.values
            case "NotIn":
                return value not in self.values
            case "Exists":
                return value is not None
            case "DoesNotExist":
                return value is None
            case "Gt" | "Lt" if value is not None and len(self.values) == 1:
                return _compare(value, self.operator, self.values[0])
            case _:
                return False


class NodeTerm(NamedTuple):
    """One alternative of a required node affinity; an empty term matches no node."""

    labels: tuple[NodeRequirement, ...] = ()
    fields: tuple[NodeRequirement, ...] = ()

    @property
    def matches_nothing(self) -> bool:
        """Whether it is empty, and so matches no node."""
        return not (self.labels or self.fields)

    def holds(self, node: Node) -> bool:
        """Whether all requirements hold for ``node``."""
        if self.matches_nothing:
            return False
        own = {_NODE_NAME: node.name}
        return all(each.holds(node.labels) for each in self.labels) and all(
            each.key == _NODE_NAME and each.operator in ("In", "NotIn") and each.holds(own)
            for each in self.fields
        )


class Constraints(Struct, frozen=True):
    """The constraints of a pod; pods of one template share one object, so it is hashed once."""

    selector: tuple[tuple[str, str], ...] = ()
    """Labels of ``nodeSelector``, sorted."""
    terms: tuple[NodeTerm, ...] | None = None
    """Required terms, of which one must hold; None: any node."""
    tolerations: tuple[Toleration, ...] = ()
    _hash: int = 0

    def __post_init__(self) -> None:
        found = hash((self.selector, self.terms, self.tolerations))
        force_setattr(self, "_hash", found)

    def __hash__(self) -> int:
        return self._hash

    def obstacle(self, node: Node) -> str:
        """Return what keeps the pod off ``node`` now, for messages about nodes; empty: nothing."""
        if node.unschedulable and not self._tolerates(_CORDONED):
            return "are cordoned"
        return self.lasting_obstacle(node, passing=True)

    def lasting_obstacle(self, node: Node, *, passing: bool = False) -> str:
        """Return what keeps the pod off ``node``, without its current state; empty: nothing.

        A cordoned node, or one that is not ready or under pressure, is ready again some day.
        ``passing``: the taints of such states count too.
        """
        for key, value in self.selector:
            if node.labels.get(key) != value:
                return f"lack label {key}={value}"
        if self.terms is not None and not any(term.holds(node) for term in self.terms):
            return "do not match its node affinity"
        for taint in node.taints:
            keeps_off = taint.effect in _KEEPING_OFF if passing else is_lasting(taint)
            if keeps_off and not self._tolerates(taint):
                return f"have taint {taint}"
        return ""

    def _tolerates(self, taint: Taint) -> bool:
        return any(toleration.tolerates(taint) for toleration in self.tolerations)


ANYWHERE: Final = Constraints()
"""Allows every node that is not cordoned and has no taints."""

EVERYWHERE: Final = Constraints(tolerations=(Toleration(operator="Exists"),))
"""Allows every node."""


def is_lasting(taint: Taint) -> bool:
    """Whether it keeps pods off by the purpose of the node, and not by its current state."""
    return taint.effect in _KEEPING_OFF and not taint.key.startswith(_PASSING)


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
