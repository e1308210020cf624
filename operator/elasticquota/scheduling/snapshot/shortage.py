"""A shortage: where on the way from a quota to the root too little is left for a request."""

from typing import Literal

from elasticquota.resources import Resources
from elasticquota.scheduling.snapshot.usage_tree import Place, UsageTree
from elasticquota.structs import Struct


class Shortage(Struct, frozen=True):
    """The first place on the way to the root that has not enough left."""

    where: Literal["own", "ancestor", "nodes"]
    quota: str
    """Of the place."""
    keys: tuple[str, ...]
    limit: Resources
    left: Resources


class Shortages:
    """One per tree and cycle; reads what the cycle books."""

    def __init__(self, usage_tree: UsageTree) -> None:
        self._tree = usage_tree

    def of(self, quota: str, request: Resources) -> Shortage | None:
        """Why ``request`` does not fit now below the runtimes of the path and the nodes, or None.

        A resource that the nodes do not count, as a hand-written total may omit it, limits no pod.
        """
        places = self._tree.places(quota)
        for place, usage_node in zip(places, self._tree.path(quota), strict=True):
            taken = usage_node.taken
            keys = tuple(sorted(usage_node.lack(request, taken)))
            if keys:
                left = {key: usage_node.limit[key] - taken.get(key, 0) for key in keys}
                where = self._where(place, places[0])
                return Shortage(where, place.quota, keys, usage_node.limit, left)
        return None

    def _where(self, place: Place, own: Place) -> Literal["own", "ancestor", "nodes"]:
        """Where the place is on the path; at the root the limit is what the nodes offer."""
        if place == own:
            return "own"
        return "nodes" if place.quota == self._tree.root else "ancestor"
