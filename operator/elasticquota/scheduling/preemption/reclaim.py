"""Reclaim: evict pods of quotas above their runtime, for a waiting pod or down to a limit.

* *An owner waits*: a pod of another quota is within its min and lacks only room. After its grace
  (its quota's own, or ``grace``) reclaim first evicts external pods on the tree's nodes. Then it
  evicts pods of quotas above their runtime, wherever on the owner's path room is missing. If pods
  wholly beyond min are not enough, pods partly within min go too: they are borrowed as a whole.
* *A pod waits for a fair share*: it is within its quota's runtime, beyond min. Usage above runtime
  that lasts for ``delay`` makes room for it, but no quota falls to a smaller part of its runtime
  than the gaining quota has. The administrator can turn this off (``fair_share``). It never applies
  to quotas that follow those of capacity scheduling.
* *No pod waits*: usage above a max is reclaimed after ``delay``. Usage above a tree's remaining
  nodes is reclaimed too, while the quota keeps its runtime. The default quota is exempt from the
  second rule, because its pods may be on any nodes.

Other usage above runtime stays: an eviction that starts no pod only leaves nodes idle
(docs/decisions). Terminating pods count as returned, so a restart in between evicts no pod too
many. The default quota is reclaimed like others; the system quota never is.

Usage means admitted: an admitted pod without a node takes the same room as a bound one. A pod that
runs for less than ``min_runtime`` is spared, until the owner has waited for its grace and for
``min_runtime`` too: so the wait of an owner is bounded. An owner still waits while a refused
eviction for it is tried again.
"""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, NamedTuple

from elasticquota import names, resources
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model import moments
from elasticquota.model.constraints import Constraints
from elasticquota.model.decision import Clocks
from elasticquota.model.pod import Pod, Size
from elasticquota.model.workload import Gang, Workload
from elasticquota.resources import EMPTY, Resources
from elasticquota.scheduling.policy import Policy
from elasticquota.scheduling.preemption import node_victims
from elasticquota.scheduling.preemption.targets import PreemptionTargets
from elasticquota.scheduling.snapshot.usage_tree import Place
from elasticquota.scheduling.status import messages


_NOTHING = Fraction(0)
_ALL = Fraction(1)
_MIN: Final = "min"


@dataclass(frozen=True, slots=True)
class Reclaim:
    """Clocks for the next cycle; ``due``: when the next one ends (clock of ``now``), or None."""

    clocks: Clocks = field(default_factory=Clocks)
    due: int | None = None
    spared_young: bool = False


def reclaim(
    targets: PreemptionTargets,
    blocked: Sequence[tuple[str, Workload]],
    without_node: Sequence[tuple[str, Workload]],
    over: Mapping[str, Resources],
    clocks: Clocks,
    policy: Policy,
    now: int,
) -> Reclaim:
    """Add the victims to ``targets``, whose snapshot already has the admissions of this cycle.

    ``over`` has the ``over_use`` of all quotas above their runtime; ``without_node`` are the
    blocked pods that lack only a node; ``now`` is in milliseconds.
    """
    unmoved = nobody(targets, clocks)
    anywhere = bool(over) or bool(targets.tree.external_pods.evictable)
    if not (anywhere or without_node):
        return unmoved
    owner_waits = dict(unmoved.clocks.owner_waits_since)
    over_since = {name: clocks.over_since.get(name, now) for name in over}
    lasting = [name for name in over if now - over_since[name] >= policy.delay]
    session = _Session(targets, over, policy.min_runtime)
    ends = [since + policy.delay for since in over_since.values()]
    for name, pod in session.worth_trying(blocked if anywhere else without_node):
        if over.keys() != {name} and targets.snapshot.guarantees.entitled(name, pod):
            since = owner_waits.setdefault(name, clocks.owner_waits_since.get(name, now))
            due = since + grace(targets.cluster, name, policy)
            ends.append(due)
            if now >= due:
                deadline = due + policy.min_runtime
                if session.serve_owner(name, pod, spares_young=now < deadline):
                    ends.append(deadline)
    if lasting:
        sharing = [name for name in lasting if policy.fair_share and _shares(targets.cluster, name)]
        session.level(blocked, sharing, lasting)
    if session.youngest_in is not None:
        ends.append(now + session.youngest_in)
    due_at = min((end for end in ends if end > now), default=None)
    return Reclaim(Clocks(over_since, owner_waits), due_at, session.youngest_in is not None)


