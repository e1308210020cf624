"""The search for victims: which workloads go so that a waiting one has room, or a max holds again.

Node first: on the way through the branches of the tree each victim counts on its node, and the
first node that has room without its victims is cleared. The branch that is most above its runtime
gives first, in it the branch below that is most above its own, in a quota the least important. What
quotas on the path then still lack is returned by victims on any node. If a node has room already,
or the nodes are not known, only these are looked for. Floors of rank 1 come before those of rank 2
and 3, and the less important pods of the own quota come last (``floors``, ``rights``).

A search that does not make room for the whole workload chooses no victim. None that it chooses can
be left out.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import groupby, islice
from typing import Final, Protocol

from elasticquota import resources, totals
from elasticquota.model.pod import Pod, Size
from elasticquota.model.workload import Workload
from elasticquota.resources import Resources
from elasticquota.scheduling.preemption import victims
from elasticquota.scheduling.preemption.clearing import Clearing, Step
from elasticquota.scheduling.preemption.floors import KEPT, PARTLY_BEYOND, Floors, Taken
from elasticquota.scheduling.preemption.giving_order import GivingOrder
from elasticquota.scheduling.preemption.rights import PRIORITY, Branch, Claim, Permission, Rights
from elasticquota.scheduling.preemption.room import Room
from elasticquota.scheduling.preemption.targets import Cause, PreemptionTargets
from elasticquota.scheduling.snapshot.usage_tree import Place


_MOST_NODES: Final = 16
"""How many nodes one search tries to clear where quotas still lack something then."""


class Permissions(Protocol):
    """Who may go, by a right of a waiting workload or down to a limit."""

    missed: bool
    """Whether a victim was passed over that a higher rank would take."""

    def branch(self, quota: str) -> Branch | None:
        """How a quota lies to the taker; None: none of its pods may go."""

    def permission(
        self,
        quota: str,
        victim: Workload,
        lacking: AbstractSet[str],
        taken: Taken,
        most: int,
    ) -> Permission | None:
        """By which right a workload may go; None: by none up to rank ``most``."""


def _may_be_ignored(claim: Claim, quota: str) -> bool:
    """Whether a pod of ``quota`` that takes room first counts for nothing.

    So it is for a guarantee, or others could keep an owner from its min by pods that no node takes.
    """
    return claim.guarantee and quota != claim.owner


class VictimSearch:
    """Adds victims to ``targets``; one per tree and cycle."""

    def __init__(self, targets: PreemptionTargets, floors: Floors) -> None:
        self._targets = targets
        self._floors = floors
        self._snapshot = targets.snapshot
        self._root = targets.tree.tree.root
        self._giving = GivingOrder(targets.tree, targets.snapshot.shares)
        self._waiting: dict[str, set[Size]] = {}
        """By quota, the sizes of what waits in and below it."""

    def make_room(
        self, claim: Claim, rights: Rights, avoided: AbstractSet[str] = frozenset()
    ) -> Sequence[str] | None:
        """Choose victims for the workload of ``claim``; return the nodes of its pods.

        None: its rights do not give it room, and no victim is chosen. ``avoided`` nodes do not do.

        Pods are whole, and runtimes are not: for a fair share one pod may take the place of another
        one of its size though it does not fit its runtime, if its quota then still has less. So it
        does where else several pods would go by different rights.
        """
        mark = len(self._targets)
        for most in range(KEPT, PRIORITY + 1):
            if most > KEPT and not rights.missed:
                break
            rights.missed = False
            found = self._fitting(claim, rights, most, avoided)
            if found is not None and claim.share and self._targets.have_several_rights(mark):
                self._targets.undo(mark)
                found = self._exchange(claim, rights, avoided) or self._fitting(
                    claim, rights, most, avoided
                )
            if found is not None:
                return found
            self._targets.undo(mark)
        return self._exchange(claim, rights, avoided) if claim.share else None

    def _fitting(
        self, claim: Claim, rights: Rights, most: int, avoided: AbstractSet[str]
    ) -> Sequence[str] | None:
        room = Room(self._targets, claim, swaps=most == PRIORITY)
        return self._try(claim, rights, room, most, avoided)

    def _exchange(
        self, claim: Claim, rights: Rights, avoided: AbstractSet[str]
    ) -> Sequence[str] | None:
        """One victim of the same size, for a fair share, beyond the runtime too.

        Not if its quota has a pod that would take the room back: that would go on without end.
        """
        mark = len(self._targets)
        found = self._try(claim, rights, Room(self._targets, claim, whole=True), KEPT, avoided)
        if (
            found is not None
            and self._targets.is_exchange(mark, claim.workload)
            and not self._is_taken_back(rights, self._targets.victims[-1].quota)
        ):
            self._targets.confirm_exchange()
            return found
        self._targets.undo(mark)
        return None

    def _is_taken_back(self, rights: Rights, quota: str) -> bool:
        """Whether a pod that waits in the branch of ``quota`` would have the smaller share next."""
        branch = rights.branch(quota)
        if branch is None or not branch.places:
            return False
        top = branch.places[-1].quota
        sizes = self._waiting.get(top)
        if sizes is None:
            sizes = self._waiting[top] = {
                each.size
                for name, account in self._targets.cluster.accounts.items()
                if top in self._targets.cluster.forest.path(name)
                for each in account.waiting
            }
        left = self._snapshot.shares.left_with
        return any(left(top, dict(size)) < branch.most for size in sizes)

    def return_excess(self, rights: Permissions, top: str, excess: Callable[[], Resources]) -> None:
        """Choose victims below ``top`` until there is no ``excess``, or as many as help."""
        mark = len(self._targets)
        for most in range(KEPT, PARTLY_BEYOND + 1):
            rights.missed = False
            if self._lower(rights, top, excess, most):
                self._targets.spare_if(mark, lambda: not excess())
                return
            if not rights.missed:
                return
            if most < PARTLY_BEYOND:
                self._targets.undo(mark)

    def _lower(
        self, rights: Permissions, top: str, excess: Callable[[], Resources], most: int
    ) -> bool:
        while (over := excess()) and not self._targets.full:
            step = self._next(rights, Place(top), over, over, most)
            if step is None:
                return False
            self._targets.evict(step.quota, step.workload)
        return True

    def _try(
        self,
        claim: Claim,
        rights: Rights,
        room: Room,
        most: int,
        avoided: AbstractSet[str],
    ) -> Sequence[str] | None:
        pods = claim.workload.pods
        if len(pods) == 1:
            return self._for_pod(claim, rights, room, pods[0], most, avoided)
        chosen: list[str] = []
        nodes = self._snapshot.nodes
        for one in pods:
            node = self._place(claim, rights, room, one, most)
            if node is None:
                break
            chosen.append(node)
            nodes.hold((one,), (node,))
        nodes.let_go(claim.owner, pods, chosen)
        if len(chosen) < len(pods) or not self._return_amounts(claim, rights, room, most):
            return None
        return chosen

    def _for_pod(
        self,
        claim: Claim,
        rights: Rights,
        room: Room,
        pod: Pod,
        most: int,
        avoided: AbstractSet[str],
    ) -> Sequence[str] | None:
        nodes = self._snapshot.nodes
        free = None if claim.admitted else nodes.one_later(claim.owner, pod)
        mark = len(self._targets)
        if free is not None:
            if self._return_amounts(claim, rights, room, most) and self._stays_free(
                claim, rights, free, pod, most
            ):
                return [free]
            return None
        clearings = self._clearings(claim, rights, room, pod, most, avoided)
        for clearing in islice(clearings, _MOST_NODES):
            self._evict(claim, [step for step, _ in clearing.steps])
            if claim.admitted or self._return_amounts(claim, rights, room, most):
                return [clearing.node]
            self._targets.undo(mark)
        return None

    def _place(self, claim: Claim, rights: Rights, room: Room, pod: Pod, most: int) -> str | None:
        """A node for one pod of several, cleared if need be."""
        nodes = self._snapshot.nodes
        free = nodes.one_later(claim.owner, pod)
        if free is not None:
            return free
        for clearing in self._clearings(claim, rights, room, pod, most, frozenset()):
            self._evict(claim, [step for step, _ in clearing.steps])
            return clearing.node
        return None

    def _clearings(
        self,
        claim: Claim,
        rights: Rights,
        room: Room,
        pod: Pod,
        most: int,
        avoided: AbstractSet[str],
    ) -> Iterator[Clearing]:
        """The nodes that have room for ``pod`` without their victims, the cheapest first."""
        nodes, opened = self._snapshot.nodes, dict[str, Clearing]()
        here = nodes.candidates(claim.owner, pod) - avoided
        if not claim.admitted and nodes.may_come_for(claim.owner, pod):
            here |= {""}
        short = room.short_keys()
        for group in self._groups(rights, self._root):
            done: list[Clearing] = []
            for quota, victim in group:
                for node, released in self._on_nodes(victim, here):
                    if node in here and node not in opened:
                        missing = nodes.missing(node, pod)
                        lacking = self._floors.judged(short | missing.keys(), pod.request)
                        opened[node] = Clearing(node, missing, lacking, len(opened))
                    clearing = opened.get(node)
                    if (
                        clearing is not None
                        and any(released.get(key, 0) > 0 for key in clearing.missing)
                        and self._add(rights, clearing, (quota, victim, released), most)
                        and not clearing.missing
                    ):
                        clearing.spare()
                        if self._keeps_takers_off(claim, rights, clearing, pod, most):
                            done.append(clearing)
                if done and len(done[0].steps) == 1 and nodes.growth is None:
                    break
            done.sort(key=lambda each: (len(each.steps), self._stays_in_use(each), each.place))
            yield from done

    def _keeps_takers_off(
        self, claim: Claim, rights: Rights, clearing: Clearing, pod: Pod, most: int
    ) -> bool:
        """Add the pods without a node that would take the room before ``pod``, if they may go.

        Returns whether the node does.
        """
        chosen = {pod.uid for step, _ in clearing.steps for pod in step.workload.pods}
        freed = resources.add(*(released for _, released in clearing.steps))
        beside = resources.subtract(pod.request, freed)
        return all(
            taker.uid in chosen
            or (may_go and self._add(rights, clearing, (quota, taker, resources.EMPTY), most))
            or _may_be_ignored(claim, quota)
            for quota, taker, may_go in self._takers(claim, clearing.node, beside)
        )

    def _stays_free(self, claim: Claim, rights: Rights, node: str, pod: Pod, most: int) -> bool:
        """The same for a node with room, once the victims that were chosen for amounts are gone."""
        lacking = self._floors.judged(pod.request.keys(), pod.request)
        for quota, taker, may_go in self._takers(claim, node, pod.request):
            found = rights.permission(quota, taker, lacking, {}, most) if may_go else None
            if found is not None:
                self._evict(claim, [Step(quota, taker, found, node)])
            elif not _may_be_ignored(claim, quota):
                return False
        return True

    def _takers(
        self, claim: Claim, node: str, request: Resources
    ) -> Iterator[tuple[str, Pod, bool]]:
        """The pods without a node that would take room on ``node`` that ``request`` needs.

        With the quota of each, and whether it may be a victim by itself.
        """
        nodes = self._snapshot.nodes
        if not node or nodes.growth is not None or claim.admitted:
            return
        for quota, taker in islice(nodes.reservations.takers(node), _MOST_NODES):
            if self._targets.has(taker) or not nodes.reservations.missing(
                node, resources.add(request, taker.request)
            ):
                continue
            may_go = any(each.uid == taker.uid for each in self._targets.candidates(quota))
            yield quota, taker, may_go

    def _add(
        self,
        rights: Rights,
        clearing: Clearing,
        candidate: tuple[str, Workload, Resources],
        most: int,
    ) -> bool:
        """Add a candidate to the victims of a node, before others if only then it may go.

        Small victims that come first can use up what a quota has beyond its floor, so that a large
        one that is enough alone, or with fewer of them, may not go with them.
        """
        quota, victim, released = candidate
        places = self._snapshot.places(quota)
        found = rights.permission(quota, victim, clearing.lacking, clearing.taken, most)
        if found is not None:
            clearing.add(Step(quota, victim, found, clearing.node), released, places)
            return True
        for kept in clearing.places_for(released):
            other = clearing.first(kept, self._snapshot)
            found = rights.permission(quota, victim, clearing.lacking, other.taken, most)
            if found is None:
                continue
            other.add(Step(quota, victim, found, clearing.node), released, places)
            for before, returned in clearing.steps[kept:]:
                if any(returned.get(key, 0) > 0 for key in other.missing) and rights.permission(
                    before.quota, before.workload, other.lacking, other.taken, most
                ):
                    other.add(before, returned, self._snapshot.places(before.quota))
            if all(amount <= clearing.missing.get(key, 0) for key, amount in other.missing.items()):
                clearing.replace(other)
                return True
        return False

    def _return_amounts(self, claim: Claim, rights: Rights, room: Room, most: int) -> bool:
        """Add victims on any node until no quota on the path lacks anything.

        Small ones that come first can use up what a quota has beyond its floor; then the largest
        of each quota come first.
        """
        mark = len(self._targets)
        for largest in (False, True):
            while (short := room.first_short()) is not None:
                place, lack = short
                step = self._next(
                    rights, place, lack, claim.workload.request, most, largest=largest
                )
                if step is None:
                    break
                self._evict(claim, [step])
            else:
                if len(self._targets) > mark + 1:
                    self._targets.spare_if(mark, room.is_enough)
                return True
            if len(self._targets) == mark:
                return False
            self._targets.undo(mark)
        return False

    def _next(
        self,
        rights: Permissions,
        place: Place,
        lack: Resources,
        request: Resources,
        most: int,
        *,
        largest: bool = False,
    ) -> Step | None:
        lacking = self._floors.judged(lack.keys(), request)
        for quota, candidates in self._walk(rights, place.quota):
            in_order = (
                sorted(candidates, key=lambda each: -sum(each.request.get(key, 0) for key in lack))
                if largest
                else candidates
            )
            for victim in in_order:
                if any(victim.request.get(key, 0) > 0 for key in lack):
                    found = rights.permission(quota, victim, lacking, {}, most)
                    if found is not None:
                        return Step(quota, victim, found, "")
        return None

    def _groups(self, rights: Permissions, top: str) -> Iterator[Iterator[tuple[str, Workload]]]:
        """Candidates in order, together where one is as good as the other."""
        for quota, candidates in self._walk(rights, top):
            for _, group in groupby(candidates, key=victims.rank):
                yield ((quota, victim) for victim in group)

    def _walk(self, rights: Permissions, top: str) -> Iterator[tuple[str, Iterable[Workload]]]:
        """The quotas at and below ``top`` that a right reaches, with those that may go, in order.

        External pods come first. Then the walk goes down: at each quota to the branch that is most
        above its runtime.
        """
        tree = self._targets.tree
        if top == self._root and tree.external_pods.evictable:
            for pod in self._targets.external_pods():
                yield self._targets.cluster.members.quota_of(pod), (pod,)
        own: list[str] = []
        for quota in self._quotas(top):
            branch = rights.branch(quota)
            if branch is not None and branch.priority:
                own.append(quota)
            elif branch is not None:
                unplaced = branch.guarantee or not branch.shared
                yield quota, self._targets.candidates(quota, timed_out=unplaced)
        for quota in own:
            account = self._targets.cluster.account(quota)
            found = list(self._targets.candidates(quota, timed_out=True))
            found.sort(key=lambda victim: not victims.has_no_node(victim, account))
            yield quota, found

    def _quotas(self, top: str) -> Iterator[str]:
        """``top`` and the quotas below it, each before those that give after it."""
        yield top
        for quota in self._giving.below(top):
            yield from self._quotas(quota)

    def _on_nodes(
        self, victim: Workload, here: AbstractSet[str]
    ) -> Iterable[tuple[str, Resources]]:
        """What ``victim`` returns on each of its nodes; a pod without one, where it is expected.

        In an elastic tree that is a node to come; but it would take room that comes free on any of
        ``here``, so there it returns as much.
        """
        nodes = self._snapshot.nodes
        if isinstance(victim, Pod):
            node = nodes.node_of(victim)
            if node or nodes.growth is None:
                return ((node, victim.request),)
            taken = (
                each
                for each in sorted(here)
                if each and nodes.reservations.would_take(victim, each)
            )
            return [(each, victim.request) for each in ("", *islice(taken, _MOST_NODES))]
        found: dict[str, dict[str, int]] = {}
        for pod in victim.pods:
            totals.add(found.setdefault(nodes.node_of(pod), {}), pod.request)
        return found.items()

    def _stays_in_use(self, clearing: Clearing) -> bool:
        """Whether a node of an elastic tree still has pods then: an autoscaler may remove it."""
        if self._snapshot.nodes.growth is None:
            return False
        gone = {pod.key for step, _ in clearing.steps for pod in step.workload.pods}
        return any(pod.key not in gone for pod, _ in self._targets.cluster.fit.on(clearing.node))

    def _evict(self, claim: Claim, steps: Iterable[Step]) -> None:
        for step in steps:
            cause = Cause(claim.owner, claim.workload, step.permission.right)
            self._targets.evict(step.quota, step.workload, cause, step.node)
