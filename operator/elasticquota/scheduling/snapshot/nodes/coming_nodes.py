"""Coming nodes: what may still join the nodes of an elastic tree, in one cycle.

A working copy, like ``node_capacity``: what is released on nodes to come, and the room that is kept
there, is booked at once. Such a node has no name yet: it is ``""``.
"""

from collections.abc import Iterable

from elasticquota import resources, totals
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.nodes.tree_nodes import NONE, TreeNodes
from elasticquota.model.capacity_mode import NodesToCome
from elasticquota.model.pod import Pod
from elasticquota.resources import EMPTY, Resources
from elasticquota.scheduling.snapshot.nodes.node_order import Kind


class ComingNodes:
    """Mutable; one per tree and cycle."""

    def __init__(self, cluster: ClusterSnapshot, tree_id: str) -> None:
        self._cluster = cluster
        self._tree_id = tree_id
        self._nodes = cluster.nodes_by_tree.get(tree_id, NONE)
        self._to_come = self._nodes.to_come
        self._released: dict[str, dict[str, int]] = {}
        """By quota, what is released in this cycle."""
        self._taken: dict[str, int] = {}
        """What admitted pods and releases of this cycle take."""
        self._kept: dict[str, int] = {}
        self._freed: dict[str, int] = {}
        """What is expected for victims of this cycle."""
        self._timed_out = cluster.timed_out(tree_id)

    @property
    def may_come(self) -> bool:
        """Whether nodes may join the tree."""
        return self._to_come is not None

    @property
    def growth(self) -> TreeNodes | None:
        """The nodes of the tree, if more may come."""
        return self._nodes if self.may_come else None

    def release(self, quota: str, pods: Iterable[Pod]) -> None:
        """Count the release of ``pods``, wherever they start."""
        if self.may_come:
            requests = resources.add(*(pod.request for pod in pods))
            totals.add(self._released.setdefault(quota, {}), requests)

    def take(self, request: Resources) -> None:
        """Book a pod that starts on a node to come; nothing if none may."""
        if self.may_come:
            totals.add(self._taken, request)

    def keep(self, request: Resources) -> None:
        """Keep room; nothing if no node may come."""
        if self.may_come:
            totals.add(self._kept, request)

    def expect_removal(self, victim: Pod) -> None:
        """Expect the room of ``victim`` on a node to come instead."""
        if self.may_come:
            totals.add(self._freed, victim.request)

    def cancel_removal(self, victim: Pod) -> None:
        """Undo ``expect_removal``."""
        if self.may_come:
            totals.subtract(self._freed, victim.request)

    def have(self, quota: str, kind: Kind, beside: Resources, *, freed: bool = False) -> bool:
        """Whether a node may come for a pod of ``quota``, and may be asked for it.

        ``beside`` is what is tried with it; ``freed``: once all that leaves is gone.
        """
        return self._may_demand(quota, dict(kind.size)) and self.take_kind(
            kind, beside, freed=freed
        )

    def take_kind(self, kind: Kind, beside: Resources = EMPTY, *, freed: bool = False) -> bool:
        """Whether a node may come for such a pod, whatever its quota may demand."""
        if self._to_come is None or kind.where is None:
            return False
        return self._to_come.takes(dict(kind.size), self._left(self._to_come, beside, freed=freed))

    def could_take(self, quota: str, kind: Kind) -> bool:
        """Whether a node to come could take such a pod if nothing else came there."""
        return (
            self._to_come is not None
            and kind.where is not None
            and self._may_demand(quota, dict(kind.size))
            and self._to_come.could_host(dict(kind.size))
        )

    def missing(self, request: Resources, beside: Resources) -> dict[str, int]:
        """What ``request`` lacks on all nodes to come once all that leaves is gone."""
        if self._to_come is None:
            return dict(request)
        left = self._left(self._to_come, beside, freed=True)
        asked = resources.masked(request, self._to_come.most.keys() & request.keys())
        return resources.positive(resources.subtract(asked, resources.masked(left, asked)))

    def _left(self, to_come: NodesToCome, beside: Resources, *, freed: bool) -> dict[str, int]:
        kept = resources.subtract(self._kept, self._freed)
        taken = resources.add(
            self._taken,
            beside,
            self._timed_out,
            kept if freed else resources.positive(kept),
        )
        return resources.subtract(to_come.left, resources.masked(taken, to_come.most))

    def _may_demand(self, quota: str, asked: Resources) -> bool:
        """Whether nodes are asked for a pod of ``quota`` that requests ``asked``.

        For this its pods that no node took in time count in its runtime: else pods that no node can
        ever take would ask for all that may come, share by share.
        """
        account = self._cluster.account(quota)
        tree = self._cluster.trees.get(self._tree_id)
        is_own = self._cluster.forest.tree_of.get(quota) == self._tree_id
        if tree is None or not (account.stuck and is_own):
            return True
        limit = tree.runtimes.own_runtime(quota)
        held = resources.add(account.admitted, self._released.get(quota, EMPTY), asked)
        return resources.fits(resources.masked(held, asked), limit)
