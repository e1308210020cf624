"""Refused pods: what is done for an admitted pod that the scheduler refuses.

Only the scheduler knows topology spread, affinity between pods, volumes and host ports. When it
refuses a pod within its quota's min for some seconds, the pod is a taker like a waiting one that
lacks only a node, and the first of the cycle: victims leave one node that it may use, and their
room is kept for it until the scheduler has had some seconds without them. If it still refuses the
pod then, another node is cleared, in another zone where there is one. At most ``MAX_CLEARED_NODES``
nodes are cleared for a pod, beside those whose room another pod took. After
``unschedulableTimeout`` it takes no room of others (``usage_tree``).

In an elastic tree a node is expected for such a pod, so nothing is cleared at first. When none came
in time (``scaleUpTimeout``), a present node is cleared for it in the same way.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from elasticquota.model.clocks import ClearedNodes
from elasticquota.model.pod import Pod
from elasticquota.resources import EMPTY
from elasticquota.scheduling.preemption.reclaim import Reclaim
from elasticquota.scheduling.preemption.rights import Claim
from elasticquota.scheduling.preemption.targets import PreemptionTargets


MAX_CLEARED_NODES: Final = 3
"""The number of nodes that are cleared for one pod at most."""

PAUSE: Final = 10_000
"""How long the scheduler has to use a cleared node once it is free, in milliseconds."""

_ZONE: Final = "topology.kubernetes.io/zone"


class RefusedPods:
    """Of one tree in one cycle; mutable."""

    def __init__(
        self,
        targets: PreemptionTargets,
        reclaim: Reclaim,
        before: Mapping[str, ClearedNodes],
        now: int,
    ) -> None:
        """``before`` is what was done up to the last cycle, by uid; ``now`` in milliseconds."""
        self._targets = targets
        self._reclaim = reclaim
        self._before = before
        self._now = now
        self._nodes = targets.snapshot.nodes
        self.cleared: dict[str, ClearedNodes] = {}
        """By uid, what was done up to now."""

    def make_room(self) -> None:
        """Clear a node for each of them, or keep what is being cleared."""
        for quota, pod in self._refused():
            past = self._before.get(pod.uid, ClearedNodes())
            *tried, last = past.nodes or ("",)
            if not last or self._is_taken(quota, pod, past):
                last = self._found_again(quota, pod, tried)
                past = ClearedNodes((*tried, last) if last else tuple(tried), self._now)
            if (ending := last in self._nodes.fit.being_freed) or past.ending:
                past = ClearedNodes(past.nodes, self._now, ending)
            if past.nodes:
                self.cleared[pod.uid] = past
            if last and self._now < past.at + PAUSE:
                self._nodes.reserve(last, pod)
            elif not self._targets.full and len(past.nodes) < MAX_CLEARED_NODES:
                is_owed = self._targets.snapshot.guarantees.levels(quota, pod, counted=True)
                if is_owed and (node := self._clear(quota, pod, past)):
                    self._nodes.reserve(node, pod)
                    self.cleared[pod.uid] = ClearedNodes((*past.nodes, node), self._now)

    def forget_held_back(self) -> None:
        """Forget the nodes of this cycle, some of whose victims are held back.

        The next cycle finds the rest of them; otherwise it would clear another node.
        """
        for uid, each in [*self.cleared.items()]:
            if each.nodes != (past := self._before.get(uid, ClearedNodes())).nodes:
                self.cleared[uid] = past

    @property
    def due(self) -> Iterator[int]:
        """When one of them needs a cycle without an event, in milliseconds (clock of ``now``)."""
        return (each.at + PAUSE for each in self.cleared.values())

    def _refused(self) -> Iterator[tuple[str, Pod]]:
        """In an elastic tree a node is expected for each pod, so those for which none came.

        The nodes that are present then have to do, as far as the min of their quotas goes.
        """
        targets = self._targets
        if self._nodes.growth is not None:
            for quota in sorted(targets.tree.timed_out.keys() & targets.cluster.stuck):
                stuck = sorted(targets.cluster.account(quota).stuck.items())
                yield from ((quota, pod) for _, pod in stuck if pod.refused)
            return
        # Few of thousands that start are refused, so these are sorted and not all.
        refused = [(key, each) for key, each in targets.cluster.unplaced.items() if each[0].refused]
        for _, (pod, quota) in sorted(refused):
            if quota in targets.tree.tree.children and not self._nodes.expected.includes(pod):
                yield quota, pod

    def _is_taken(self, quota: str, pod: Pod, past: ClearedNodes) -> bool:
        """Whether another pod took the room on the last node before the scheduler had its time.

        Not where a victim stays, as its eviction is refused: on another node it may be, too.
        """
        cluster, node = self._targets.cluster, past.nodes[-1]
        if not past.ending and self._now >= past.at + PAUSE:
            return False
        if node not in self._nodes.candidates(quota, pod):
            return True
        fit, kept = self._nodes.fit, self._nodes.reservations.kept.get(node, EMPTY)
        stays = any(there.uid in cluster.withheld for there, _ in fit.on(node))
        return bool(fit.missing(node, pod.request, kept)) and not stays

    def _found_again(self, quota: str, pod: Pod, tried: Sequence[str]) -> str:
        """A node that is being freed and will have room, as after a restart in between."""
        fit = self._nodes.fit
        for node in sorted((fit.being_freed & self._nodes.candidates(quota, pod)) - {*tried}):
            if not fit.has(node, pod.request) and not self._nodes.missing(node, pod):
                return node
        return ""

    def _clear(self, quota: str, pod: Pod, past: ClearedNodes) -> str:
        """Choose victims on one node, in another zone than before if that is possible."""
        label, tried = self._nodes.fit.label, frozenset(past.nodes)
        zones = {label(name, _ZONE) for name in tried}
        there = self._nodes.candidates(quota, pod) if tried else ()
        same_zone = {name for name in there if label(name, _ZONE) in zones}
        for avoided in dict.fromkeys((tried | same_zone, tried)):
            claim = Claim(quota, pod, guarantee=True, admitted=True, avoided=avoided)
            if nodes := self._reclaim.nodes_for(claim):
                return nodes[0]
        return ""
