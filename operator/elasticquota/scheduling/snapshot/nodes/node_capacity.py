"""Node capacity: on which node each pod of one cycle would start, so that no release is in vain.

A working copy of what the tree's nodes have left. Admitted pods without a node are assumed on one
first, as the scheduler's cache does: on the node of the last cycle, if it still has room. Then each
release and all kept room are booked on the node with the largest free share, which the scheduler
prefers too. A pod that has had no node for some seconds uses none (``expected_pods``).
In an elastic tree (``model.capacity_mode``) a pod without room on the present nodes starts on a
node to come (``coming_nodes``), as long as the tree may grow by its request.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property

from elasticquota import names, pool_keys, resources, totals
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.nodes.node_fit import Where
from elasticquota.ledger.nodes.tree_nodes import TreeNodes
from elasticquota.model import pools
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.workload import Workload
from elasticquota.resources import EMPTY, Resources
from elasticquota.scheduling.snapshot.nodes.coming_nodes import ComingNodes
from elasticquota.scheduling.snapshot.nodes.expected_pods import ExpectedPods
from elasticquota.scheduling.snapshot.nodes.node_order import Kind, NodeOrder
from elasticquota.scheduling.snapshot.nodes.node_reservations import NodeReservations
from elasticquota.scheduling.snapshot.nodes.unbound import Unbound


class NodeCapacity:
    """Mutable; one per tree and cycle."""

    def __init__(
        self,
        cluster: ClusterSnapshot,
        tree_id: str,
        others: Iterable[tuple[str, Pod]],
        expected: ExpectedPods,
    ) -> None:
        """``others`` are pods of other trees that start on these nodes too."""
        self._cluster = cluster
        self.fit = cluster.fit
        self._tree_id = tree_id
        self._known = cluster.fit.knows(tree_id)
        self.reservations = NodeReservations(cluster.fit)
        """What is booked, kept and expected to leave on each node."""
        self._order = NodeOrder(cluster.fit)
        self._others = others
        self.expected = expected
        """Which admitted pods without a node hold up others."""
        self.taken: dict[str, tuple[str, Kind]] = {}
        """By uid of the pods for which victims made room, and which no node has taken yet: where
        they are expected, and their kinds."""
        self._assumed: dict[str, str] | None = None
        """By uid, the nodes of the admitted pods that no node has taken yet."""
        self._coming = ComingNodes(cluster, tree_id)
        self._unbound = Unbound(cluster.fit)
        """The expected ones of these, and those that are released in this cycle."""
        self._awaiting: dict[Where, dict[str, int]] = {}
        """What admitted pods request that wait for a node to come, by the nodes they may use."""
        self._awaits: dict[Key, tuple[str, Pod]] = {}
        """These pods, with their quotas; where no node may come, those that the scheduler refuses.
        """
        self._kept_for_awaiting: set[str] = set()
        self._starts: dict[str, str] = {}
        """By uid, the nodes of the pods that are released in this cycle."""

    def kind(self, quota: str, pod: Pod) -> Kind:
        """The kind of one pod that is known."""
        return Kind(self._cluster.where(quota, pod), pod.size)

    def has(self, kind: Kind) -> bool:
        """Whether a node has room now for such a pod, as far as it is known, or may come."""
        return (
            not self._known
            or kind.where is None
            or self._next(kind) is not None
            or self._coming.take_kind(kind, self._tried_to_come)
        )

    @property
    def growth(self) -> TreeNodes | None:
        """The nodes of the tree, if more may come."""
        return self._coming.growth

    def now(self, quota: str, pods: Sequence[Pod]) -> list[str] | None:
        """The nodes on which ``pods`` of ``quota`` would start, in their order; None: not all can.

        Nothing is booked. A node to come is ``""``, and so is each where they are not known.
        """
        if not self._known:
            return [""] * len(pods)
        if len(pods) == 1:
            node = self._start(quota, self.kind(quota, pods[0]))
            return None if node is None else [node]
        return self._tried(quota, pods, self.reservations.booked, freed=False)

    def later(self, quota: str, pods: Sequence[Pod]) -> list[str] | None:
        """The nodes on which ``pods`` would start once terminating pods and victims are gone."""
        return self.now(quota, pods) or self._tried(quota, pods, self.reservations.kept, freed=True)

    def still(self, quota: str, pods: Sequence[Pod], nodes: Sequence[str]) -> Sequence[str] | None:
        """``nodes`` if they have room for ``pods`` once all that leaves is gone, else None."""
        if not self._known:
            return [""] * len(pods)
        taken: list[tuple[str, Resources]] = []
        for pod, node in zip(pods, nodes, strict=False):
            if node not in self.candidates(quota, pod) or self.reservations.missing(
                node, pod.request
            ):
                break
            self.reservations.reserve(node, pod.request)
            taken.append((node, pod.request))
        for node, request in taken:
            self.reservations.unreserve(node, request)
        return nodes if len(taken) == len(pods) else None

    def safe(self, quota: str, pods: Sequence[Pod], least: int) -> bool:
        """Whether a release of ``pods``, which have room now, causes no preemption.

        ``least`` is the lowest priority of the tree's pods.
        """
        if not (self._known and pods):
            return True
        if self._assumed is None:
            self._assume()
        nodes = (self.now(quota, pods) or ()) if self._coming.may_come else ("-",) * len(pods)
        here = [pod for pod, node in zip(pods, nodes, strict=False) if node]
        wheres = [self._cluster.where(quota, pod) for pod in here]
        return not here or self._unbound.allow(wheres, here, least)

    @property
    def knows_safe(self) -> bool:
        """Whether ``safe`` can still find out; when it cannot, it is False."""
        return not self._unbound.exhausted

    def can_spare(self, nodes: Sequence[str], quota: str, pod: Pod, least: int) -> bool:
        """Whether a release of ``pod`` still causes no preemption when ``nodes`` are excluded."""
        if not nodes:
            return True
        return self._unbound.can_spare(set(nodes), self._cluster.where(quota, pod), pod, least)

    def book(self, quota: str, pods: Sequence[Pod]) -> None:
        """Book a release; a pod without a node after all is not booked."""
        nodes = self.now(quota, pods) or ()
        self._coming.release(quota, pods)
        if self._known and not self._coming.may_come:
            for pod in pods:
                self._unbound.add(self._cluster.where(quota, pod), pod)
        for pod, node in zip(pods, nodes, strict=False):
            if node:
                if self._coming.may_come:
                    self._unbound.add(self._cluster.where(quota, pod), pod)
                self._starts[pod.uid] = node
                self._book(node, quota, pod)
            else:
                self._coming.take(pod.request)
                self._await(quota, pod)

    def waits_for_node(self, pod: Pod) -> bool:
        """Whether ``pod``, which is released, starts on a node that is still to come."""
        return self._coming.may_come and pod.uid not in self._starts

    def start_of(self, pod: Pod) -> str | None:
        """The node on which ``pod``, which is released, starts; None: not known, or to come."""
        return self._starts.get(pod.uid)

    def booked(self) -> dict[str, str]:
        """By uid, the nodes for which the pods were released that no node has taken yet."""
        return {**self.expected.nodes_of(self.unplaced), **self._starts}

    @cached_property
    def unplaced(self) -> Sequence[Pod]:
        """The admitted pods that no node has taken yet, and that may start here."""
        cluster, here = self._cluster, self._is_here
        found = [pod for pod, quota in cluster.unplaced.values() if here(quota)]
        for quota in filter(here, cluster.stuck):
            found.extend(cluster.account(quota).stuck.values())
        return found

    def keep(self, quota: str, pods: Sequence[Pod], nodes: Sequence[str] | None = None) -> None:
        """Keep room for the pods, on ``nodes`` if they are chosen already."""
        chosen = (self.later(quota, pods) or ()) if nodes is None else nodes
        for pod, node in zip(pods, chosen, strict=False):
            if node:
                self.reservations.keep(node, self.kind(quota, pod))
                self._keep_for_awaiting(node)
            else:
                self._coming.keep(pod.request)

    def hold(self, pods: Sequence[Pod], nodes: Sequence[str]) -> None:
        """Keep room on ``nodes`` for pods until it is their turn."""
        for pod, node in zip(pods, nodes, strict=False):
            self.reservations.reserve(node, pod.request)

    def let_go(self, quota: str, pods: Sequence[Pod], nodes: Sequence[str]) -> None:
        """Undo ``hold``."""
        for pod, node in zip(pods, nodes, strict=False):
            self.reservations.unreserve(node, pod.request)
            self._order.reset(self.kind(quota, pod))

    def reserve(self, node: str, pod: Pod) -> None:
        """Keep room on ``node`` for an admitted pod that the scheduler refuses."""
        self.reservations.reserve(node, pod.request)
        self._keep_for_awaiting(node)

    def expect_removal(self, victim: Pod) -> None:
        """Count the room of ``victim`` as free later."""
        node = self.node_of(victim)
        if node:
            self.reservations.expect_removal(node, victim.request)
        else:
            self._coming.expect_removal(victim)
            if self._coming.may_come and victim.key in self._awaits:
                where = self._cluster.where(*self._awaits[victim.key])
                totals.subtract(self._awaiting[where], victim.request)

    def cancel_removal(self, victim: Pod) -> None:
        """Undo ``expect_removal``."""
        node = self.node_of(victim)
        if node:
            self.reservations.cancel_removal(node, victim.request)
        else:
            self._coming.cancel_removal(victim)
            if self._coming.may_come and victim.key in self._awaits:
                where = self._cluster.where(*self._awaits[victim.key])
                totals.add(self._awaiting[where], victim.request)

    def candidates(self, quota: str, workload: Workload) -> AbstractSet[str]:
        """The nodes that admit its pods when they have room; read only."""
        return self.fit.admitted(self._cluster.where(quota, workload))

    def one_later(self, quota: str, pod: Pod) -> str | None:
        """A node for one pod once all that leaves is gone; ``""``: a node to come, or not known."""
        return self._later(quota, self.kind(quota, pod)) if self._known else ""

    def missing(self, node: str, pod: Pod) -> dict[str, int]:
        """What ``pod`` lacks on the node once all that leaves is gone.

        In an elastic tree pods that wait for a node to come take the room first that comes free.
        ``""``: of the nodes to come.
        """
        if not node:
            return self._coming.missing(pod.request, self._tried_to_come)
        before = self._awaited(node)
        if not before:
            return self.reservations.missing(node, pod.request)
        if pod.key in self._awaits:
            return self.reservations.missing(node, before)
        return self.reservations.missing(node, resources.add(pod.request, before))

    def _later(self, quota: str, kind: Kind) -> str | None:
        found = self.elsewhere(kind)
        if found is None and self._coming.have(quota, kind, self._tried_to_come, freed=True):
            return ""
        return found

    def elsewhere(self, kind: Kind, avoided: AbstractSet[str] = frozenset()) -> str | None:
        """A present node that is not ``avoided`` for one pod once all that leaves is gone."""
        node = self._next(kind)
        return node if node is not None and node not in avoided else self._freed(kind, avoided)

    def may_come_for(self, quota: str, pod: Pod) -> bool:
        """Whether a node to come could take ``pod`` if others left it the room."""
        return self._coming.could_take(quota, self.kind(quota, pod))

    def takes(self, kind: Kind, node: str | None) -> bool:
        """Whether ``node``, if there is one, admits pods of this kind when it has room."""
        return node is not None and kind.where is not None and node in self.fit.admitted(kind.where)

    def would_take(self, pod: Pod, node: str) -> bool:
        """Whether ``pod``, which starts on no present node, would take room on ``node``."""
        found = self._awaits.get(pod.key)
        return found is not None and node in self.candidates(*found)

    def takers(self, node: str) -> Iterator[tuple[str, Pod]]:
        """The admitted pods, with their quotas, that take the room first that comes free there.

        The scheduler refuses them, and none has room for them, as far as it is known.
        """
        if self._assumed is None:
            self._assume()
        for quota, pod in self._takers:
            if self.would_take(pod, node) and self._next(self.kind(quota, pod)) is None:
                yield quota, pod

    @cached_property
    def _takers(self) -> Sequence[tuple[str, Pod]]:
        return [self._awaits[key] for key in sorted(self._awaits)]

    def why(self, quota: str, workload: Workload) -> Mapping[str, int]:
        """How many nodes each obstacle keeps it off; under ``""`` those with too little room."""
        where = self._cluster.where(quota, workload)
        admitted = self.fit.admitted(where)
        pool = pools.named(workload.request)
        if not pool:
            return {**self.fit.obstacles(where), "": len(admitted)}
        inside = [key for key in workload.request if pool_keys.is_reserved(key)]
        there = sum(1 for node in admitted if self.fit.offers(node, inside))
        elsewhere = {f"are not in pool {pool}": len(admitted) - there}
        return {**self.fit.obstacles(where), **elsewhere, "": there}

    def _assume(self) -> None:
        """Book the admitted pods without a node.

        Pods of the default tree may use any node, so for it those of all trees are booked.
        """
        self._assumed = {}
        unplaced = [(quota, pod) for _, (pod, quota) in sorted(self._cluster.unplaced.items())]
        for quota, pod in [*self._others, *unplaced]:
            if self._is_here(quota) and self.expected.includes(pod):
                node = self._where_before(quota, pod) or self._present(quota, pod)
                self._assumed[pod.uid] = node
                if node or not self._coming.may_come:
                    self._unbound.add(self._cluster.where(quota, pod), pod)
                if node:
                    self._book(node, quota, pod)
                    continue
            if self._is_here(quota):
                self._await(quota, pod)
            if self._cluster.forest.tree_of.get(quota) == self._tree_id:
                self._coming.take(pod.request)
        for quota in () if self._coming.may_come else filter(self._is_here, self._cluster.stuck):
            for pod in self._cluster.account(quota).stuck.values():
                self._await(quota, pod)

    def _book(self, node: str, quota: str, pod: Pod) -> None:
        self.reservations.book(node, pod.request)
        if self.expected.has_nomination(pod):
            self.taken[pod.uid] = node, self.kind(quota, pod)
        self._order.rotate(self.kind(quota, pod), node)

    def _keep_for_awaiting(self, node: str) -> None:
        """Keep the room on ``node`` that pods take which wait for a node to come, once a cycle."""
        before = self._awaited(node)
        if before and node not in self._kept_for_awaiting:
            self._kept_for_awaiting.add(node)
            self.reservations.reserve(node, before)

    def _await(self, quota: str, pod: Pod) -> None:
        """Count ``pod``, which is admitted, among those that start on no present node."""
        if self._coming.may_come:
            self._awaits[pod.key] = quota, pod
            where = self._cluster.where(quota, pod)
            totals.add(self._awaiting.setdefault(where, {}), pod.request)
        elif pod.refused:
            self._awaits[pod.key] = quota, pod

    def _awaited(self, node: str) -> Resources:
        """What pods that wait for a node to come would take on ``node``."""
        if self._assumed is None:
            self._assume()
        found = (
            amounts for where, amounts in self._awaiting.items() if node in self.fit.admitted(where)
        )
        return resources.add(*found) if self._awaiting else EMPTY

    def _is_here(self, quota: str) -> bool:
        tree_id = self._cluster.forest.tree_of.get(quota)
        return self._tree_id in (names.DEFAULT_TREE, tree_id)

    def _present(self, quota: str, pod: Pod) -> str:
        """The present node on which it would start; empty: none, or the nodes are not known."""
        return (self._next(self.kind(quota, pod)) or "") if self._known else ""

    def _where_before(self, quota: str, pod: Pod) -> str:
        """Empty: nowhere, or it has no room there now."""
        node = self.expected.node_of(pod)
        takes = node in self.candidates(quota, pod) and self.fit.has(
            node, pod.request, self.reservations.booked.get(node, EMPTY)
        )
        return node if takes else ""

    def _next(self, kind: Kind) -> str | None:
        """A node with room now."""
        if self._assumed is None:
            self._assume()
        return self._order.first(kind, self.reservations.beside)

    def _start(self, quota: str, kind: Kind) -> str | None:
        """A node with room now, else ``""`` if one may come for such a pod."""
        found = self._next(kind)
        if found is None and self._coming.have(quota, kind, self._tried_to_come):
            return ""
        return found

    @property
    def _tried_to_come(self) -> Resources:
        """What pods that are tried now would take of nodes to come."""
        return self.reservations.booked.get("", EMPTY)

    def _tried(
        self, quota: str, pods: Sequence[Pod], sums: dict[str, dict[str, int]], *, freed: bool
    ) -> list[str] | None:
        """Nodes for all of ``pods`` together: each is booked in ``sums`` until all are placed."""
        found: list[str] = []
        for pod in pods:
            kind = self.kind(quota, pod)
            node = self._later(quota, kind) if freed else self._start(quota, kind)
            if node is None:
                break
            found.append(node)
            totals.add(sums.setdefault(node, {}), pod.request)
        for node, pod in zip(found, pods, strict=False):
            totals.subtract(sums[node], pod.request)
        for pod in pods:  # nodes may have been passed over for what is booked no more
            self._order.reset(self.kind(quota, pod))
        return found if len(found) == len(pods) else None

    def _freed(self, kind: Kind, avoided: AbstractSet[str]) -> str | None:
        """A node that will have room when others are gone, the first by name."""
        if kind.where is None:
            return None
        freed = self.reservations.being_freed() - avoided
        request = dict(kind.size)
        for node in sorted(self.fit.admitted(kind.where) & freed):
            if not self.reservations.missing(node, request):
                return node
        return None

    def node_of(self, victim: Pod) -> str:
        """The name of the node of ``victim``; empty: not known."""
        if victim.node_name or not self._known:
            return victim.node_name
        if self._assumed is None:
            self._assume()
        return (self._assumed or {}).get(victim.uid, "")
