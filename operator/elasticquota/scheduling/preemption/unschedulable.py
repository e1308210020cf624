"""Unschedulable pods: what reclaim does for an admitted pod that the scheduler refuses.

Only the scheduler knows topology spread, affinity between pods, volumes and host ports. When it
refuses a pod within its quota's min for some seconds, reclaim clears one node that the pod may use:
it evicts external pods and pods that borrow from the node. If the scheduler still refuses the pod
when they are gone, reclaim clears another node, in another zone where there is one. It clears at
most ``MAX_CLEARED_NODES`` nodes for a pod. After ``unschedulableTimeout`` the pod is the first to
make way for any other pod of its quota that needs the room (``preempt``). When its controller
re-creates it, the new pod waits in the queue.

In an elastic tree a node is expected for such a pod, so nothing is cleared at first. When none came
in time (``scaleUpTimeout``), reclaim clears a present node for it in the same way.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from elasticquota.model.clocks import ClearedNodes
from elasticquota.model.pod import Pod
from elasticquota.scheduling.policy import Policy
from elasticquota.scheduling.preemption import node_victims
from elasticquota.scheduling.preemption.targets import Cause, PreemptionTargets
from elasticquota.scheduling.snapshot.nodes import node_capacity


MAX_CLEARED_NODES: Final = 3
"""The number of nodes that are cleared for one pod at most."""

PAUSE: Final = 10_000
"""How long the scheduler has to use a cleared node, in milliseconds."""

_ZONE: Final = "topology.kubernetes.io/zone"


def clear_nodes(
    targets: PreemptionTargets, before: Mapping[str, ClearedNodes], policy: Policy, now: int
) -> dict[str, ClearedNodes]:
    """Add victims to ``targets`` for refused pods; return by pod uid what was done up to now."""
    found: dict[str, ClearedNodes] = {}
    for quota, pod in _refused(targets):
        past = before.get(pod.uid, ClearedNodes())
        found[pod.uid] = past
        waits = past.nodes and (now < past.at + PAUSE or _under_way(targets, past))
        if waits or targets.full or policy.paused or len(past.nodes) >= MAX_CLEARED_NODES:
            continue
        if targets.snapshot.guarantees.holds_within_min(quota, pod):
            clearing = _clearing(targets, quota, pod, past)
            if clearing is not None:
                for its_quota, victim in clearing.leave:
                    leaves = its_quota, victim
                    message = node_victims.message(
                        targets, leaves, clearing.node, (quota, pod), "min"
                    )
                    targets.evict(its_quota, [victim], message, Cause(quota, pod, "min"))
                targets.snapshot.nodes.reservations.reserve(clearing.node, pod.request)
                found[pod.uid] = ClearedNodes((*past.nodes, clearing.node), now)
    return {uid: each for uid, each in found.items() if each.nodes}


def due(targets: PreemptionTargets, cleared: Mapping[str, ClearedNodes], now: int) -> Iterator[int]:
    """When a refused pod needs a cycle without an event, in milliseconds (clock of ``now``)."""
    time = targets.cluster.time
    for pod, quota in targets.cluster.unplaced.values():
        if pod.refused and pod.unplaced_since is not None and quota in targets.tree.tree.children:
            left = pod.unplaced_since + node_capacity.REFUSED_FOR - time
            if left > 0:
                yield now + left
            elif pod.uid in cleared:
                yield cleared[pod.uid].at + PAUSE
    for _, pod in _timed_out(targets):
        if pod.uid in cleared:
            yield cleared[pod.uid].at + PAUSE


def _refused(targets: PreemptionTargets) -> Iterator[tuple[str, Pod]]:
    time, here = targets.cluster.time, targets.tree.tree.children
    if targets.snapshot.nodes.growth is not None:
        yield from _timed_out(targets)
        return
    for _, (pod, quota) in sorted(targets.cluster.unplaced.items()):
        if pod.refused and quota in here and node_capacity.refused(pod, time):
            yield quota, pod


def _timed_out(targets: PreemptionTargets) -> Iterator[tuple[str, Pod]]:
    """In an elastic tree a node is expected for each pod; these are the pods for which none came.

    The nodes that are present then have to do, as far as the min of their quotas goes.
    """
    for quota in sorted(targets.tree.timed_out.keys() & targets.cluster.stuck):
        for _, pod in sorted(targets.cluster.account(quota).stuck.items()):
            if pod.refused:
                yield quota, pod


def _under_way(targets: PreemptionTargets, past: ClearedNodes) -> bool:
    """Whether victims have not yet left the node that was cleared last."""
    return past.nodes[-1] in targets.cluster.fit.being_freed


def _clearing(
    targets: PreemptionTargets, quota: str, pod: Pod, past: ClearedNodes
) -> node_victims.Clearing | None:
    nodes = targets.snapshot.nodes.candidates(quota, pod) - set(past.nodes)
    rule = node_victims.keeping_min(targets, quota)
    if past.nodes:
        label = targets.cluster.fit.label
        tried = {label(name, _ZONE) for name in past.nodes}
        elsewhere = (name for name in nodes if label(name, _ZONE) not in tried)
        found = node_victims.search(targets, pod, elsewhere, rule)
        if found is not None:
            return found
    return node_victims.search(targets, pod, nodes, rule)
