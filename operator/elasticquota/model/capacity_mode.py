"""The capacity mode of a profile: where the total of its tree comes from (issue 21).

* ``Nodes``: what the present nodes offer. A profile without the field has it.
* ``Elastic``: what the nodes may become. An autoscaler adds them when an admitted pod is pending.
* ``Declared``: the amounts as written, for virtual nodes and for capacity that is reserved.
"""

from typing import Final, Literal

from elasticquota.resources import EMPTY, Resources
from elasticquota.structs import Struct, field


Mode = Literal["Nodes", "Elastic", "Declared"]
SCALE_UP_TIMEOUT: Final = 900_000
"""Milliseconds that an admitted pod waits for a node to come, unless the profile says otherwise."""


class CapacityMode(Struct, frozen=True):
    """One capacity mode as written; amounts in accounting units, before the profile's ratio."""

    mode: Mode = "Nodes"
    max: Resources = field(default_factory=lambda: EMPTY)
    """Of ``Elastic``: the most that all nodes of the tree together will ever offer."""
    total: Resources = field(default_factory=lambda: EMPTY)
    """Of ``Declared``: what the tree offers."""
    largest_node: Resources | None = None
    """Of ``Elastic``: what the largest node to come offers; None: not known."""
    scale_up_timeout: int = SCALE_UP_TIMEOUT
    """Of ``Elastic``: milliseconds without a node after which an admitted pod counts no longer."""

    @property
    def elastic(self) -> bool:
        """Whether nodes may come."""
        return self.mode == "Elastic"

    def leaves_unlimited(self, resource: str) -> bool:
        """Whether a resource that the total does not name limits no pod of the tree."""
        return self.mode == "Declared" or (self.elastic and not is_extended(resource))


NODES: Final = CapacityMode()
"""The mode of a profile that chooses none, and of the default tree."""


class NodesToCome(Struct, frozen=True):
    """What may still join the nodes of an elastic tree; accounting units, without any ratio.

    Nodes to come offer the resources that ``max`` names. Other extended resources are not foreseen;
    pod slots, ephemeral storage and huge pages come with any node.
    """

    most: Resources
    """``max`` of the mode."""
    left: Resources
    """``most`` without what the present nodes offer; never negative. A node that joins is not ready
    for pods yet, so it is one of those to come.
    """
    largest_node: Resources | None = None

    def could_host(self, request: Resources) -> bool:
        """Whether a node to come could take such a pod if the tree had no nodes yet."""
        return self.takes(request, self.most)

    def takes(self, request: Resources, room: Resources) -> bool:
        """Whether one node to come has ``request``, and all nodes to come ``room`` for it."""
        largest = EMPTY if self.largest_node is None else self.largest_node
        for key, asked in request.items():
            if asked <= 0:
                continue
            if asked > largest.get(key, asked):
                return False
            if asked > room.get(key, 0 if is_extended(key) else asked):
                return False
        return True


def is_extended(resource: str) -> bool:
    """Whether it is an extended resource, which has a domain in its name."""
    return "/" in resource
