"""The required node affinity of a pod manifest -> terms; preferences are not read.

The API server guarantees the shape, so nothing is validated here.
"""

import msgspec

from elasticquota.model.constraints import NodeRequirement, NodeTerm
from elasticquota.wire.codec import selectors


class NodeSelectorTerm(msgspec.Struct, rename="camel", gc=False):
    """One term; a node must match all its expressions and fields."""

    match_expressions: list[selectors.Expression] | None = None
    match_fields: list[selectors.Expression] | None = None


class RequiredNodeTerms(msgspec.Struct, rename="camel", gc=False):
    """The required terms; a node must match one of them."""

    node_selector_terms: list[NodeSelectorTerm] | None = None

    @property
    def terms(self) -> tuple[NodeTerm, ...]:
        """The terms in order."""
        return tuple(
            [
                NodeTerm(_requirements(term.match_expressions), _requirements(term.match_fields))
                for term in self.node_selector_terms or ()
            ]
        )


class NodeAffinity(msgspec.Struct, gc=False):
    """``spec.affinity.nodeAffinity`` without its preferences."""

    required: RequiredNodeTerms | None = msgspec.field(
        default=None, name="requiredDuringSchedulingIgnoredDuringExecution"
    )


class Affinity(msgspec.Struct, rename="camel", gc=False):
    """``spec.affinity``, of which only the node affinity is read."""

    node_affinity: NodeAffinity | None = None


def terms(affinity: Affinity | None) -> tuple[NodeTerm, ...]:
    """Return the required terms of a pod's node affinity, in order; empty if it requires none."""
    required = affinity and affinity.node_affinity and affinity.node_affinity.required
    return required.terms if required else ()


def _requirements(written: list[selectors.Expression] | None) -> tuple[NodeRequirement, ...]:
    return tuple(
        [
            NodeRequirement(each.key, each.operator, tuple(each.values or ()))
            for each in written or ()
        ]
    )
