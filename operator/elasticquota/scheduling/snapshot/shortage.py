"""A shortage: where on the way from a quota to the root too little is left for a request."""

from typing import Literal

from elasticquota import resources
from elasticquota.resources import EMPTY, Resources
from elasticquota.scheduling.preemption.cooldown import Cooldowns
from elasticquota.scheduling.snapshot.usage_tree import Place, UsageTree
from elasticquota.structs import Struct


class Shortage(Struct, frozen=True):
    """The first place on the way to the root that has not enough left."""

    where: Literal["own", "ancestor", "nodes", "cooldown"]
    quota: str
    """Of the place; the owner for whom room is kept, where that is why."""
    keys: tuple[str, ...]
    limit: Resources
    left: Resources


class Shortages:
    """One per tree and cycle; reads what the cycle books."""

    def __init__(self, usage_tree: UsageTree, cooldowns: Cooldowns | None) -> None:
        self._tree = usage_tree
        self._cooldowns = cooldowns

    def of(self, quota: str, request: Resources) -> Shortage | None:
        """Why ``request`` does not fit now below the runtimes of the path and the nodes, or None.

        A resource that the nodes do not count, as a hand-written total may omit it, limits no pod.
        """
        places = self._tree.places(quota)
        for place in places:
            usage_node = self._tree.at(place)
            taken = usage_node.taken
            keys = tuple(sorted(usage_node.lack(request, taken)))
            if keys:
                left = {key: usage_node.limit[key] - taken.get(key, 0) for key in keys}
                where = self._where(place, places[0])
                return Shortage(where, place.quota, keys, usage_node.limit, left)
        return self.of_cooldown(quota, request)

    def of_cooldown(
        self, quota: str, request: Resources, *, later: bool = False
    ) -> Shortage | None:
        """What ``request`` lacks because room is kept for owners.

        ``later``: once all that leaves is gone.
        """
        if not self._cooldowns:
            return None
        for place in self._tree.places(quota):
            if place.itself:
                continue
            kept, owner = self._cooldowns.kept(place.quota, quota, request, self._tree.claimed)
            usage_node = self._tree.at(place)
            taken = resources.add(usage_node.later if later else usage_node.taken, kept)
            keys = tuple(sorted(usage_node.lack(request, taken).keys() & kept.keys()))
            if keys:
                left = {key: usage_node.limit[key] - taken.get(key, 0) for key in keys}
                return Shortage("cooldown", owner, keys, usage_node.limit, left)
        return None

    def cooldown(self, place: Place, quota: str, request: Resources) -> Resources:
        """What is kept free at ``place`` of a pod of ``quota`` that would borrow."""
        if not self._cooldowns or place.itself:
            return EMPTY
        return self._cooldowns.kept(place.quota, quota, request, self._tree.claimed)[0]

    def _where(self, place: Place, own: Place) -> Literal["own", "ancestor", "nodes"]:
        """Where the place is on the path; at the root the limit is what the nodes offer."""
        if place == own:
            return "own"
        return "nodes" if place.quota == self._tree.root else "ancestor"
