"""One resource flows through a tree: demand up from the pods, runtime down from the root.

Up: a quota asks for what its own pods and its children ask for, each child cut by its own max, and
for no less than its min where lending is off (K 2.3). Down: the root has what is available, and
every other quota gets its part of its parent's runtime by ``level.share`` (semantics 4).

A change goes up only as far as a limited request changes, and marks the siblings it may concern;
``settle`` shares anew among those, from the top down, and goes below a quota only where its runtime
is another one. So an event costs what it changes, and what stands is what a new flow would give.

In a tree that guarantees use (K's guarantee gate) what runs goes up as well: a quota is guaranteed
the larger of its min and what its own pods use and its children are guaranteed, and lends nothing.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from elasticquota.resources import EMPTY, Resources
from elasticquota.sharing import weight
from elasticquota.sharing.seats import NOWHERE, Seats, Table
from elasticquota.sharing.siblings import Siblings


class Flow:
    """Mutable; amounts are accounting units of one resource. ``settle`` before reading shares."""

    def __init__(
        self, key: str, seats: Seats, asked: Mapping[str, Resources], held: Mapping[str, Resources]
    ) -> None:
        """``asked`` and ``held``: what each quota's own pods ask for and use, kept by the owner
        of this flow, who tells every later change of it.
        """
        self._key = key
        self._seats = seats
        self._asked = asked
        self._held = held
        self._available = 0
        self._groups: dict[str, Siblings] = {}
        """By parent."""
        self._stale: list[list[Siblings]] = []
        """By depth, the siblings that have to share anew."""
        self.arrange(seats, frozenset(seats.tables))

    def arrange(self, seats: Seats, changed: AbstractSet[str]) -> None:
        """Everybody takes these seats; at all tables but the ``changed`` ones nothing is new."""
        self._seats = seats
        self._groups = {p: group for p, group in self._groups.items() if p in seats.tables}
        touched = set(changed)
        asked, held = self._amounts(self._asked), self._amounts(self._held)
        for parent, table in reversed(seats.tables.items()):
            if parent in changed:
                self._groups[parent] = self._siblings(parent, asked, held)
            above = table.seat.table
            if parent in touched and above and above not in changed and self._pass_up(parent):
                touched.add(above)
        self._stale = [[] for _ in range(seats.depth)]
        for parent, table in seats.tables.items():
            group = self._groups[parent]
            group.queue = self._stale[table.depth]
            if parent in changed:
                group.weigh(self._available, self._available)
                group.total = self.share(parent)
            if group.stale:
                group.queue.append(group)

    def offer(self, available: int) -> None:
        """The tree can give this much now; less than nothing is nothing."""
        available = max(0, available)
        if available == self._available:
            return
        for group in self._groups.values():
            group.weigh(available, self._available)
        self._available = available
        if self._seats.root in self._groups:
            self._groups[self._seats.root].refill(available)

    def ask_all(self) -> None:
        """Everybody's own pods ask for something else now."""
        asked = self._amounts(self._asked)
        for parent, table in reversed(self._seats.tables.items()):
            self._groups[parent].ask_all(self._requests_at(table, asked))

    def ask(self, name: str, request: int) -> None:
        """The own pods of a quota ask for this much now."""
        parent, place = self._seats.entrance.get(name, NOWHERE)
        while parent:
            group = self._groups[parent]
            if not group.ask(place, request):
                return
            request = group.hi_sum
            parent, place = self._seats.tables[parent].seat

    def hold(self, name: str, holding: int) -> None:
        """The own pods of a quota use this much now; counts only where use is guaranteed."""
        parent, place = self._seats.entrance.get(name, NOWHERE)
        while parent and self._seats.guarantees_use:
            group = self._groups[parent]
            if not group.hold(place, holding):
                return
            holding = sum(group.floors)
            parent, place = self._seats.tables[parent].seat

    def settle(self) -> None:
        """Share anew wherever a change may have moved a share."""
        for queue in self._stale:
            for group in queue:
                shares = group.divide()
                for place, child in self._seats.tables[group.table].inner:
                    self._groups[child].refill(shares[place])
            queue.clear()

    def share(self, name: str) -> int:
        """The runtime of a quota of the tree."""
        parent, place = self._seats.seat_of.get(name, NOWHERE)
        return self._groups[parent].shares[place] if parent else self._available

    def own_share(self, name: str) -> int:
        """The part of a quota's runtime that is for its own pods: all of it without children."""
        parent, place = self._seats.entrance.get(name, NOWHERE)
        return self._groups[parent].shares[place] if parent else self._available

    def request(self, name: str) -> int:
        """What a quota asks for, before its own max cuts it."""
        parent, place = self._seats.seat_of.get(name, NOWHERE)
        if parent:
            return self._groups[parent].requests[place]
        asked = self._groups[name].hi_sum if name in self._groups else self._of(name, self._asked)
        return max(asked, self._seats.root_keeps.get(self._key, 0))

    def limited(self, name: str) -> int:
        """What of a quota's request goes up to its parent; the root is cut by nothing."""
        parent, place = self._seats.seat_of.get(name, NOWHERE)
        return self._groups[parent].hi[place] if parent else self.request(name)

    def allocated(self, name: str) -> int:
        """What a quota's own pods use and its children are guaranteed, where use is guaranteed."""
        group = self._groups.get(name)
        return sum(group.floors) if group else self._of(name, self._held)

    def guaranteed(self, name: str) -> int:
        """The floor on which a quota stands: min, or what runs where use is guaranteed."""
        parent, place = self._seats.seat_of[name]
        return self._groups[parent].floors[place]

    def _siblings(self, parent: str, asked: Mapping[str, int], held: Mapping[str, int]) -> Siblings:
        """The seats at a table, filled from those at the tables below, which are filled already."""
        key, table = self._key, self._seats.tables[parent]
        holdings = [0] * len(table.names)
        if self._seats.guarantees_use:
            holdings = [held.get(name, 0) for name in table.names]
            for place, child in table.inner:
                holdings[place] = sum(self._groups[child].floors)
        wishes = [weight.wish(quota, key, table.ceiling) for quota in table.quotas]
        caps = [max(0, quota.max.get(key, weight.UNLIMITED)) for quota in table.quotas]
        return Siblings(
            parent,
            mins=[max(0, low.get(key, 0)) for low in table.mins],
            caps=[*caps, weight.UNLIMITED],
            wishes=[*wishes, weight.of_own_pods(key, table.ceiling)],
            keeps=table.keeps,
            requests=self._requests_at(table, asked),
            holdings=holdings,
        )

    def _requests_at(self, table: Table, asked: Mapping[str, int]) -> list[int]:
        requests = [asked.get(name, 0) for name in table.names]
        for place, child in table.inner:
            requests[place] = self._groups[child].hi_sum
        return requests

    def _amounts(self, own: Mapping[str, Resources]) -> dict[str, int]:
        key = self._key
        return {name: max(0, amounts[key]) for name, amounts in own.items() if key in amounts}

    def _of(self, name: str, own: Mapping[str, Resources]) -> int:
        return max(0, own.get(name, EMPTY).get(self._key, 0))

    def _pass_up(self, parent: str) -> bool:
        """Tell the table above what those at this one ask for. Whether that changed anything."""
        group = self._groups[parent]
        above, place = self._seats.tables[parent].seat
        changed = self._groups[above].ask(place, group.hi_sum)
        if self._seats.guarantees_use:
            changed = self._groups[above].hold(place, sum(group.floors)) or changed
        return changed
