"""A misfit is a waiting pod that could not be admitted even into an idle tree.

It asks for more than max of some quota on its path, or for more than any node of the tree offers.
It does not count as request, because demand that can never run would take from those who can
(algorithm 6, phantom demand). Node fit is coarse on purpose: sizes only, no taints or selectors.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from elasticquota import names, quantity, resources
from elasticquota.forest.structure import Forest
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod
from elasticquota.resources import Resources


@dataclass(frozen=True, slots=True)
class Misfit:
    reason: Literal["ExceedsMax", "NoNodeFits"]
    message: str


Shape = frozenset[tuple[str, int]]
"""What a node offers; equal nodes have one shape."""


def shapes(nodes: Iterable[Node]) -> frozenset[Shape]:
    """The different sizes among the nodes, so that a pool of equal nodes is looked at once."""
    return frozenset([frozenset(node.allocatable.items()) for node in nodes])


def find(pod: Pod, quota_name: str, forest: Forest, node_shapes: Iterable[Shape]) -> Misfit | None:
    """Why ``pod`` can never be admitted into the quota, or None. No nodes known: no node check."""
    for name in forest.path(quota_name):
        limit = forest.quotas[name].max if name in forest.quotas else resources.EMPTY
        beyond = resources.exceeding(pod.request, limit)
        if beyond:
            key = beyond[0]
            asked, most = pod.request[key], limit[key]
            return Misfit(
                "ExceedsMax",
                f"{quantity.text(key, asked)} {key} asked, max of quota {name} is "
                f"{quantity.text(key, most)}",
            )
    offers = [dict(shape) for shape in node_shapes]
    if not offers or any(_hosts(offer, pod.request) for offer in offers):
        return None
    return Misfit("NoNodeFits", _largest(pod.request, offers))


def _hosts(shape: Resources, request: Resources) -> bool:
    return all(amount <= shape.get(key, 0) for key, amount in request.items())


def _largest(request: Resources, node_shapes: Sequence[Resources]) -> str:
    for key, amount in sorted(request.items()):
        most = max(shape.get(key, 0) for shape in node_shapes)
        if amount > most and key != names.PODS:
            return (
                f"{quantity.text(key, amount)} {key} asked, the largest node of the tree "
                f"offers {quantity.text(key, most)}"
            )
    return "no single node of the tree offers all that is asked"
