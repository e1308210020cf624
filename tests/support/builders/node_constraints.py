"""Constraints that keep pods off nodes: taints of nodes, and constraints of pods.

Few keys and nodes, so that they match often: some constraints fit one node only, some none.
"""

from typing import Final

from elasticquota.model.constraints import (
    ANYWHERE,
    EVERYWHERE,
    Constraints,
    NodeRequirement,
    NodeTerm,
    Toleration,
)
from elasticquota.model.node import Taint
from elasticquota.model.selector import Selector
from elasticquota.structs import replace


_KEEPING_OFF: Final = (
    Taint("gpu", "big", "NoExecute"),
    Taint("node-role.kubernetes.io/control-plane", "", "NoSchedule"),
    Taint("spot", "", "PreferNoSchedule"),
)
TAINTS: Final = (
    (),
    *((taint,) for taint in _KEEPING_OFF),
    (Taint("gpu", "big", "NoSchedule"),),
    (Taint("ToBeDeletedByClusterAutoscaler", "1", "NoSchedule"),),
    (Taint("node.kubernetes.io/not-ready", "", "NoExecute"),),
    _KEEPING_OFF,
)
"""All taints of one node, sorted."""

CONSTRAINTS: Final = (
    ANYWHERE,
    EVERYWHERE,
    Constraints(selector=(("disk", "ssd"),)),
    Constraints(terms=(NodeTerm((NodeRequirement("disk", "NotIn", ("ssd",)),)),)),
    Constraints(terms=(NodeTerm(fields=(NodeRequirement("metadata.name", "In", ("n1",)),)),)),
    Constraints(terms=()),
    Constraints(selector=(("disk", "ssd"), ("pool", "main"))),
    Constraints(terms=(NodeTerm(fields=(NodeRequirement("metadata.name", "In", ("n0",)),)),)),
    Constraints(tolerations=(Toleration("gpu", "Exists"),)),
    Constraints(tolerations=(Toleration("gpu", "Equal", "big", "NoSchedule"),)),
    Constraints((("pool", "main"),), tolerations=(Toleration("node.kubernetes.io/not-ready"),)),
)


def narrowed(constraints: Constraints, nodes: Selector) -> Constraints:
    """The requirements of the selector, in every term of the required affinity."""
    added = tuple(
        NodeRequirement(each.key, each.operator, each.values) for each in nodes.requirements
    )
    if not added:
        return constraints
    terms = constraints.terms or (NodeTerm(),)
    narrowed = tuple(NodeTerm((*term.labels, *added), term.fields) for term in terms)
    return replace(constraints, terms=narrowed)
