"""The figures of the quotas of one tree, as the solvers left them: runtimes, requests, guarantees.

``Runtimes`` keeps them up to date, and ``ResourceSolver`` those of one resource. What either of
them ``taken`` returns is the same for one moment, and never changes.
"""

from collections.abc import Mapping

from elasticquota import resources
from elasticquota.resources import Resources
from elasticquota.sharing.index import TreeIndex


class ResourceFigures:
    """The figures of one resource; all lists are by slot, and ``sums`` by table."""

    def __init__(
        self,
        shares: list[int],
        requests: list[int],
        hi: list[int],
        late: dict[int, tuple[int, int]],
        sums: list[int],
        floors: list[int],
        usages: list[int],
    ) -> None:
        """``late`` has, by slot, what differs from ``requests`` and ``hi``.

        So an event, which changes few of them, copies no list of all.
        """
        self._shares, self._requests, self._hi = shares, requests, hi
        self._late = late
        self._sums, self._floors, self._usages = sums, floors, usages

    def share(self, slot: int) -> int:
        """Return the runtime at this slot."""
        return self._shares[slot]

    def request(self, slot: int) -> int:
        """Return what a quota asks for, before its own max cuts it."""
        late = self._late.get(slot)
        return self._requests[slot] if late is None else late[0]

    def asked(self, table: int) -> int:
        """Return the sum of the limited requests of a table."""
        return self._sums[table]

    def limited(self, slot: int) -> int:
        """Return the part of a quota's request that goes up to its parent; the root has no max."""
        late = self._late.get(slot)
        return self._hi[slot] if late is None else late[1]

    def allocated(self, slot: int) -> int:
        """Return what own pods use plus what children are guaranteed; only in guarantee mode."""
        return self._usages[slot]

    def guaranteed(self, slot: int) -> int:
        """Return the guarantee: min, or in guarantee mode the larger of min and allocated."""
        return self._floors[slot]


class RuntimeFigures:
    """The figures of one tree, of all resources.

    Amounts are by resource name in accounting units; a missing one is 0.
    """

    def __init__(
        self,
        index: TreeIndex,
        counted: tuple[str, ...],
        by_resource: Mapping[str, ResourceFigures],
    ) -> None:
        """``counted`` are the resources that count."""
        self._index = index
        self._counted = counted
        self._by_resource = by_resource

    def runtime(self, name: str) -> dict[str, int]:
        """Return what a quota of the tree may use, for every resource that counts."""
        slot = self._index.slot_of[name]
        return {key: self._by_resource[key].share(slot) for key in self._counted}

    def own_runtime(self, name: str) -> dict[str, int]:
        """Return the part of its runtime for a quota's own pods: all, if it has no children."""
        slot = self._index.own_slot[name]
        return {key: self._by_resource[key].share(slot) for key in self._counted}

    def request(self, name: str) -> dict[str, int]:
        """Return what a quota asks for, before its own max cuts it; only amounts above 0."""
        slot = self._index.slot_of[name]
        return resources.positive(
            {key: found.request(slot) for key, found in self._by_resource.items()}
        )

    def child_request(self, name: str, own: Resources) -> dict[str, int]:
        """Return what its own pods and its children ask for; ``own`` is what its own pods do.

        This is the request before it is raised to min, as it is where lending is off.
        """
        table = self._index.table_of.get(name)
        if table is None:
            return resources.positive(own)
        return resources.positive(
            {key: found.asked(table) for key, found in self._by_resource.items()}
        )

    def limited_request(self, name: str) -> dict[str, int]:
        """Return the request that goes up to the parent: cut by the quota's own max."""
        slot = self._index.slot_of[name]
        return resources.positive(
            {key: found.limited(slot) for key, found in self._by_resource.items()}
        )

    def allocated(self, name: str) -> dict[str, int]:
        """Return what its own pods use plus what its children are guaranteed (guarantee mode)."""
        slot = self._index.slot_of[name]
        return resources.positive(
            {key: self._by_resource[key].allocated(slot) for key in self._counted}
        )

    def guaranteed(self, name: str) -> dict[str, int]:
        """Return min, or in guarantee mode the larger of min and allocated; not for the root."""
        slot = self._index.slot_of[name]
        return resources.positive(
            {key: self._by_resource[key].guaranteed(slot) for key in self._counted}
        )
