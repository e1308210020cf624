"""The shape of a node: what decides which pods it takes, without its current state."""

from collections.abc import Mapping

from elasticquota import resources
from elasticquota.model import constraints
from elasticquota.model.node import Node, Taint
from elasticquota.resources import Resources


def reshaped(before: Node | None, now: Node | None) -> bool:
    """Whether the node, if it were empty, may take other pods than before."""
    if before is None or now is None:
        return before is not now
    return _shape(before) != _shape(now)


def takes_all_it_took(before: Node | None, now: Node | None) -> bool:
    """Whether the node, if it were empty, takes at least the pods that it would have taken."""
    if before is None or now is None:
        return before is None
    offered, labels, taints = _shape(before)
    offers, labels_now, taints_now = _shape(now)
    more = offered.keys() <= offers.keys() and resources.fits(offered, offers)
    return more and labels == labels_now and taints_now <= taints


def _shape(node: Node) -> tuple[Resources, Mapping[str, str], frozenset[Taint]]:
    """What decides which pods the node takes, without its current state."""
    return node.allocatable, node.labels, frozenset(filter(constraints.is_lasting, node.taints))