def nobody(targets: PreemptionTargets, clocks: Clocks) -> Reclaim:
    """The result of a cycle without reclaim."""
    since = clocks.owner_waits_since
    asking = targets.cluster.asks_again_for & since.keys() & targets.tree.admitted.keys()
    return Reclaim(Clocks(owner_waits_since={name: since[name] for name in sorted(asking)}))


def grace(cluster: ClusterSnapshot, owner: str, policy: Policy) -> int:
    """How long pods within the min of ``owner`` wait before reclaim begins, in milliseconds."""
    own = cluster.forest.quotas[owner].reclaim_grace
    return policy.grace if own is None else own


def over_use(cluster: ClusterSnapshot, tree: TreeBooks, name: str) -> dict[str, int]:
    """What the quota's own pods use beyond its runtime; terminating pods count as returned."""
    if name in (names.ROOT_QUOTA, names.SYSTEM_QUOTA):
        return {}
    account = cluster.account(name)
    return {
        key: beyond
        for key, most in tree.runtimes.own_runtime(name).items()
        if (beyond := account.admitted.get(key, 0) - account.returning.get(key, 0) - most) > 0
    }


def _shares(cluster: ClusterSnapshot, name: str) -> bool:
    """Whether the quota takes part in fair-share reclaim; those of capacity scheduling do not."""
    return cluster.forest.quotas[name].kept_for != names.CAPACITY


class _Need(NamedTuple):
    """The waiting pod, its quota, and whether its min or its fair share is due."""

    owner: str
    pod: Workload
    due: str
    min_runtime: int
    """Pods that run for less are spared; in milliseconds."""


