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
from functools import partial
from itertools import chain, groupby, islice
from typing import Final

from elasticquota import memo, resources, totals
from elasticquota.model.pod import Pod
from elasticquota.model.workload import Workload
from elasticquota.resources import Resources
from elasticquota.scheduling.preemption import victims
from elasticquota.scheduling.preemption.clearing import Clearing
from elasticquota.scheduling.preemption.floors import KEPT, PARTLY_BEYOND
from elasticquota.scheduling.preemption.giving_order import GivingOrder
from elasticquota.scheduling.preemption.rights import PRIORITY, Rights, RightsOfClaim
from elasticquota.scheduling.preemption.room import Room
from elasticquota.scheduling.preemption.targets import PreemptionTargets, Victim
from elasticquota.scheduling.snapshot.nodes.node_reservations import TO_COME
from elasticquota.scheduling.snapshot.usage_tree import Place


_MOST_NODES: Final = 16
"""How many nodes one search tries to clear where quotas still lack something then."""
_MOST_FIRST: Final = 4
"""How many nodes it tries to clear for the first pod of several."""


class VictimSearch:
    """Adds victims to ``targets``; one per tree and cycle."""

    def __init__(self, targets: PreemptionTargets) -> None:
        self._targets = targets
        self._floors = targets.floors
        self._snapshot = targets.snapshot
        self._root = targets.tree.tree.root
        self._below = memo.of(partial(GivingOrder, targets.tree, targets.snapshot.shares))
        self._waiting = memo.of(targets.cluster.waiting_below)

    def make_room(self, rights: RightsOfClaim) -> Sequence[str] | None:
        """Choose victims for the workload of a claim; return the nodes of its pods.

        None: its rights do not give it room, and no victim is chosen.

        Pods are whole, and runtimes are not: for a fair share one pod may take the place of another
        one of its size though it does not fit its runtime, if its quota then still has less. So it
        does where else several pods would go by different rights. And a pod without which a runtime
        would be exceeded, but no max, stays: what it returned would be idle.
        """
        mark, share = len(self._targets), rights.claim.share
        for _ in rights.up_to(PRIORITY):
            nodes = self._fitting(rights)
            chosen = self._targets.victims[mark:] if nodes is not None and share else ()
            by = {each.cause.right for each in chosen if each.cause}
            if len(by) > 1:
                self._targets.undo(mark)
                nodes = self._exchange(rights) or self._fitting(rights)
            elif by == {"fair share"} and (back := self._reclaiming(rights, chosen)):
                self._targets.undo(mark)
                rights.pass_over(back)
                nodes = self._fitting(rights)
                if self._reclaiming(rights, self._targets.victims[mark:]):
                    nodes = None
            if nodes is not None:
                # Where no victim needs to go, the room is idle (``borrowing``).
                return nodes if self._leave_out(rights, mark) else None
            self._targets.undo(mark)
        return self._exchange(rights) if share else None

    def _fitting(self, rights: RightsOfClaim) -> Sequence[str] | None:
        return self._try(rights, Room(self._targets, rights.claim, swaps=rights.most == PRIORITY))

    def _leave_out(self, rights: RightsOfClaim, mark: int) -> bool:
        """Leave out victims, after the first ``mark``, that only make runtimes hold.

        Not if all are of the own quota: one takes the place of another there, and no more. Returns
        False if that leaves out all of them.
        """
        chosen = self._targets.victims[mark:]
        by_others = any(each.cause and each.cause.right in ("min", "fair share") for each in chosen)
        if not (len(chosen) > 1 and by_others) or any(
            self._targets.is_external(each.workload) or self._would_reclaim(rights, each)
            for each in chosen
        ):
            return True
        room = Room(self._targets, rights.claim, whole=True)
        self._targets.spare_if(mark, lambda: room.first_short() is None)
        return len(self._targets) > mark

    def _exchange(self, rights: RightsOfClaim) -> Sequence[str] | None:
        """One victim of the same size, for a fair share, beyond the runtime too.

        Not if its quota has a pod that would take the room back: that would go on without end.
        """
        mark, room = len(self._targets), Room(self._targets, rights.claim, whole=True)
        if not room.one_may_be_enough():
            return None
        most, rights.most = rights.most, KEPT
        nodes = self._try(rights, room)
        rights.most = most
        chosen = self._targets.victims[mark:]
        is_one = [each.workload.size for each in chosen] == [rights.claim.workload.size]
        if nodes is None or not is_one or self._would_reclaim(rights, chosen[0]):
            self._targets.undo(mark)
            return None
        self._targets.confirm_exchange(chosen[0])
        return nodes

    def _reclaiming(self, rights: RightsOfClaim, chosen: Sequence[Victim]) -> set[str]:
        """The quotas of ``chosen`` whose pods would reclaim the room."""
        return {each.quota for each in chosen if self._would_reclaim(rights, each)}

    def _would_reclaim(self, rights: RightsOfClaim, victim: Victim) -> bool:
        """Whether a pod that waits in the branch of ``victim`` would have the smaller share next.

        Also one that waits because ``victim`` comes back and preempts it.
        """
        branch = rights.branch(victim.quota)
        if branch is None or not branch.places:
            return False
        top, pod = branch.places[-1].quota, victim.workload
        running = self._targets.cluster.account(victim.quota).running if pod.may_preempt else ()
        displaced = {each.size for each in running if each.priority < pod.priority}
        share = partial(self._snapshot.shares.rank_with, top, later=True)
        return any(share(dict(size)) < branch.most for size in self._waiting(top) | displaced)

    def return_excess(self, rights: Rights, top: str, excess: Callable[[], Resources]) -> None:
        """Choose victims below ``top`` until there is no ``excess``, or as many as help."""

        def short() -> tuple[Place, Resources] | None:
            over = excess()
            return (Place(top), over) if over and not self._targets.full else None

        mark = len(self._targets)
        for _ in rights.up_to(PARTLY_BEYOND):
            self._targets.undo(mark)
            if self._return(rights, short):
                self._targets.spare_if(mark, lambda: not excess())
                return

    def _try(self, rights: RightsOfClaim, room: Room) -> Sequence[str] | None:
        """Find a node for each pod, and return what the quotas on the path lack.

        A gang tries up to ``_MOST_FIRST`` nodes for its first pod, and then victims that return the
        least: those of one node may use up what a quota has beyond its floor.
        """
        claim, pods, mark = rights.claim, rights.claim.workload.pods, len(self._targets)
        if not pods:
            return () if self._return_amounts(rights, room) else None
        nodes, is_gang = self._snapshot.nodes, len(pods) > 1
        for least in (False, True) if is_gang else (False,):
            placed = partial(self._placed, rights, room, least=least)
            for node in islice(placed(pods[0]), _MOST_FIRST if is_gang else _MOST_NODES):
                others = (next(placed(pod), None) for pod in pods[1:])
                kept = nodes.reservations.kept
                chosen = nodes.together(claim.owner, pods, kept, chain((node,), others))
                if chosen is not None and self._return_amounts(rights, room):
                    return chosen
                self._targets.undo(mark)
        return None

    def _placed(self, rights: RightsOfClaim, room: Room, pod: Pod, *, least: bool) -> Iterator[str]:
        """Nodes for ``pod``: one that has room, or will have, without those that would take it.

        Else those that are cleared; ``least`` as in ``_clearings``.
        """
        claim, nodes = rights.claim, self._snapshot.nodes
        clearings = self._clearings(rights, room, pod, least=least)
        free = None if claim.admitted else nodes.node_for(claim.owner, pod, freed=True)
        if free is not None:
            lacking = self._floors.judged(pod.request.keys(), pod.request)
            without_takers = Clearing(self._snapshot, lacking, free)
            if self._keeps_takers_off(rights, without_takers, pod):
                clearings = iter((without_takers,))
        for clearing in clearings:
            for victim, _ in clearing.steps:
                self._targets.evict(victim)
            yield clearing.node

    def _clearings(
        self, rights: RightsOfClaim, room: Room, pod: Pod, *, least: bool
    ) -> Iterator[Clearing]:
        """The nodes with room for ``pod`` without their victims, the cheapest first.

        ``least``: of those that are as important the ones that return the least. Large ones can use
        up what a quota has beyond its floor before all pods of a gang have a node.
        """
        claim, nodes, opened = rights.claim, self._snapshot.nodes, dict[str, Clearing]()
        here = nodes.candidates(claim.owner, pod) - claim.avoided
        if not claim.admitted and nodes.may_come_for(claim.owner, pod):
            here |= {TO_COME}
        short = room.short_keys()
        for group in self._groups(rights):
            done: list[Clearing] = []
            for candidate in group:
                for node, released in self._on_nodes(candidate[1], here):
                    if node not in here:
                        continue
                    if node not in opened:
                        missing = nodes.missing(node, pod)
                        lacking = self._floors.judged(short | missing.keys(), pod.request)
                        opened[node] = Clearing(self._snapshot, lacking, node, missing, len(opened))
                    if self._completes(rights, opened[node], pod, candidate, released, least=least):
                        done.append(opened[node])
                if done and len(done[0].steps) == 1 and nodes.growth is None and not least:
                    break
            done.sort(key=lambda each: (len(each.steps), self._stays_in_use(each), each.place))
            if least:
                done.sort(key=lambda each: each.surplus)
            yield from done

    def _completes(
        self,
        rights: RightsOfClaim,
        clearing: Clearing,
        pod: Pod,
        candidate: tuple[str, Workload],
        released: Resources,
        *,
        least: bool,
    ) -> bool:
        """Whether a node has room for ``pod`` with one more candidate, and had not before.

        ``least``: one that returns less is its only victim instead, if it is enough alone.
        """
        if clearing.missing:
            helps = any(released.get(key, 0) > 0 for key in clearing.missing)
            if helps and self._add(rights, clearing, *candidate, released) and not clearing.missing:
                clearing.spare()
                return self._keeps_takers_off(rights, clearing, pod)
        elif least:
            alone = clearing.with_victims(())
            if (victim := rights.victim(*candidate, alone)) is not None:
                alone.add(victim, released)
                returns_less = not alone.missing and alone.surplus < clearing.surplus
                if returns_less and self._keeps_takers_off(rights, alone, pod):
                    clearing.replace(alone)
        return False

    def _keeps_takers_off(self, rights: RightsOfClaim, clearing: Clearing, pod: Pod) -> bool:
        """Add the pods without a node that would take the room before ``pod``, if they may go.

        Returns whether the node does. No floor keeps such a pod of another quota from a guarantee:
        it does not run. One that may not be evicted does not count then, as no node may ever take
        it; nor does one that stays where ``pod`` is refused, too. One for which another node is
        cleared stays, and ``pod`` may have to wait for it.
        """
        claim, nodes, node = rights.claim, self._snapshot.nodes, clearing.node
        table = nodes.reservations
        takers = tuple(islice(table.takers(node), _MOST_NODES))
        if not takers or not node or nodes.growth is not None:
            return True
        chosen = {pod.uid, *(p.uid for each, _ in clearing.steps for p in each.workload.pods)}
        freed = resources.add(*(released for _, released in clearing.steps))
        beside = resources.subtract(pod.request, freed)
        for quota, taker in takers:
            both = resources.add(beside, taker.request)
            own = table.reserved.get(taker.uid)
            if taker.uid in chosen or self._targets.has(taker) or own == node:
                continue
            if not table.missing(node, both):
                beside = both
                continue
            if own is not None:  # It stays; where they cannot change places, ``pod`` waits for it.
                rest = resources.subtract(pod.request, taker.request)
                here = nodes.candidates(claim.owner, pod)
                may_change = own in here and not table.missing(own, rest)
                if not (claim.admitted or may_change) and nodes.expected.hold_up(claim.owner):
                    return False
                continue
            candidates = self._targets.candidates(quota, timed_out=True)
            may_go = any(each.uid == taker.uid for each in candidates)
            goes = may_go and self._add(rights, clearing, quota, taker, resources.EMPTY)
            if goes or claim.admitted:
                continue
            if not claim.guarantee or quota == claim.owner:
                return False
            if may_go:
                clearing.add(rights.by("no node", quota, taker, clearing), resources.EMPTY)
        return True

    def _add(
        self,
        rights: Rights,
        clearing: Clearing,
        quota: str,
        workload: Workload,
        released: Resources,
    ) -> bool:
        """Add a candidate to the victims of a node, before others if only then it may go.

        Small victims that come first can use up what a quota has beyond its floor, so that a large
        one that is enough alone, or with fewer of them, may not go with them. Taken are the first
        that make room, if it would with all of them; else the first with which no more is missing.
        """
        if (victim := rights.victim(quota, workload, clearing)) is not None:
            clearing.add(victim, released)
            return True
        best: Clearing | None = None
        would_do = all(most <= released.get(key, 0) for key, most in clearing.missing.items())
        for other, rest in clearing.bases_for(workload, released):
            if (victim := rights.victim(quota, workload, other)) is None:
                continue
            other.add(victim, released)
            for before, returned in rest:
                if any(returned.get(key, 0) > 0 for key in other.missing) and rights.victim(
                    before.quota, before.workload, other
                ):
                    other.add(before, returned)
            is_no_worse = all(
                most <= clearing.missing.get(key, 0) for key, most in other.missing.items()
            )
            if is_no_worse and (best is None or not other.missing):
                best = other
            if best is not None and not (would_do and best.missing):
                break
        if best is not None:
            clearing.replace(best)
        return best is not None

    def _return_amounts(self, rights: Rights, room: Room) -> bool:
        """Add victims on any node until no quota on the path lacks anything.

        Small ones that come first can use up what a quota has beyond its floor; then the largest
        of each quota come first.
        """
        mark = len(self._targets)
        for largest in (False, True):
            if self._return(rights, room.first_short, room.request, largest=largest):
                if len(self._targets) > mark + 1:
                    self._targets.spare_if(mark, lambda: room.first_short() is None)
                return True
            if len(self._targets) == mark:
                return False
            self._targets.undo(mark)
        return False

    def _return(
        self,
        rights: Rights,
        short: Callable[[], tuple[Place, Resources] | None],
        request: Resources | None = None,
        *,
        largest: bool = False,
    ) -> bool:
        """Add victims until nothing is ``short`` at any place; False: too few may go.

        ``request`` is for what it is short, if not for what is beyond a limit.
        """
        while (shortage := short()) is not None:
            place, lack = shortage
            lacking = self._floors.judged(lack.keys(), lack if request is None else request)
            on = Clearing(self._snapshot, lacking)
            tried = (
                rights.victim(quota, each, on)
                for quota, each in self._returning(rights, place.quota, lack, largest=largest)
            )
            victim = next((each for each in tried if each is not None), None)
            if victim is None:
                return False
            self._targets.evict(victim)
        return True

    def _returning(
        self, rights: Rights, top: str, lack: Resources, *, largest: bool
    ) -> Iterator[tuple[str, Workload]]:
        """The candidates that hold something of ``lack``, in order."""
        for quota, candidates in self._walk(rights, top):
            found = (
                sorted(candidates, key=lambda each: -sum(each.request.get(key, 0) for key in lack))
                if largest
                else candidates
            )
            for each in found:
                if any(each.request.get(key, 0) > 0 for key in lack):
                    yield quota, each

    def _groups(self, rights: Rights) -> Iterator[Iterator[tuple[str, Workload]]]:
        """Candidates in order, together where one is as good as the other."""
        for quota, candidates in self._walk(rights, self._root):
            for _, group in groupby(candidates, key=victims.rank):
                yield ((quota, victim) for victim in group)

    def _walk(self, rights: Rights, top: str) -> Iterator[tuple[str, Iterable[Workload]]]:
        """The quotas at and below ``top`` that a right reaches, with those that may go, in order.

        External pods come first. Then the walk goes down: at each quota to the branch that is most
        above its runtime.
        """
        if top == self._root:
            yield from self._targets.external()
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
            candidates = self._targets.candidates(quota, timed_out=True)
            yield quota, sorted(candidates, key=lambda each: not victims.has_no_node(each, account))

    def _quotas(self, top: str) -> Iterator[str]:
        """``top`` and the quotas below it, each before those that give after it."""
        yield top
        for quota in self._below(top).now():
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
            takes = partial(nodes.reservations.would_take, victim)
            taken = filter(takes, sorted(here - {TO_COME}))
            return [(each, victim.request) for each in (TO_COME, *islice(taken, _MOST_NODES))]
        by_node: dict[str, dict[str, int]] = {}
        for pod in victim.pods:
            totals.add(by_node.setdefault(nodes.node_of(pod), {}), pod.request)
        return by_node.items()

    def _stays_in_use(self, clearing: Clearing) -> bool:
        """Whether a node of an elastic tree still has pods then: an autoscaler may remove it."""
        if self._snapshot.nodes.growth is None:
            return False
        gone = {pod.key for victim, _ in clearing.steps for pod in victim.workload.pods}
        there = self._targets.cluster.index.fit.on(clearing.node)
        return any(pod.key not in gone for pod, _ in there)
