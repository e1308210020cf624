"""The search of reclaim: room for one waiting pod after the other, wherever its path lacks some.

For a min, external pods go first. Then borrowers return what is missing above the owner's quota, on
any node; if the pod then fits on no node, a node is cleared for it. The room is kept for the pod,
or no victim is chosen.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Final

from elasticquota import names, resources
from elasticquota.forest import preemption_policy
from elasticquota.model.constraints import Constraints
from elasticquota.model.pod import Pod, Size
from elasticquota.model.quota import NOT_EVER
from elasticquota.model.workload import Workload
from elasticquota.resources import EMPTY, Resources
from elasticquota.scheduling.preemption import node_victims
from elasticquota.scheduling.preemption.borrower_victims import BorrowerVictims, Need
from elasticquota.scheduling.preemption.targets import PreemptionTargets
from elasticquota.scheduling.queue import fair_order
from elasticquota.scheduling.queue.fair_order import Turn
from elasticquota.scheduling.snapshot.usage_tree import Place
from elasticquota.scheduling.status import eviction_messages


_NOTHING: Final = Fraction(0)
_ALL: Final = Fraction(1)


class ReclaimSearch:
    """Finds the victims for each waiting pod; mutable, one per tree and cycle."""

    def __init__(
        self,
        targets: PreemptionTargets,
        over: Mapping[str, Resources],
        vanished: frozenset[str],
        turn: Callable[[str, Workload], Turn],
        min_runtime: int,
    ) -> None:
        """``over``: by quota, what its own pods hold beyond its runtime before any eviction.

        ``vanished`` are the devices that no node offers any more; ``turn`` is the order of
        admission; ``min_runtime`` is in milliseconds.
        """
        self._targets = targets
        self._root = targets.tree.tree.root
        self._vanished = vanished
        self._turn = turn
        self._over = over
        self._min_runtime = min_runtime
        self._victims = BorrowerVictims(targets, over, min_runtime)
        self._fences: dict[str, str] = {}
        """By quota: its fence, or empty."""
        self._borrowers: dict[str, list[str]] = {}
        """By quota: the quotas at or below it that are above their runtime, in order of reclaim."""

    @property
    def youngest_in(self) -> int | None:
        """Milliseconds until the first of the spared young pods may go; None: none was spared."""
        return self._victims.youngest_in

    def worth_trying(
        self, blocked: Iterable[tuple[str, Workload]]
    ) -> Iterator[tuple[str, Workload]]:
        """The waiting pods in the order in which they would be admitted.

        Pods that are like one that just failed are left out. A pod for which room is made moves its
        quota back, as its admission would: otherwise room would be made for other pods than those
        that get it.
        """
        fruitless: set[tuple[str, Size, Constraints, Hashable]] = set()

        def alike(name: str, pod: Workload) -> tuple[str, Size, Constraints, Hashable]:
            limit_key = self._targets.snapshot.user_limits.limit_key(name, pod)
            return name, pod.size, pod.constraints, limit_key

        def skipped(name: str, pod: Workload) -> bool:
            return pod.uid in self._targets.nominated or alike(name, pod) in fruitless

        for name, pod in fair_order.in_turns(blocked, self._turn, skipped):
            yield name, pod
            if pod.uid not in self._targets.nominated:
                fruitless.add(alike(name, pod))

    def reclaim_for_min(self, name: str, pod: Workload, *, spares_young: bool) -> bool:
        """Make room for a pod within its quota's min.

        True: it failed, and may succeed once young pods are no longer spared.
        """
        need = Need(name, pod, "min", self._min_runtime if spares_young else 0)
        self._reclaim_for(need, self._over.keys(), _NOTHING)
        return need.min_runtime > 0 and pod.uid not in self._targets.nominated

    def reclaim_for_fair_shares(
        self, blocked: Iterable[tuple[str, Workload]], sharing: Collection[str]
    ) -> None:
        """Reclaim from ``sharing`` for waiting pods within the runtime of their quotas."""
        for name, pod in self.worth_trying(blocked):
            self._reclaim_for_fair_share(name, pod, sharing)

    def _reclaim_for_fair_share(self, name: str, pod: Workload, borrowers: Collection[str]) -> None:
        """Make room for a pod within its quota's runtime.

        No borrower falls to a smaller part of its runtime than that quota has.
        """
        share = min(_ALL, self._targets.snapshot.shares.share(name))
        self._reclaim_for(Need(name, pod, "fair share", self._min_runtime), borrowers, share)

    def exceeded_limits(self, delay: int) -> dict[str, int]:
        """By quota whose max is exceeded, or whose tree's nodes are: after how long that goes.

        In milliseconds: ``delay``, or the quota's own. The default quota exceeds no nodes.
        """
        found = {}
        for place in {each for name in self._over for each in self._limits(name)}:
            own = self._own_delay(place)
            if own != NOT_EVER and self._excess(place):
                found[place.quota] = delay if own is None else own
        return found

    def reclaim_excess(self, lasting: Collection[str]) -> None:
        """Reclaim usage beyond the limits of ``targets.overdue``.

        ``lasting`` are the quotas above their runtime for the administrator's delay. A limit with a
        delay of its own counts for the others too.
        """
        overdue = self._targets.overdue
        for name in self._in_order(self._over):
            for place in self._limits(name):
                own = self._own_delay(place)
                if place.quota in overdue and (name in lasting or own is not None):
                    self._reclaim_excess(name, place)

    def _reclaim_excess(self, name: str, place: Place) -> None:
        excess = self._excess(place)
        if not excess or self._targets.full:
            return
        if place.quota == self._root:
            self._victims.add(name, excess, _ALL)
        else:
            self._victims.add(name, excess, _NOTHING)
            self._victims.add_gangs(name, self._excess(place))

    def _limits(self, name: str) -> Iterator[Place]:
        """The quotas on the path of ``name`` whose max, or at the root whose nodes, limit it."""
        for place in self._targets.snapshot.places(name):
            if place.quota != self._root or name != names.DEFAULT_QUOTA:
                yield place

    def _own_delay(self, place: Place) -> int | None:
        """The delay of a max with one of its own; None: the administrator's, as for the nodes."""
        if place.quota == self._root:
            return None
        return self._targets.cluster.forest.quotas[place.quota].over_max_delay

    def _excess(self, place: Place) -> Resources:
        """What stays at ``place`` beyond its max, or beyond the nodes of the tree."""
        limit = self._targets.snapshot.ceiling(place)
        if self._vanished and place.quota == self._root:
            limit = resources.without(limit, self._vanished)
        staying = resources.masked(self._targets.snapshot.staying(place), limit.keys())
        return resources.positive(resources.subtract(staying, limit))

    def _reclaim_for(self, need: Need, borrowers: Collection[str], share: Fraction) -> None:
        snapshot = self._targets.snapshot
        own, *_ = snapshot.places(need.owner)
        if self._targets.full or snapshot.lack(own, need.pod.request):
            return
        if self._makes_room(need, borrowers, share):
            return
        if need.due == "min" or any(map(self._targets.has_gang, borrowers)):
            self._makes_room(need, borrowers, share, whole=True)

    def _makes_room(
        self, need: Need, borrowers: Collection[str], share: Fraction, *, whole: bool = False
    ) -> bool:
        """Find victims and keep their room for the pod; if that is not enough, evict none.

        ``whole``: for a min, a workload that is partly beyond the min of its quota is borrowed as a
        whole; for a fair share, a gang that is partly beyond the runtime of its quota.
        """
        snapshot, (name, pod, *_) = self._targets.snapshot, need
        _, *above = snapshot.places(name)
        mark = len(self._targets)
        if need.due == "min":
            self._evict_external_pods(need)
        self._reclaim_amounts(need, above, borrowers, share, whole=whole)
        if any(snapshot.lack(place, pod.request) for place in above):
            self._targets.undo(mark)
            return False
        if self._targets.keep(name, pod, mark):
            return True
        self._clear_nodes(need, self._rule(need, borrowers, share, whole=whole))
        self._reclaim_amounts(need, above, borrowers, share, whole=whole)
        return self._targets.keep(name, pod, mark)

    def _evict_external_pods(self, need: Need) -> None:
        """Evict external pods: on one node, then for what the nodes still lack in total."""
        targets, root = self._targets, Place(self._root)
        if not targets.tree.external_pods.evictable or self._fence(need.owner):
            return
        self._clear_nodes(need, node_victims.external_pods(targets))
        missing = targets.snapshot.lack(root, need.pod.request)
        if missing:
            for pod in targets.choose(
                targets.external_pods(), missing, EMPTY, (need.owner, need.pod)
            ):
                quota = targets.cluster.members.quota_of(pod)
                message = eviction_messages.external_pod(
                    targets.tree, pod.node_name, need.owner, need.pod
                )
                targets.evict(quota, [pod], message, need.cause)

    def _reclaim_amounts(
        self,
        need: Need,
        above: Iterable[Place],
        borrowers: Collection[str],
        share: Fraction,
        *,
        whole: bool,
    ) -> None:
        """Add victims for the room that is missing above the quota, on any node."""
        for place in above:
            for borrower in self._borrowers_below(place):
                missing = self._targets.snapshot.lack(place, need.pod.request)
                if not missing:
                    break
                if borrower in borrowers and self._may_take(need, borrower):
                    self._victims.add(borrower, missing, share, need, whole=whole)

    def _may_take(self, need: Need, borrower: str) -> bool:
        """Whether the owner may reclaim from ``borrower``, as far as its fence says."""
        fence = self._fence(need.owner)
        forest = self._targets.cluster.forest
        return borrower != need.owner and (not fence or fence in forest.path(borrower))

    def _fence(self, owner: str) -> str:
        found = self._fences.get(owner)
        if found is None:
            found = preemption_policy.fence(self._targets.cluster.forest, owner)
            self._fences[owner] = found
        return found

    def _rule(
        self, need: Need, borrowers: Collection[str], share: Fraction, *, whole: bool
    ) -> node_victims.Rule:
        """Which pods may leave a node: for a min, those of any quota beyond its own min."""
        targets, old_enough = self._targets, self._victims.is_old_enough
        if need.due == "min":
            rule = node_victims.keeping_min(targets, need.owner, need.pod if whole else None)
        else:
            others = (borrower for borrower in borrowers if self._may_take(need, borrower))
            floors = {borrower: self._victims.floor(borrower, share) for borrower in others}
            rule = node_victims.keeping(targets, floors, gangs=whole)
        if not need.min_runtime:
            return rule
        return lambda quota, pod, taken: (
            (targets.is_external(pod) or old_enough(pod)) and rule(quota, pod, taken)
        )

    def _clear_nodes(self, need: Need, rule: node_victims.Rule) -> None:
        """Add victims on nodes, so that the pod, or each pod of its group, fits on one."""
        targets, nodes = self._targets, self._targets.snapshot.nodes
        reserved: list[tuple[str, Pod]] = []
        for one in need.pod.pods:
            node = nodes.one_later(need.owner, nodes.kind(need.owner, one))
            if node is None:
                candidates = nodes.candidates(need.owner, one)
                clearing = node_victims.search(targets, one, candidates, rule)
                if clearing is None:
                    break
                node = clearing.node
                self._clear(clearing, need)
            nodes.reservations.reserve(node, one.request)
            reserved.append((node, one))
        for node, one in reserved:
            nodes.reservations.unreserve(node, one.request)

    def _clear(self, clearing: node_victims.Clearing, need: Need) -> None:
        for quota, pod in clearing.leave:
            message = node_victims.message(
                self._targets, (quota, pod), clearing.node, (need.owner, need.pod), need.due
            )
            self._targets.evict(quota, [pod], message, need.cause)

    def _borrowers_below(self, place: Place) -> list[str]:
        if place.quota not in self._borrowers:
            forest = self._targets.cluster.forest
            self._borrowers[place.quota] = self._in_order(
                name for name in self._over if place.quota in forest.path(name)
            )
        return self._borrowers[place.quota]

    def _in_order(self, borrowers: Iterable[str]) -> list[str]:
        """Quotas in the order of reclaim: the largest dominant share first."""
        snapshot = self._targets.snapshot
        return sorted(borrowers, key=lambda name: (-snapshot.shares.share(name), name))
