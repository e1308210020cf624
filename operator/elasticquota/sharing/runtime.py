"""Runtime is what a quota may use now: its parent's runtime, shared among the siblings by level.

Kept up to date for one tree, each resource for itself (``flow``). Tell it what changed, ``settle``,
and read: every figure is then that of a full recompute, value by value.

A resource counts when any quota of the tree names it in min or max; every quota then has a runtime
for it, also one whose own max does not name it: that is unlimited for the quota itself, not for its
ancestors. Others are only added up as requests.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

from elasticquota import names, resources
from elasticquota.forest.structure import Forest, Tree
from elasticquota.model.quota import Quota
from elasticquota.resources import EMPTY, Resources
from elasticquota.sharing.index import Seats
from elasticquota.sharing.solver import Flow


_MANY: Final = 2**31 - 1


class _Shared(NamedTuple):
    """Who sat where, and what everybody had of the resources that counted."""

    seats: Seats
    flows: Mapping[str, Flow]
    counted: tuple[str, ...]


class Runtimes:
    """Mutable; amounts by resource name in accounting units, a missing or negative one is 0."""

    def __init__(self, tree: Tree, forest: Forest) -> None:
        self._asked: dict[str, Resources] = {}
        """What the own pods of a quota ask for; not those who ask for nothing."""
        self._held: dict[str, Resources] = {}
        """What they use."""
        self._available: Resources = EMPTY
        self._within_reach: Resources = EMPTY
        self._flows: dict[str, Flow] = {}
        self._moved: set[str] = set()
        """By what was before the last arrangement, since somebody asked for news."""
        self._before: _Shared | None = None
        """How it was shared before it."""
        self._take_seats(Seats(tree, forest), tree, forest)

    def arrange(self, tree: Tree, forest: Forest) -> None:
        """Quotas came, went, moved or changed. Who is new asks for nothing yet."""
        self._moved = self.news()
        self._before = _Shared(self._seats, self._flows, self._counted)
        self._take_seats(Seats(tree, forest), tree, forest)

    def _take_seats(self, seats: Seats, tree: Tree, forest: Forest) -> None:
        self._seats = seats
        for own in (self._asked, self._held):
            for name in [name for name in own if name not in self._seats]:
                del own[name]
        self._named = Counter(key for name in tree.order for key in _named(forest.quotas[name]))
        self._counted = tuple(sorted(self._named))
        before = self._flows
        self._flows = {key: self._flow(key) for key in self._counted}
        for key in before.keys() & self._flows.keys():
            self._flows[key].follow(before[key])
        self._follow_new_keys()

    def claim_anew(self, names: Collection[str], tree: Tree, forest: Forest) -> None:
        """These quotas say something else or are judged otherwise, and everybody stands where they
        stood. The root is none of them.
        """
        seats = self._seats
        for name in names:
            self._named.subtract(_named(seats.claims[seats.seat_of[name]].quota))
            self._named.update(_named(forest.quotas[name]))
        if self._counted != tuple(sorted(+self._named)):
            self.arrange(tree, forest)
            return
        for seat in seats.claim_anew(names, forest):
            owner = seats.owners[seat]
            own = self._asked.get(owner, EMPTY)
            heads = seat != seats.entrance[owner]
            for key, flow in self._flows.items():
                asked = flow.asked(seats.table_of[owner]) if heads else max(0, own.get(key, 0))
                flow.claim(seat, asked)

    def ask_all(self, requests: Mapping[str, Resources]) -> None:
        """All that own pods ask for now, by quota of the tree; who is missing asks for nothing."""
        self._asked = dict(requests)
        told = self._seats.told(requests)
        for flow in self._flows.values():
            flow.ask_all(told)
        self._follow_new_keys()

    def ask(self, name: str, request: Resources) -> None:
        """The own pods of a quota of the tree ask for this much now."""
        before = self._asked.get(name, EMPTY)
        self._asked[name] = request
        seat = self._seats.entrance[name]
        for key in request.keys() | before.keys():
            amount = request.get(key, 0)
            if key not in self._flows:
                self._flows[key] = self._flow(key)
            elif amount != before.get(key, 0):
                self._flows[key].ask(seat, amount)

    def hold_all(self, used: Mapping[str, Resources]) -> None:
        """All that own pods use now, likewise; counts only where use is guaranteed."""
        self._held = dict(used)
        told = self._seats.told(used)
        for flow in self._flows.values():
            flow.hold_all(told)

    def hold(self, name: str, used: Resources) -> None:
        """The own pods of a quota use this much now; counts only where use is guaranteed."""
        before = self._held.get(name, EMPTY)
        self._held[name] = used
        seat = self._seats.entrance[name]
        for key in used.keys() | before.keys():
            if key in self._flows:
                self._flows[key].hold(seat, used.get(key, 0))

    def offer(self, available: Resources, within_reach: Resources = EMPTY) -> None:
        """The nodes of the tree offer this much to its pods now; ``within_reach``, where that is
        more, they offer to guarantees: strangers hold it that may be evicted for them.
        """
        self._available, self._within_reach = available, within_reach
        for key in self._counted:
            self._flows[key].offer(*self._offered(key))

    def settle(self) -> None:
        """Share anew wherever something changed; before that, runtimes are not to be read."""
        for key in self._counted:
            self._flows[key].settle()

    def news(self) -> set[str]:
        """Quotas whose runtime, or that of their own pods, changed since this was last asked."""
        found, self._moved = self._moved, set()
        before, self._before = self._before, None
        flows = [self._flows[key] for key in self._counted]
        if before is not None:
            found |= self._unlike(before)
        elif any(flow.all_moved for flow in flows):
            found.update(self._seats.seat_of)
        else:
            found.update(self._seats.owners[seat] for flow in flows for seat in flow.moved)
        for flow in flows:
            flow.moved.clear()
            flow.all_moved = False
        return found

    def runtime(self, name: str) -> dict[str, int]:
        """What a quota of the tree may use, for every resource that counts."""
        seat = self._seats.seat_of[name]
        return {key: self._flows[key].share(seat) for key in self._counted}

    def own_runtime(self, name: str) -> dict[str, int]:
        """The part of it for the quota's own pods: all of it where there are no children."""
        seat = self._seats.entrance[name]
        return {key: self._flows[key].share(seat) for key in self._counted}

    def request(self, name: str) -> dict[str, int]:
        """What a quota asks for, without the resources it asks nothing of."""
        seat = self._seats.seat_of[name]
        return resources.positive({key: flow.request(seat) for key, flow in self._flows.items()})

    def child_request(self, name: str) -> dict[str, int]:
        """What its own pods and its children ask for: request before lending raises it to min."""
        table = self._seats.table_of.get(name)
        if table is None:
            return resources.positive(self._asked.get(name, EMPTY))
        return resources.positive({key: flow.asked(table) for key, flow in self._flows.items()})

    def limited_request(self, name: str) -> dict[str, int]:
        """The same as far as its own max lets it go up to its parent."""
        seat = self._seats.seat_of[name]
        return resources.positive({key: flow.limited(seat) for key, flow in self._flows.items()})

    def allocated(self, name: str) -> dict[str, int]:
        """What its own pods use and its children are guaranteed, where use is guaranteed."""
        seat = self._seats.seat_of[name]
        return resources.positive({key: self._flows[key].allocated(seat) for key in self._counted})

    def guaranteed(self, name: str) -> dict[str, int]:
        """Min, or what runs where that is more and use is guaranteed; not of the root."""
        seat = self._seats.seat_of[name]
        return resources.positive({key: self._flows[key].guaranteed(seat) for key in self._counted})

    def _unlike(self, before: "_Shared") -> set[str]:
        """Quotas for which another runtime stood ``before``, or none."""
        here, there = self._seats, before.seats
        if before.counted != self._counted:
            return set(here.seat_of)
        found = here.seat_of.keys() - there.seat_of.keys()
        for places, old_places in (
            (here.seat_of, there.seat_of),
            (here.entrance, there.entrance),
        ):
            stayed = [
                (name, seat, old_places[name])
                for name, seat in places.items()
                if name in old_places
            ]
            for key in self._counted:
                now, old = self._flows[key], before.flows[key]
                found.update(
                    name for name, seat, was in stayed if now.share(seat) != old.share(was)
                )
        return found

    def _follow_new_keys(self) -> None:
        """Others are added up as long as somebody asks for them."""
        for key in set().union(*self._asked.values()) - self._flows.keys():
            self._flows[key] = self._flow(key)

    def _flow(self, key: str) -> Flow:
        told = self._seats.told
        available, within_reach = self._offered(key)
        flow = Flow(key, self._seats, available, told(self._asked), told(self._held))
        flow.offer(available, within_reach)
        return flow

    def _offered(self, key: str) -> tuple[int, int]:
        """What is available, and what is within reach of guarantees.

        What no node has to offer, and is only counted, limits nobody but by a max.
        """
        if key == names.MAX_JOBS:
            return _MANY, _MANY
        return max(0, self._available.get(key, 0)), max(0, self._within_reach.get(key, 0))


def _named(quota: Quota) -> AbstractSet[str]:
    """The resources that ``quota`` makes count."""
    return quota.min.keys() | quota.max.keys()
