"""Runtime is what a quota may use now: its part of its parent's runtime, by the rule of ``level``.

``Runtimes`` keeps it up to date for one tree, each resource with its own ``solver``. Report what
changed, call ``settle``, then read: every value equals that of a full recompute.

A resource counts when any quota of the tree names it in min or max. Every quota then has a runtime
for it. A quota whose own max does not name it is unlimited by itself, but its ancestors still limit
it. Resources that do not count are only summed as requests.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Final, NamedTuple

from elasticquota import names, pool_keys
from elasticquota.forest.structure import Forest, Tree
from elasticquota.model.quota import Quota
from elasticquota.resources import EMPTY, Resources
from elasticquota.sharing.figures import RuntimeFigures
from elasticquota.sharing.index import FormerSlots, TreeIndex
from elasticquota.sharing.solver import ResourceSolver


_MANY: Final = 2**31 - 1


class _Shared(NamedTuple):
    """The slots and the shares before the last change of the tree."""

    tree_index: TreeIndex
    solvers: Mapping[str, ResourceSolver]
    counted: tuple[str, ...]
    former: FormerSlots


class Runtimes(RuntimeFigures):
    """The runtimes of one tree; mutable, ``settle`` before reading.

    Amounts are by resource name in accounting units; a missing or negative one is 0.
    """

    def __init__(self, tree: Tree, forest: Forest) -> None:
        self._asked: dict[str, Resources] = {}
        """Quota name -> what its own pods ask for; quotas that ask for nothing may be missing."""
        self._held: dict[str, Resources] = {}
        """Quota name -> what its own pods use."""
        self._available: Resources = EMPTY
        self._within_reach: Resources = EMPTY
        self._solvers: dict[str, ResourceSolver] = {}
        self._moved: set[str] = set()
        """What ``drain_changed`` found before the last ``arrange`` and has not returned yet."""
        self._before: _Shared | None = None
        """The shares before the last ``arrange``, until ``drain_changed`` has compared them."""
        self._index = TreeIndex(tree, forest)
        self._count_keys(tree, forest)

    def arrange(self, tree: Tree, forest: Forest) -> None:
        """Follow quotas that came, went, moved or changed. A new quota asks for nothing yet."""
        self._moved = self.drain_changed()
        index = TreeIndex(tree, forest)
        former = index.former(self._index)
        self._before = _Shared(self._index, self._solvers, self._counted, former)
        for own in (self._asked, self._held):
            for name in [name for name in own if name not in index]:
                del own[name]
        self._index = index
        self._count_keys(tree, forest)

    def _count_keys(self, tree: Tree, forest: Forest) -> None:
        quotas = map(forest.quotas.__getitem__, tree.order)
        self._named = Counter(chain.from_iterable(map(_named, quotas)))
        self._counted = tuple(sorted(self._named))
        self._by_resource = self._solvers = {
            key: self._solver(key, self._before) for key in self._counted
        }
        self._follow_new_keys()

    def update_claims(self, names: Collection[str], tree: Tree, forest: Forest) -> None:
        """Follow quotas with changed fields or verdicts, in a tree whose structure is unchanged.

        The root must not be among them.
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
            heads = slot != index.own_slot[owner]
            for key, solver in self._solvers.items():
                asked = solver.asked(index.table_of[owner]) if heads else max(0, own.get(key, 0))
                solver.claim(slot, asked)

    def set_requests(self, requests: Mapping[str, Resources]) -> None:
        """Set what own pods ask for, by quota name; a quota that is missing asks for nothing."""
        self._asked = dict(requests)
        by_slot = self._index.by_slot(requests)
        for solver in self._solvers.values():
            solver.set_requests(by_slot)
        self._follow_new_keys()

    def set_request(self, name: str, request: Resources) -> None:
        """Set what the own pods of one quota of the tree ask for."""
        before = self._asked.get(name, EMPTY)
        if request == before:
            return
        self._asked[name] = request
        slot = self._index.own_slot[name]
        for key in request.keys() | before.keys():
            amount = request.get(key, 0)
            if key not in self._solvers:
                self._solvers[key] = self._solver(key)
            elif amount != before.get(key, 0):
                self._solvers[key].set_request(slot, amount)

    def set_usages(self, used: Mapping[str, Resources]) -> None:
        """Set what own pods use, by quota name; counts only in guarantee mode (semantics 4)."""
        self._held = dict(used)
        by_slot = self._index.by_slot(used)
        for solver in self._solvers.values():
            solver.set_usages(by_slot)

    def set_usage(self, name: str, used: Resources) -> None:
        """Set what the own pods of one quota use; counts only in guarantee mode (semantics 4)."""
        before = self._held.get(name, EMPTY)
        self._held[name] = used
        slot = self._index.own_slot[name]
        for key in used.keys() | before.keys():
            if key in self._solvers:
                self._solvers[key].set_usage(slot, used.get(key, 0))

    def set_capacity(self, available: Resources, within_reach: Resources = EMPTY) -> None:
        """Set what the nodes of the tree offer.

        ``within_reach``, where it is more, is what they offer to guarantees: it includes what
        external pods hold that reclaim may evict.
        """
        self._available, self._within_reach = available, within_reach
        for key in self._counted:
            self._solvers[key].set_capacity(*self._offered(key))

    def settle(self) -> None:
        """Share again wherever something changed; do not read runtimes before."""
        for key in self._counted:
            self._solvers[key].settle()

    def drain_changed(self) -> set[str]:
        """Return the quotas whose runtime, or their own pods' part, changed since the last call."""
        found, self._moved = self._moved, set()
        before, self._before = self._before, None
        solvers = [self._solvers[key] for key in self._counted]
        if before is not None:
            found |= self._differing(before)
        elif any(solver.all_moved for solver in solvers):
            found.update(self._index.slot_of)
        else:
            found.update(self._index.owners[slot] for solver in solvers for slot in solver.moved)
        for solver in solvers:
            solver.moved.clear()
            solver.all_moved = False
        return found

    def taken(self) -> RuntimeFigures:
        """Return the figures of now, which no later change shows in; ``settle`` before."""
        taken = {key: solver.taken() for key, solver in self._solvers.items()}
        return RuntimeFigures(self._index, self._counted, taken)

    def _differing(self, before: "_Shared") -> set[str]:
        """Quotas that had another runtime ``before``, or none."""
        here, there = self._index, before.tree_index
        if before.counted != self._counted:
            return set(here.slot_of)
        slots = set[int]()
        for key in self._counted:
            slots.update(self._solvers[key].differing(before.solvers[key], before.former.was))
        # The part of a quota's own pods is the runtime itself where it has no children.
        changed = {name for name in here.table_of.keys() ^ there.table_of.keys() if name in here}
        return changed.union(here.owners[slot] for slot in slots)

    def _follow_new_keys(self) -> None:
        """Resources that do not count are summed as long as some quota asks for them."""
        for key in set().union(*self._asked.values()) - self._solvers.keys():
            self._solvers[key] = self._solver(key)

    def _solver(self, key: str, shared: _Shared | None = None) -> ResourceSolver:
        """``shared``: what was so far, if claims have not changed since it was compared."""
        by_slot = self._index.by_slot
        available, within_reach = self._offered(key)
        before = None
        if shared is not None and key in shared.solvers:
            before = shared.solvers[key], shared.former
        solver = ResourceSolver(
            key, self._index, available, by_slot(self._asked), by_slot(self._held), before
        )
        solver.set_capacity(available, within_reach)
        return solver

    def _offered(self, key: str) -> tuple[int, int]:
        """What is available, and what is within reach of guarantees.

        ``MAX_JOBS`` is only counted and no node offers it, so nothing but a max limits it.
        """
        if key == names.MAX_JOBS:
            return _MANY, _MANY
        return max(0, self._available.get(key, 0)), max(0, self._within_reach.get(key, 0))


def _named(quota: Quota) -> AbstractSet[str]:
    """The resources that ``quota`` makes count.

    A root names what its nodes offer. What is counted by pool is shared by pool, so the sum over
    all nodes counts only if another quota bounds it too.
    """
    found = quota.min.keys() | quota.max.keys()
    if not quota.is_root or quota.pools is None:
        return found
    return {key for key in found if pool_keys.is_reserved(key) or not quota.pools.counts(key)}
