"""nodeSelector, required node affinity and tolerations of a pod manifest -> Constraints.

The API server guarantees the shape. A pod's affinity may be as large as an API request, so
constraints with more than ``MOST`` texts are not kept: such a pod matches no node.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import msgspec

from elasticquota.model.constraints import (
    ANYWHERE,
    Constraints,
    NodeTerm,
    Toleration,
)
from elasticquota.wire.kubernetes import node_affinity


MOST: Final = 1024
"""Texts of one pod: its selector labels, affinity keys and values, and tolerations."""

TOO_LARGE: Final = Constraints(terms=())
"""Replaces constraints of more than ``MOST`` texts; it matches no node."""


class WrittenToleration(msgspec.Struct, gc=False):
    """One entry of ``spec.tolerations`` as written."""

    key: str | None = None
    operator: str | None = None
    value: str | None = None
    effect: str | None = None


ALL_TAINTS: Final = (WrittenToleration(operator="Exists"),)
"""Of pods that do not exist yet: admission may add tolerations."""


def read(
    selector: Mapping[str, str] | None,
    affinity: node_affinity.Affinity | None,
    tolerations: Sequence[WrittenToleration] | None,
) -> Constraints:
    """Return the constraints of a pod; pods of one template share one value."""
    required = affinity and affinity.node_affinity and affinity.node_affinity.required
    if not (selector or required or tolerations):
        return ANYWHERE
    labels = tuple(sorted(selector.items())) if selector else ()
    written = (required and required.node_selector_terms) or ()
    texts = len(labels) + len(tolerations or ()) + sum(map(_texts, written))
    if texts > MOST:
        return TOO_LARGE
    terms = None if required is None else node_affinity.terms(affinity)
    return _shared(labels, terms, tuple([_toleration(each) for each in tolerations or ()]))


def manifest(found: Constraints) -> dict[str, Any]:
    """Return the fields of a pod's spec that ``read`` reads back."""
    spec: dict[str, Any] = {
        "nodeSelector": dict(found.selector),
        "tolerations": [each._asdict() for each in found.tolerations],
    }
    if found.terms is not None:
        required = {"nodeSelectorTerms": [_written(each) for each in found.terms]}
        affinity = {"requiredDuringSchedulingIgnoredDuringExecution": required}
        spec["affinity"] = {"nodeAffinity": affinity}
    return spec


def _written(term: NodeTerm) -> dict[str, Any]:
    parts = {"matchExpressions": term.labels, "matchFields": term.fields}
    return {
        part: [
            {"key": each.key, "operator": each.operator, "values": list(each.values)}
            for each in requirements
        ]
        for part, requirements in parts.items()
    }


@lru_cache(maxsize=1024)
def _shared(
    selector: tuple[tuple[str, str], ...],
    terms: tuple[NodeTerm, ...] | None,
    tolerations: tuple[Toleration, ...],
) -> Constraints:
    return Constraints(selector, terms, tuple(sorted(set(tolerations))))


def _toleration(found: WrittenToleration) -> Toleration:
    return Toleration(found.key or "", found.operator or "", found.value or "", found.effect or "")


def _texts(term: node_affinity.NodeSelectorTerm) -> int:
    parts = (term.match_expressions or (), term.match_fields or ())
    return sum(1 + len(each.values or ()) for part in parts for each in part)
