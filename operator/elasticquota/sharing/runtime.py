"""Runtime is what a quota may use now: its parent's runtime, shared among the siblings by level.

Kept up to date for one tree, each resource for itself (``solver``). Tell it what changed,
``settle``, and read: every figure is then that of a full recompute, value by value.

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
from elasticquota.sharing.index import TreeIndex
from elasticquota.sharing.solver import ResourceSolver


_MANY: Final = 2**31 - 1


class _Shared(NamedTuple):
    """Who sat where, and what everybody had of the resources that counted."""

    tree_index: TreeIndex
    solvers: Mapping[str, ResourceSolver]
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
        self._solvers: dict[str, ResourceSolver] = {}
        self._moved: set[str] = set()
        """By what was before the last arrangement, since somebody asked for news."""
        self._before: _Shared | None = None
        """How it was shared before it."""
        self._assign_slots(TreeIndex(tree, forest), tree, forest)

    def arrange(self, tree: Tree, forest: Forest) -> None:
        """Quotas came, went, moved or changed. Who is new asks for nothing yet."""
        self._moved = self.news()
        self._before = _Shared(self._index, self._solvers, self._counted)
        self._assign_slots(TreeIndex(tree, forest), tree, forest)

    def _assign_slots(self, index: TreeIndex, tree: Tree, forest: Forest) -> None:
        self._index = index
        for own in (self._asked, self._held):
            for name in [name for name in own if name not in self._index]:
                del own[name]
        self._named = Counter(key for name in tree.order for key in _named(forest.quotas[name]))
        self._counted = tuple(sorted(self._named))
        before = self._solvers
        self._solvers = {key: self._solver(key) for key in self._counted}
        for key in before.keys() & self._solvers.keys():
            self._solvers[key].follow(before[key])
        self._follow_new_keys()

    def update_claims(self, names: Collection[str], tree: Tree, forest: Forest) -> None:
        """These quotas say something else or are judged otherwise, and everybody stands where they
        stood. The root is none of them.
        """
        index = self._index
        for name in names:
            self._named.subtract(_named(index.claims[index.slot_of[name]].quota))
            self._named.update(_named(forest.quotas[name]))
        if self._counted != tuple(sorted(+self._named)):
            self.arrange(tree, forest)
            return
        for slot in index.update_claims(names, forest):
            owner = index.owners[slot]
            own = self._asked.get(owner, EMPTY)
            heads = slot != index.entrance[owner]
            for key, solver in self._solvers.items():
                asked = solver.asked(index.table_of[owner]) if heads else max(0, own.get(key, 0))
                solver.claim(slot, asked)

    def ask_all(self, requests: Mapping[str, Resources]) -> None:
        """All that own pods ask for now, by quota of the tree; who is missing asks for nothing."""
        self._asked = dict(requests)
        told = self._index.told(requests)
        for solver in self._solvers.values():
            solver.ask_all(told)
        self._follow_new_keys()

    def ask(self, name: str, request: Resources) -> None:
        """The own pods of a quota of the tree ask for this much now."""
        before = self._asked.get(name, EMPTY)
        self._asked[name] = request
        slot = self._index.entrance[name]
        for key in request.keys() | before.keys():
            amount = request.get(key, 0)
            if key not in self._solvers:
                self._solvers[key] = self._solver(key)
            elif amount != before.get(key, 0):
                self._solvers[key].ask(slot, amount)

    def hold_all(self, used: Mapping[str, Resources]) -> None:
        """All that own pods use now, likewise; counts only where use is guaranteed."""
        self._held = dict(used)
        told = self._index.told(used)
        for solver in self._solvers.values():
            solver.hold_all(told)

    def hold(self, name: str, used: Resources) -> None:
        """The own pods of a quota use this much now; counts only where use is guaranteed."""
        before = self._held.get(name, EMPTY)
        self._held[name] = used
        slot = self._index.entrance[name]
        for key in used.keys() | before.keys():
            if key in self._solvers:
                self._solvers[key].hold(slot, used.get(key, 0))

    def offer(self, available: Resources, within_reach: Resources = EMPTY) -> None:
        """The nodes of the tree offer this much to its pods now; ``within_reach``, where that is
        more, they offer to guarantees: strangers hold it that may be evicted for them.
        """
        self._available, self._within_reach = available, within_reach
        for key in self._counted:
            self._solvers[key].offer(*self._offered(key))

    def settle(self) -> None:
        """Share anew wherever something changed; before that, runtimes are not to be read."""
        for key in self._counted:
            self._solvers[key].settle()

    def news(self) -> set[str]:
        """Quotas whose runtime, or that of their own pods, changed since this was last asked."""
        found, self._moved = self._moved, set()
        before, self._before = self._before, None
        solvers = [self._solvers[key] for key in self._counted]
        if before is not None:
            found |= self._unlike(before)
        elif any(solver.all_moved for solver in solvers):
            found.update(self._index.slot_of)
        else:
            found.update(self._index.owners[slot] for solver in solvers for slot in solver.moved)
        for solver in solvers:
            solver.moved.clear()
            solver.all_moved = False
        return found

    def runtime(self, name: str) -> dict[str, int]:
        """What a quota of the tree may use, for every resource that counts."""
        slot = self._index.slot_of[name]
        return {key: self._solvers[key].share(slot) for key in self._counted}

    def own_runtime(self, name: str) -> dict[str, int]:
        """The part of it for the quota's own pods: all of it where there are no children."""
        slot = self._index.entrance[name]
        return {key: self._solvers[key].share(slot) for key in self._counted}

    def request(self, name: str) -> dict[str, int]:
        """What a quota asks for, without the resources it asks nothing of."""
        slot = self._index.slot_of[name]
        return resources.positive(
            {key: solver.request(slot) for key, solver in self._solvers.items()}
        )

    def child_request(self, name: str) -> dict[str, int]:
        """What its own pods and its children ask for: request before lending raises it to min."""
        table = self._index.table_of.get(name)
        if table is None:
            return resources.positive(self._asked.get(name, EMPTY))
        return resources.positive(
            {key: solver.asked(table) for key, solver in self._solvers.items()}
        )

    def limited_request(self, name: str) -> dict[str, int]:
        """The same as far as its own max lets it go up to its parent."""
        slot = self._index.slot_of[name]
        return resources.positive(
            {key: solver.limited(slot) for key, solver in self._solvers.items()}
        )

    def allocated(self, name: str) -> dict[str, int]:
        """What its own pods use and its children are guaranteed, where use is guaranteed."""
        slot = self._index.slot_of[name]
        return resources.positive(
            {key: self._solvers[key].allocated(slot) for key in self._counted}
        )

    def guaranteed(self, name: str) -> dict[str, int]:
        """Min, or what runs where that is more and use is guaranteed; not of the root."""
        slot = self._index.slot_of[name]
        return resources.positive(
            {key: self._solvers[key].guaranteed(slot) for key in self._counted}
        )

    def _unlike(self, before: "_Shared") -> set[str]:
        """Quotas for which another runtime stood ``before``, or none."""
        here, there = self._index, before.tree_index
        if before.counted != self._counted:
            return set(here.slot_of)
        found = here.slot_of.keys() - there.slot_of.keys()
        for places, old_places in (
            (here.slot_of, there.slot_of),
            (here.entrance, there.entrance),
        ):
            stayed = [
                (name, slot, old_places[name])
                for name, slot in places.items()
                if name in old_places
            ]
            for key in self._counted:
                now, old = self._solvers[key], before.solvers[key]
                found.update(
                    name for name, slot, was in stayed if now.share(slot) != old.share(was)
                )
        return found

    def _follow_new_keys(self) -> None:
        """Others are added up as long as somebody asks for them."""
        for key in set().union(*self._asked.values()) - self._solvers.keys():
            self._solvers[key] = self._solver(key)

    def _solver(self, key: str) -> ResourceSolver:
        told = self._index.told
        available, within_reach = self._offered(key)
        solver = ResourceSolver(key, self._index, available, told(self._asked), told(self._held))
        solver.offer(available, within_reach)
        return solver

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
