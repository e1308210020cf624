"""The required node affinity of a pod manifest -> terms; preferences stay unread.

The API server guarantees the shape, so nothing is judged here.
"""

import msgspec

from elasticquota.defaulting.pod_affinity import Term
from elasticquota.wire.codec import selectors


class NodeSelectorTerm(msgspec.Struct, rename="camel", gc=False):
    match_expressions: list[selectors.Expression] | None = None
    match_fields: list[selectors.Expression] | None = None


class NodeSelector(msgspec.Struct, rename="camel", gc=False):
    node_selector_terms: list[NodeSelectorTerm] | None = None


class NodeAffinity(msgspec.Struct, gc=False):
    required: NodeSelector | None = msgspec.field(
        default=None, name="requiredDuringSchedulingIgnoredDuringExecution"
    )


class Affinity(msgspec.Struct, rename="camel", gc=False):
    node_affinity: NodeAffinity | None = None


def terms(affinity: Affinity | None) -> tuple[Term, ...]:
    """The required terms of a pod's node affinity, in order; empty: it requires nothing."""
    required = affinity and affinity.node_affinity and affinity.node_affinity.required
    return tuple(
        Term(
            tuple(
                (expression.key, expression.operator, frozenset(expression.values or ()))
                for expression in term.match_expressions or ()
            ),
            fields=bool(term.match_fields),
        )
        for term in (required and required.node_selector_terms) or ()
    )