class _Session:
    """Finds the victims for each waiting pod; ``over`` is the state before any eviction."""

    def __init__(
        self, targets: PreemptionTargets, over: Mapping[str, Resources], min_runtime: int
    ) -> None:
        self._targets = targets
        self._over = over
        self._min_runtime = min_runtime
        self.youngest_in: int | None = None
        """Milliseconds until the first of the spared young pods may go, or None."""
        self._givers: dict[str, list[str]] = {}
        """By quota: the quotas at or below it that are above their runtime, in order of reclaim."""

    def in_order(self, givers: Iterable[str]) -> list[str]:
        """Quotas in the order of reclaim: the largest dominant share first."""
        snapshot = self._targets.snapshot
        return sorted(givers, key=lambda name: (-snapshot.dominant_share(name), name))

    def worth_trying(
        self, blocked: Iterable[tuple[str, Workload]]
    ) -> Iterator[tuple[str, Workload]]:
        """The waiting pods in queue order, without those that are like one that just failed."""
        in_vain: set[tuple[str, Size, Constraints, Hashable]] = set()
        for name, pod in blocked:
            kin = self._targets.snapshot.user_limits.kin(name, pod)
            alike = (name, pod.size, pod.constraints, kin)
            if pod.uid in self._targets.served or alike in in_vain:
                continue
            yield name, pod
            if pod.uid not in self._targets.served:
                in_vain.add(alike)

    def serve_owner(self, name: str, pod: Workload, *, spares_young: bool) -> bool:
        """Make room for a pod within its quota's min.

        True: it failed, and may succeed once young pods are no longer spared.
        """
        need = _Need(name, pod, _MIN, self._min_runtime if spares_young else 0)
        self._serve(need, self._over.keys(), _NOTHING)
        return need.min_runtime > 0 and pod.uid not in self._targets.served

    def level(
        self,
        blocked: Iterable[tuple[str, Workload]],
        sharing: Collection[str],
        over: Collection[str],
    ) -> None:
        """Reclaim from ``sharing`` for waiting pods, then usage of ``over`` beyond limits."""
        if sharing:
            for name, pod in self.worth_trying(blocked):
                self.serve_fairly(name, pod, sharing)
        if not self._targets.full:
            for name in self.in_order(over):
                self.return_excess(name)

    def serve_fairly(self, name: str, pod: Workload, givers: Collection[str]) -> None:
        """Make room for a pod within its quota's runtime.

        No giver falls to a smaller part of its runtime than that quota has.
        """
        share = min(_ALL, self._targets.snapshot.dominant_share(name))
        self._serve(_Need(name, pod, "fair share", self._min_runtime), givers, share)

    def return_excess(self, name: str) -> None:
        """Reclaim usage of ``name`` beyond a max on its path, or beyond the nodes of the tree."""
        snapshot = self._targets.snapshot
        for place in snapshot.places(name):
            at_nodes = place.quota == self._targets.tree.tree.root
            if at_nodes and name == names.DEFAULT_QUOTA:
                continue
            limit = snapshot.ceiling(place)
            staying = resources.masked(snapshot.staying(place), limit.keys())
            excess = resources.positive(resources.subtract(staying, limit))
            if excess and not self._targets.full:
                self._give(name, excess, _ALL if at_nodes else _NOTHING)
                if not at_nodes:
                    self._return_gangs(name, place)

    def _return_gangs(self, name: str, place: Place) -> None:
        """Add gangs of ``name`` while ``place`` holds more than its max, even below a min.

        The other workloads were not enough, and no part of a gang is evicted.
        """
        targets, limit = self._targets, self._targets.snapshot.ceiling(place)
        staying = resources.masked(targets.snapshot.staying(place), limit.keys())
        excess = resources.positive(resources.subtract(staying, limit))
        gangs = [each for each in self._old_enough(name, None) if isinstance(each, Gang)]
        chosen = targets.choose(gangs, excess, EMPTY, None) if excess and gangs else ()
        if chosen:
            targets.evict(name, chosen, self._said(name, None))

    def _serve(self, need: _Need, givers: Collection[str], share: Fraction) -> None:
        snapshot = self._targets.snapshot
        own, *_ = snapshot.places(need.owner)
        if self._targets.full or snapshot.lack(own, need.pod.request):
            return
        if not self._makes_room(need, givers, share) and need.due == _MIN:
            self._makes_room(need, givers, share, whole=True)

    def _makes_room(
        self, need: _Need, givers: Collection[str], share: Fraction, *, whole: bool = False
    ) -> bool:
        """Find victims and keep their room for the pod; if that is not enough, evict none.

        ``whole``: a pod that is partly beyond the min of its quota is borrowed as a whole.
        """
        snapshot, (name, pod, *_) = self._targets.snapshot, need
        _, *above = snapshot.places(name)
        mark = len(self._targets)
        if need.due == _MIN:
            self._evict_strangers(need)
        self._give_amounts(need, above, givers, share, whole=whole)
        if any(snapshot.lack(place, pod.request) for place in above):
            self._targets.undo(mark)
            return False
        if self._targets.keep(name, pod, mark):
            return True
        self._clear_nodes(need, self._rule(need, givers, share, whole=whole))
        self._give_amounts(need, above, givers, share, whole=whole)
        return self._targets.keep(name, pod, mark)

    def _evict_strangers(self, need: _Need) -> None:
        """Evict external pods: on one node, then for what the nodes still lack in total."""
        targets, root = self._targets, Place(self._targets.tree.tree.root)
        if not targets.tree.external_pods.evictable:
            return
        self._clear_nodes(need, node_victims.external_pods(targets))
        missing = targets.snapshot.lack(root, need.pod.request)
        if missing:
            for pod in targets.choose(
                targets.external_pods(), missing, EMPTY, (need.owner, need.pod)
            ):
                quota = targets.cluster.members.quota_of(pod)
                said = messages.stranger(targets.tree, pod.node_name, need.owner)
                targets.evict(quota, [pod], said, need.owner)

    def _give_amounts(
        self,
        need: _Need,
        above: Iterable[Place],
        givers: Collection[str],
        share: Fraction,
        *,
        whole: bool,
    ) -> None:
        """Add victims for the room that is missing above the quota, on any node."""
        for place in above:
            for giver in self._below(place):
                missing = self._targets.snapshot.lack(place, need.pod.request)
                if not missing:
                    break
                if giver != need.owner and giver in givers:
                    self._give(giver, missing, share, need, whole=whole)

    def _rule(
        self, need: _Need, givers: Collection[str], share: Fraction, *, whole: bool
    ) -> node_victims.Rule:
        """Which pods may leave a node: for a min, those of any quota beyond its own min."""
        targets = self._targets
        if need.due == _MIN:
            rule = node_victims.keeping_min(targets, need.owner, need.pod if whole else None)
        else:
            taken = (giver for giver in givers if giver != need.owner)
            rule = node_victims.keeping(targets, {each: self._floor(each, share) for each in taken})
        if not need.min_runtime:
            return rule
        return lambda quota, pod, taken: (
            (targets.is_external(pod) or self._is_old_enough(pod)) and rule(quota, pod, taken)
        )

    def _clear_nodes(self, need: _Need, rule: node_victims.Rule) -> None:
        """Add victims on nodes, so that the pod, or each pod of its group, fits on one."""
        targets, nodes = self._targets, self._targets.snapshot.nodes
        held: list[tuple[str, Pod]] = []
        for one in need.pod.pods:
            node = nodes.one_later(nodes.kind(need.owner, one))
            if node is None:
                candidates = nodes.candidates(need.owner, one)
                clearing = node_victims.search(targets, one, candidates, rule)
                if clearing is None:
                    break
                node = clearing.node
                self._clear(clearing, need)
            nodes.hold(node, one.request)
            held.append((node, one))
        for node, one in held:
            nodes.hold_no_more(node, one.request)

    def _clear(self, clearing: node_victims.Clearing, need: _Need) -> None:
        for quota, pod in clearing.leave:
            victim = quota, pod
            said = node_victims.said(self._targets, victim, clearing.node, need.owner, need.due)
            self._targets.evict(quota, [pod], said, need.owner)

    def _give(
        self,
        name: str,
        missing: Resources,
        share: Fraction,
        whose: _Need | None = None,
        *,
        whole: bool = False,
    ) -> None:
        """Add victims of ``name`` for ``missing``, for at most what it uses beyond its runtime.

        Resources that are not shared (pod slots) have no runtime: victims return them as well. The
        quota keeps its min and ``share`` of its runtime. With ``whole`` it keeps neither: pods that
        are partly beyond min go.
        """
        targets = self._targets
        runtime = targets.tree.runtimes.own_runtime(name)
        staying = targets.snapshot.staying(targets.snapshot.places(name)[0])
        over = resources.positive(resources.subtract(resources.masked(staying, runtime), runtime))
        need = {
            key: min(most, over.get(key, most))
            for key, most in missing.items()
            if key in over or key not in runtime
        }
        if not over or not need:
            return
        floor = self._floor(name, share)
        spare = {key: max(0, staying.get(key, 0) - floor.get(key, 0)) for key in need}
        if whole:
            # Only resources of which it holds more than the min of its spec, accepted or not.
            promised = targets.cluster.forest.quotas[name].min
            need = {
                key: most
                for key, most in need.items()
                if staying.get(key, 0) > promised.get(key, 0)
            }
            spare = {}
        waiting = None if whose is None else (whose.owner, whose.pod)
        chosen = targets.choose(self._old_enough(name, whose), need, spare, waiting)
        if chosen:
            targets.evict(name, chosen, self._said(name, whose), whose.owner if whose else "")

    def _floor(self, giver: str, share: Fraction) -> Resources:
        """What a quota keeps: its min, and ``share`` of its runtime."""
        part = {
            key: amount * share.numerator // share.denominator
            for key, amount in self._targets.tree.runtimes.own_runtime(giver).items()
        }
        return resources.maximum(self._targets.cluster.forest.effective_min(giver), part)

    def _said(self, giver: str, whose: _Need | None) -> str:
        """The message for the victims of ``giver``."""
        tree, over = self._targets.tree, self._over[giver]
        held = self._targets.cluster.account(giver).held
        if whose is None:
            return messages.reclaimed(giver, tree, over, held)
        return messages.reclaimed_for(giver, tree, over, held, whose.owner, whose.due)

    def _old_enough(self, name: str, whose: _Need | None) -> Sequence[Workload]:
        """Pods of the quota that may be chosen, the least important first."""
        found = self._targets.movable(name)
        least = self._min_runtime if whose is None else whose.min_runtime
        if not least:
            return found
        return [pod for pod in found if self._is_old_enough(pod)]

    def _is_old_enough(self, pod: Workload) -> bool:
        left = self._spared_for(pod)
        if left > 0:
            self.youngest_in = min(left, self.youngest_in or left)
        return left <= 0

    def _spared_for(self, pod: Workload) -> int:
        """Milliseconds for which the pod is still spared; 0 without a known start time."""
        started = moments.read(pod.started)
        if started is None:
            return 0
        # Clocks of nodes differ: a pod with a start time in the future has just started.
        return self._min_runtime - max(0, self._targets.cluster.time - started)

    def _below(self, place: Place) -> list[str]:
        if place.quota not in self._givers:
            forest = self._targets.cluster.forest
            self._givers[place.quota] = self.in_order(
                name for name in self._over if place.quota in forest.path(name)
            )
        return self._givers[place.quota]
