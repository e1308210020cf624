"""Pool choice: in which of its pools a waiting workload is counted, when several can take it.

It is counted in one pool at a time, at first in the first by preference. When it is blocked there:

* The first other pool in which the nodes and every max on its path have room for it becomes its
  pool. If its own pool has such room too, that is tried first, as idle resources (``borrowing``).
* If no pool has room, it is counted where the min of its quota has room for it, because only there
  reclaim is for it. Otherwise it stays where it is.

The next cycle then decides on it as on any workload of that pool, so runtime, min, max and reclaim
need no rule of their own. A workload does not return to a pool for ``RETURNS_AFTER`` once it left
it, so two pools that both have room, and in which others come first, do not exchange it all the
time. Kueue tries the flavors of a ClusterQueue in the same order: those with room first, then those
where it may preempt.

The pods of a gang choose together, and the pods of a job follow the job. A gang that is too large
for its pool goes to the first pool that can take it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from elasticquota import pool_keys
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.pods import pool_assignment
from elasticquota.ledger.pods.pool_assignment import Flexible
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model import pools as pools_of
from elasticquota.model import workload
from elasticquota.model.clocks import PoolChoice
from elasticquota.model.decision import Release
from elasticquota.model.pod import Pod, Size
from elasticquota.model.selector import Selector
from elasticquota.model.workload import Counted, Gang, Workload
from elasticquota.resources import Resources
from elasticquota.scheduling.admission.admit import Admission
from elasticquota.scheduling.snapshot.tree_snapshot import TreeSnapshot
from elasticquota.scheduling.snapshot.usage_tree import Place
from elasticquota.structs import replace


RETURNS_AFTER: Final = 10_000
"""Milliseconds."""


class PoolChoices:
    """The choices of one tree in one cycle; mutable. Without pools it has nothing to do."""

    def __init__(
        self,
        cluster: ClusterSnapshot,
        tree: TreeBooks,
        before: Mapping[str, PoolChoice],
        now: int,
    ) -> None:
        """``before`` are the choices of the last cycle, by uid."""
        self._cluster = cluster
        self._pools = cluster.pools_of(tree.tree.id)
        self._now = now
        self._flexible: dict[str, Flexible] = {}
        """By uid, those of this tree."""
        if self._pools is not None:
            here = (each for each in cluster.flexible.values() if each.quota in tree.used)
            self._flexible = {each.uid: each for each in here}
        self.choices = {uid: found for uid, found in before.items() if uid in self._flexible}
        """By uid, the choices that hold from now on."""
        self._before = dict(self.choices)
        self._asked: dict[tuple[str, str], int] = {}
        """By quota and pool key, what those ask for who moved in this cycle for a min."""
        self._waiting: list[tuple[str, Workload]] = []
        """Those whose own pool has room, and that wait for a share of it."""
        self._root = Place(tree.tree.root)
        self._free: Resources | None = None
        """What the nodes have left; None: to be read again."""
        self._opened: dict[tuple[Size, tuple[str, ...]], frozenset[str]] = {}
        """By size and options, the result of ``_open``."""
        self.moved: set[str] = set()
        """Uids of the workloads that chose another pool in this cycle."""

    def move(self, admission: Admission, snapshot: TreeSnapshot) -> None:
        """Choose for the blocked workloads, in fair order, whose own pool has no room."""
        if self._pools is not None and self._flexible:
            self._move(admission.undecided(), snapshot, is_last=False)

    def move_rest(self, admission: Admission, snapshot: TreeSnapshot) -> None:
        """Choose for the others that are still blocked, when idle resources were given out."""
        if self._waiting:
            blocked = {pod.uid for _, pod in admission.undecided()}
            rest = [(quota, each) for quota, each in self._waiting if each.uid in blocked]
            self._free = None
            self._move(rest, snapshot, is_last=True)

    def _move(
        self, found: Iterable[tuple[str, Workload]], snapshot: TreeSnapshot, *, is_last: bool
    ) -> None:
        fruitless: set[tuple[object, ...]] = set()
        for quota, blocked in found:
            options = self._options(blocked)
            if not options or blocked.uid in self.moved:
                continue
            left = self._left(blocked, options)
            limit_key = snapshot.user_limits.limit_key(quota, blocked)
            size, firm = blocked.size, not blocked.preemptible
            kind = (quota, size, blocked.constraints, firm, options, left, limit_key)
            if kind in fruitless:
                continue
            open_ = self._open(blocked, size, options, snapshot)
            own = _pool_of(blocked)
            if not is_last and own in open_ and self._has_room(quota, blocked, own, snapshot):
                self._waiting.append((quota, blocked))
                continue
            others = tuple(pool for pool in options if pool != own and pool not in left)
            pool = self._better(quota, blocked, others, open_, snapshot)
            if pool:
                self._choose(blocked, pool)
            else:
                fruitless.add(kind)

    def move_infeasible(self, quotas: Iterable[str]) -> None:
        """Choose for gangs that are too large for the pool in which their pods are counted."""
        if self._pools is None or not self._flexible:
            return
        for quota in quotas:
            for pod, _ in self._cluster.account(quota).infeasible_pods:
                gang = self._gang_of(pod)
                if gang is None or gang.uid in self.moved:
                    continue
                for pool in self._options(gang):
                    if self._cluster.feasible(self._there(gang, pool), quota):
                        self._choose(gang, pool)
                        break

    @property
    def due(self) -> Iterator[int]:
        """When the next cycle is due for a choice, in ms of the clock of ``now``."""
        if self.choices != self._before:
            yield self._now + 1
        for uid in self._flexible:
            for _, until in self.choices[uid].left if uid in self.choices else ():
                yield until

    def _gang_of(self, pod: Counted) -> Gang | None:
        """The gang of an infeasible pod that may go to several pools."""
        return (
            self._cluster.gang(pod) if pod.uid in self._flexible and isinstance(pod, Pod) else None
        )

    def _options(self, blocked: Workload) -> tuple[str, ...]:
        """The pools that can take it; of a gang, those of its first pod that may choose."""
        for part in workload.counted(blocked):
            if part.uid in self._flexible:
                return self._flexible[part.uid].options
        return ()

    def _better(
        self,
        quota: str,
        blocked: Workload,
        others: tuple[str, ...],
        open_: Collection[str],
        snapshot: TreeSnapshot,
    ) -> str:
        """The pool to which it should go; empty: it stays."""
        for pool in others:
            if pool in open_ and self._has_room(quota, blocked, pool, snapshot):
                snapshot.keep(quota, self._there(blocked, pool))
                self._free = None
                return pool
        least = self._cluster.forest.effective_min(quota)
        if not any(map(pool_keys.is_reserved, least)):
            return ""
        if snapshot.guarantees.has_min_for(quota, _in_pools(blocked)):
            return ""
        for pool in others:
            if self._has_min_for(quota, _in_pools(self._there(blocked, pool))):
                return pool
        return ""

    def _has_room(self, quota: str, blocked: Workload, pool: str, snapshot: TreeSnapshot) -> bool:
        """Whether nodes and every limit on its path have room in the pool, whatever its runtime."""
        there = self._there(blocked, pool)
        return (
            snapshot.below_max(self._cluster.forest.path(quota), there.request)
            and snapshot.user_limits.reached(quota, there) is None
            and (there.preemptible or not snapshot.guarantees.exceeding_min(quota, there))
            and snapshot.starts_on(quota, there) is not None
        )

    def _open(
        self, blocked: Workload, size: Size, options: tuple[str, ...], snapshot: TreeSnapshot
    ) -> Collection[str]:
        """The pools of which all nodes together have enough left for it.

        Of a gang some pods may go elsewhere, so it is tried in any case.
        """
        if self._pools is None or isinstance(blocked, Gang):
            return options
        if self._free is None:
            self._free = snapshot.free(self._root, snapshot.limit(self._root))
            self._opened.clear()
        found = self._opened.get((size, options))
        if found is None:
            free, counts = self._free, self._pools.counts
            asked = [(key, each) for key, each in size if each > 0 and counts(key)]
            found = self._opened[size, options] = frozenset(
                pool
                for pool in options
                if all(each <= free.get(pool_keys.key(pool, key), each) for key, each in asked)
            )
        return found

    def _has_min_for(self, quota: str, asked: Resources) -> bool:
        """Whether the min of its quota has room for it beside all who hold or await it; books it.

        False for amounts of which min guarantees nothing.
        """
        least, own = self._cluster.forest.effective_min(quota), self._cluster.account(quota)
        for key, amount in asked.items():
            before = own.admitted.get(key, 0) + own.asked_while_waiting.get(key, 0)
            before += self._asked.get((quota, key), 0)
            if before + amount > least.get(key, 0):
                return False
        for key, amount in asked.items():
            self._asked[quota, key] = self._asked.get((quota, key), 0) + amount
        return bool(asked)

    def _left(self, blocked: Workload, options: tuple[str, ...]) -> tuple[str, ...]:
        """The pools to which it does not return yet."""
        if not any(part.uid in self.choices for part in workload.counted(blocked)):
            return ()
        return tuple(pool for pool in options if not self._may_return(blocked, pool))

    def _may_return(self, blocked: Workload, pool: str) -> bool:
        """Whether it was not in this pool a moment ago."""
        return not any(
            left == pool and self._now < until
            for part in workload.counted(blocked)
            if part.uid in self.choices
            for left, until in self.choices[part.uid].left
        )

    def _there(self, blocked: Workload, pool: str) -> Workload:
        """The workload as it would be counted in ``pool``."""
        if self._pools is None:
            return blocked
        if not isinstance(blocked, Gang):
            return pool_assignment.moved(blocked, self._pools, pool)
        parts = [
            pool_assignment.moved(part, self._pools, pool) if self._can_go(part, pool) else part
            for part in blocked.pods
        ]
        return workload.gang(blocked.key, parts, blocked.surplus)

    def _can_go(self, part: Counted, pool: str) -> bool:
        return part.uid in self._flexible and pool in self._flexible[part.uid].options

    def _choose(self, blocked: Workload, pool: str) -> None:
        self.moved.add(blocked.uid)
        for part in workload.counted(blocked):
            if self._can_go(part, pool):
                own, before = _pool_of(part), self.choices.get(part.uid)
                left = {} if before is None else dict(before.left)
                left = {name: until for name, until in left.items() if self._now < until}
                left[own] = self._now + RETURNS_AFTER
                left.pop(pool, None)
                self.choices[part.uid] = PoolChoice(pool, tuple(sorted(left.items())))


def narrowed(cluster: ClusterSnapshot, releases: Iterable[Release]) -> Iterator[Release]:
    """Send each released pod that is counted in a pool to the nodes of this pool.

    A tree in observe mode sends no pod anywhere.
    """
    for each in releases:
        tree_id = cluster.forest.tree_of.get(each.quota)
        pools = None if tree_id is None else cluster.pools_of(tree_id)
        found = None if pools is None else cluster.counted(each.pod)
        pool = _pool_of(found) if found is not None else ""
        if (
            found is None
            or pools is None
            or pool not in pools.names
            or each.quota in cluster.observed
        ):
            yield each
        else:
            lacking = _lacking(pools.selector(pool), dict(found.constraints.selector))
            yield replace(each, nodes=each.nodes.within(lacking))


def _lacking(selector: Selector, demanded: Mapping[str, str]) -> Selector:
    """The requirements that a pod does not make by its own node selector."""
    return Selector(
        tuple(
            each
            for each in selector.requirements
            if each.key not in demanded or not each.holds(demanded)
        )
    )


def _pool_of(found: Workload) -> str:
    return pools_of.named(found.request)


def _in_pools(found: Workload) -> Resources:
    """What it asks for of pools."""
    return {
        key: amount
        for key, amount in found.request.items()
        if amount > 0 and pool_keys.is_reserved(key)
    }
