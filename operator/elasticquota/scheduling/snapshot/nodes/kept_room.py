"""Kept room: whether a victim must leave for it, or other nodes can keep it."""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Final

from elasticquota import totals
from elasticquota.model.pod import Pod
from elasticquota.resources import Resources
from elasticquota.scheduling.snapshot.nodes.node_capacity import NodeCapacity
from elasticquota.scheduling.snapshot.nodes.node_order import Kind


_MOST_MOVED: Final = 100
"""For how many victims one cycle tries to keep room elsewhere; it looks at every node each time."""


class KeptRoom:
    """Mutable; one per tree and cycle."""

    def __init__(self, nodes: NodeCapacity) -> None:
        self._nodes = nodes
        self._moves = 0
        """How often it was tried to keep room on other nodes."""

    def is_taken_by(self, pods: Iterable[Pod]) -> bool:
        """Whether room kept on the nodes of ``pods``, a victim, is lost if they all stay.

        Where other nodes have room that is kept there, it is kept on those from now on.
        """
        by_node: dict[str, dict[str, int]] = {}
        takes = self._nodes.reservations.takes_kept_room
        for pod in pods:
            totals.add(by_node.setdefault(pod.node_name, {}), pod.request)
            if any(
                takes(node, pod.request) and self._nodes.would_take(pod, node)
                for node in self._nodes.reservations.kept
            ):
                return True
        return any(
            takes(node, held) and not self._moved(node, held, by_node.keys())
            for node, held in by_node.items()
        )

    def _moved(self, node: str, held: Resources, avoided: AbstractSet[str]) -> bool:
        """Keep room of ``node`` on nodes that are not ``avoided``, until ``held`` may stay there.

        False: they do not have so much room, and all is as it was.
        """
        if self._moves >= _MOST_MOVED:
            return False
        self._moves += 1
        reservations = self._nodes.reservations
        moved: list[tuple[Kind, str]] = []
        for kind in reservations.kept_for(node):
            other = self._nodes.elsewhere(kind, avoided)
            if other is not None:
                reservations.keep(other, kind)
                reservations.forget(node, kind)
                moved.append((kind, other))
                if not reservations.takes_kept_room(node, held):
                    return True
        for kind, other in moved:
            reservations.forget(other, kind)
            reservations.keep(node, kind)
        return False
