"""Node capacity: on which node each pod of one cycle would start, so that no release is in vain.

A working copy of what the tree's nodes have left. Admitted pods without a node are assumed on one
first, as the scheduler's cache does: on the node of the last cycle, if it still has room. Then each
release and all kept room are booked on the node with the largest free share, which the scheduler
prefers too. A pod that has had no node for some seconds uses none (``expected_pods``).
In an elastic tree (``model.capacity_mode``) a pod without room on the present nodes starts on a
node to come, as long as the tree may grow by its request.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property

from elasticquota import names, resources, totals
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.nodes.tree_nodes import NONE
from elasticquota.model.pod import Pod
from elasticquota.model.workload import Workload
from elasticquota.resources import EMPTY, Resources
from elasticquota.scheduling.snapshot.nodes.expected_pods import ExpectedPods
from elasticquota.scheduling.snapshot.nodes.node_reservations import (
    TO_COME,
    Awaiting,
    Kind,
    NodeReservations,
)


class NodeCapacity:
    """Mutable; one per tree and cycle."""

    def __init__(
        self,
        cluster: ClusterSnapshot,
        tree_id: str,
        others: Iterable[tuple[str, Pod]],
        expected: ExpectedPods,
        reserved: Iterable[NodeReservations] = (),
    ) -> None:
        """``others`` are pods of other trees that start on these nodes too.

        ``reserved`` has what these trees keep there, and what their victims hold.
        """
        self._cluster, self._tree_id = cluster, tree_id
        self.fit = cluster.index.fit
        self._known = self.fit.knows(tree_id)
        self._others = others
        self.expected = expected
        """Which admitted pods without a node hold up others."""
        self.growth = cluster.nodes_by_tree.get(tree_id, NONE).to_come
        """What may still come, in an elastic tree."""
        self._table = NodeReservations(self.fit, self.growth, cluster.timed_out(tree_id))
        for each in reserved:
            self._table.add_kept(each)
        self.taken: dict[str, tuple[str, Kind]] = {}
        """By uid of the pods for which victims made room, and which no node has taken yet: where
        they are expected, and their kinds."""
        self._kept_for_awaiting: set[str] = set()
        self.starts: dict[str, str] = {}
        """By uid, the nodes of the pods that are released in this cycle."""
        self._released: dict[str, dict[str, int]] = {}
        """By quota, what pods request that are released in this cycle."""

    @property
    def are_all(self) -> bool:
        """Whether the nodes are known, and no other may come."""
        return self._known and self.growth is None

    @cached_property
    def reservations(self) -> NodeReservations:
        """What is booked, kept and expected to leave on each node.

        The admitted pods without a node are booked. Pods of the default tree may use any node, so
        for it those of all trees are.
        """
        table = self._table
        unplaced = [(quota, pod) for _, (pod, quota) in sorted(self._cluster.unplaced.items())]
        for quota, pod in [*self._others, *unplaced]:
            node, here = TO_COME, self._is_here(quota)
            if here and self.expected.includes(pod):
                node = table.assumed[pod.uid] = self._node_to_assume(quota, pod)
                if node or self.growth is None:
                    table.unbound.add(self._cluster.index.where(quota, pod), pod)
            if node:
                self._book(node, quota, pod)
                continue
            if here:
                self._await(quota, pod)
            if self._cluster.forest.tree_of.get(quota) == self._tree_id:
                totals.add(table.booked[TO_COME], pod.request)
        for quota in filter(self._is_here, self._cluster.stuck) if self.growth is None else ():
            for pod in self._cluster.account(quota).stuck.values():
                self._await(quota, pod)
        return table

    def kind(self, quota: str, workload: Workload) -> Kind:
        """Equal for workloads that need the same room."""
        where = self._cluster.index.where(quota, workload) if isinstance(workload, Pod) else None
        return Kind(where, workload.size)

    def has(self, kind: Kind) -> bool:
        """Whether a node has room now for such a pod, as far as it is known, or may come."""
        return (
            not self._known
            or kind.where is None
            or self.reservations.first(kind) is not None
            or self.reservations.may_come(kind)
        )

    def now(self, quota: str, pods: Sequence[Pod]) -> list[str] | None:
        """The nodes on which ``pods`` of ``quota`` would start, in their order; None: not all can.

        Nothing is booked. A node to come is ``TO_COME``, and so is each where they are not known.
        """
        if not self._known:
            return [TO_COME] * len(pods)
        found = (self.node_for(quota, pod, freed=False) for pod in pods)
        return self.together(quota, pods, self.reservations.booked, found)

    def later(self, quota: str, pods: Sequence[Pod]) -> list[str] | None:
        """The nodes on which ``pods`` would start once terminating pods and victims are gone."""
        found = (self.node_for(quota, pod, freed=True) for pod in pods)
        return self.now(quota, pods) or self.together(quota, pods, self.reservations.kept, found)

    def together(
        self,
        quota: str,
        pods: Sequence[Pod],
        sums: dict[str, dict[str, int]],
        nodes: Iterable[str | None],
    ) -> list[str] | None:
        """The ``nodes`` of ``pods``; None: one of them has none.

        Each is booked in ``sums`` before the next one is read, until all are placed.
        """
        if len(pods) == 1:
            node = next(iter(nodes))
            return None if node is None else [node]
        booked: list[str] = []
        for pod, node in zip(pods, nodes, strict=True):
            if node is None:
                break
            booked.append(node)
            totals.add(sums[node], pod.request)
        for node, pod in zip(booked, pods, strict=False):
            totals.subtract(sums[node], pod.request)
        for pod in pods:
            self.reservations.try_all_again(self.kind(quota, pod))
        return booked if len(booked) == len(pods) else None

    def node_for(self, quota: str, pod: Pod, *, freed: bool) -> str | None:
        """A node with room for ``pod``, now or once all that leaves is gone, or ``TO_COME``."""
        if not self._known:
            return TO_COME
        kind, table = self.kind(quota, pod), self.reservations
        node = table.later(kind) if freed else table.first(kind)
        if node is None and table.may_come(kind, freed=freed):
            return TO_COME if self._may_demand(quota, pod.request) else None
        return node

    def still(self, quota: str, pods: Sequence[Pod], nodes: Sequence[str]) -> Sequence[str] | None:
        """``nodes`` if they have room for ``pods`` once all that leaves is gone, else None."""
        if not self._known:
            return [TO_COME] * len(pods)
        asked: dict[str, dict[str, int]] = {}
        for pod, node in zip(pods, nodes, strict=False):
            if node not in self.candidates(quota, pod):
                return None
            totals.add(asked.setdefault(node, {}), pod.request)
        missing = self._table.missing
        fits = len(nodes) >= len(pods) and not any(missing(*each) for each in asked.items())
        return nodes if fits else None

    def safe(self, quota: str, pods: Sequence[Pod], least: int) -> bool:
        """Whether a release of ``pods``, which have room now, causes no preemption.

        ``least`` is the lowest priority of the tree's pods.
        """
        if not (self._known and pods):
            return True
        here = pods
        if self.growth is not None:
            nodes = self.now(quota, pods) or ()
            here = [pod for pod, node in zip(pods, nodes, strict=False) if node]
        wheres = [self._cluster.index.where(quota, pod) for pod in here]
        return not here or self.reservations.unbound.allow(wheres, here, least)

    def can_spare(self, nodes: Sequence[str], quota: str, pod: Pod, least: int) -> bool:
        """Whether a release of ``pod`` still causes no preemption when ``nodes`` are excluded."""
        where = self._cluster.index.where(quota, pod)
        return self.reservations.unbound.can_spare(frozenset(nodes), where, pod, least)

    def book(self, quota: str, pods: Sequence[Pod]) -> None:
        """Book a release; a pod without a node after all is not booked."""
        nodes: Sequence[str | None] = self.now(quota, pods) or [None] * len(pods)
        for pod, node in zip(pods, nodes, strict=True):
            totals.add(self._released.setdefault(quota, {}), pod.request)
            if node or self.growth is None:
                self.reservations.unbound.add(self._cluster.index.where(quota, pod), pod)
            if node:
                self.starts[pod.uid] = node
                self._book(node, quota, pod)
            elif node == TO_COME:
                totals.add(self.reservations.booked[TO_COME], pod.request)
                self._await(quota, pod)

    def waits_for_node(self, pod: Pod) -> bool:
        """Whether ``pod``, which is released, starts on a node that is still to come."""
        return self.growth is not None and pod.uid not in self.starts

    def booked(self) -> dict[str, str]:
        """By uid, the nodes for which the pods were released that no node has taken yet."""
        before = self.expected.before.booked
        still = {pod.uid: before[pod.uid] for pod, _ in self.unplaced if pod.uid in before}
        return still | self.starts

    @cached_property
    def unplaced(self) -> Sequence[tuple[Pod, str]]:
        """The admitted pods that no node has taken yet, and that may start here; their quotas."""
        cluster, here = self._cluster, self._is_here
        found = [each for each in cluster.unplaced.values() if here(each[1])]
        for quota in filter(here, cluster.stuck):
            found.extend((pod, quota) for pod in cluster.account(quota).stuck.values())
        return found

    def keep(self, quota: str, pods: Sequence[Pod], nodes: Sequence[str] | None = None) -> None:
        """Keep room for the pods, on ``nodes`` if they are chosen already."""
        chosen = (self.later(quota, pods) or ()) if nodes is None else nodes
        for pod, node in zip(pods, chosen, strict=False):
            self.reservations.keep(node, self.kind(quota, pod))
            self._keep_for_awaiting(node)

    def hold(
        self, quota: str, pods: Sequence[Pod], nodes: Sequence[str], *, undo: bool = False
    ) -> None:
        """Keep room on ``nodes`` for pods until it is their turn; ``undo``: no longer."""
        for pod, node in zip(pods, nodes, strict=False):
            kind = self.kind(quota, pod)
            self._table.keep(node, kind, undo=undo)
            self._table.try_all_again(kind)

    def with_kept_room(self) -> NodeReservations | None:
        """The reservations, if room is kept; None: none is."""
        return self._table if self._table.kept else None

    def reserve(self, node: str, pod: Pod) -> None:
        """Keep room on ``node`` for an admitted pod that the scheduler refuses."""
        self._table.reserved[pod.uid] = node
        totals.add(self._table.kept[node], pod.request)
        self._keep_for_awaiting(node)

    def needs_node_of(self, victim: Workload) -> bool:
        """Whether room kept on the nodes of ``victim`` is lost if all its pods stay.

        Where other nodes have room that is kept there, it is kept on those from now on.
        """
        table = self.reservations
        by_node: dict[str, dict[str, int]] = {}
        for pod in victim.pods:
            totals.add(by_node.setdefault(pod.node_name, {}), pod.request)
            if any(
                table.takes_kept_room(node, pod.request) and table.would_take(pod, node)
                for node in table.kept
            ):
                return True
        return any(
            table.takes_kept_room(node, held) and not table.move_kept_room(node, by_node)
            for node, held in by_node.items()
        )

    def expect_removal(self, victim: Pod, *, undo: bool = False) -> None:
        """Count the room of ``victim`` as free later; ``undo``: no longer."""
        self._table.expect_removal(self.node_of(victim), victim, undo=undo)

    def candidates(self, quota: str, workload: Workload) -> AbstractSet[str]:
        """The nodes that admit its pods when they have room; read only."""
        return self.fit.admitted(self._cluster.index.where(quota, workload))

    def missing(self, node: str, pod: Pod) -> dict[str, int]:
        """What ``pod`` lacks on the node once all that leaves is gone.

        In an elastic tree pods that wait for a node to come take the room first that comes free.
        """
        table = self.reservations
        before, asked = table.awaited(node), pod.request
        if before:
            asked = before if table.awaits(pod) else resources.add(asked, before)
        return table.missing(node, asked)

    def may_come_for(self, quota: str, pod: Pod) -> bool:
        """Whether a node to come could take ``pod`` if others left it the room."""
        could_host = self.growth is not None and self.growth.could_host(pod.request)
        return could_host and self._may_demand(quota, pod.request)

    def node_of(self, victim: Pod) -> str:
        """The name of the node of ``victim``; empty: not known."""
        if victim.node_name or not self._known:
            return victim.node_name
        return self.reservations.assumed.get(victim.uid, TO_COME)

    def _node_to_assume(self, quota: str, pod: Pod) -> str:
        """Where an admitted pod is expected; ``TO_COME``: on no present node, or not known."""
        before = self.expected.before.booked.get(pod.uid, "")
        beside = self._table.booked.get(before, EMPTY)
        if before in self.candidates(quota, pod) and self.fit.has(before, pod.request, beside):
            return before
        return (self._table.first(self.kind(quota, pod)) or TO_COME) if self._known else TO_COME

    def _book(self, node: str, quota: str, pod: Pod) -> None:
        kind = self.kind(quota, pod)
        self._table.book(node, kind)
        if pod.uid in self.expected.before.nominated:
            self.taken[pod.uid] = node, kind

    def _keep_for_awaiting(self, node: str) -> None:
        """Keep the room on ``node`` that pods take which wait for a node to come, once a cycle."""
        before = self.reservations.awaited(node)
        if before and node not in self._kept_for_awaiting:
            self._kept_for_awaiting.add(node)
            totals.add(self.reservations.kept[node], before)

    def _await(self, quota: str, pod: Pod) -> None:
        if self.growth is not None or pod.refused:
            self._table.add_awaiting(Awaiting(quota, pod, self._cluster.index.where(quota, pod)))

    def _is_here(self, quota: str) -> bool:
        return self._tree_id in (names.DEFAULT_TREE, self._cluster.forest.tree_of.get(quota))

    def _may_demand(self, quota: str, asked: Resources) -> bool:
        """Whether nodes are asked for a pod of ``quota`` that requests ``asked``.

        For this its pods that no node took in time count in its runtime: else pods that no node can
        ever take would ask for all that may come, share by share.
        """
        account, tree_of = self._cluster.account(quota), self._cluster.forest.tree_of
        if not account.stuck or tree_of.get(quota) != self._tree_id:
            return True
        limit = self._cluster.trees[self._tree_id].runtimes.own_runtime(quota)
        held = resources.add(account.admitted, self._released.get(quota, EMPTY), asked)
        return resources.fits(resources.masked(held, asked), limit)
