"""Refusals: what is done for an admitted pod that the scheduler refuses, for reasons of its own.

Spreading, affinity between pods, volumes and host ports are the scheduler's. Where it refuses a pod
within its quota's min for some seconds, pods that others borrowed are taken off one node that the
pod may run on; if it is still refused when they are gone, off another one, in another zone where
there is one. After ``MOST_WAVES`` that was all: from ``unschedulableTimeout`` on the pod is the
first to make way for any other of its quota that needs the room (``preempt``), and comes back into
line when its controller makes it again.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from elasticquota.model.decision import Help
from elasticquota.model.pod import Pod
from elasticquota.scheduling.policy import Policy
from elasticquota.scheduling.preemption import node_victims
from elasticquota.scheduling.preemption.targets import PreemptionTargets
from elasticquota.scheduling.snapshot import node_capacity


MOST_WAVES: Final = 3
"""Nodes that are cleared for one pod."""

PAUSE: Final = 10_000
"""Milliseconds that the scheduler has to use a node that was cleared."""

_ZONE: Final = "topology.kubernetes.io/zone"


def help_refused(
    targets: PreemptionTargets, before: Mapping[str, Help], policy: Policy, now: int
) -> dict[str, Help]:
    """Add to ``targets`` what goes for them. By pod uid, what was done up to now."""
    found: dict[str, Help] = {}
    for quota, pod in _refused(targets):
        past = before.get(pod.uid, Help())
        found[pod.uid] = past
        waits = past.nodes and (now < past.at + PAUSE or _under_way(targets, past))
        if waits or targets.full or policy.paused or len(past.nodes) >= MOST_WAVES:
            continue
        if targets.snapshot.guarantees.holds_within_min(quota, pod):
            clearing = _clearing(targets, quota, pod, past)
            if clearing is not None:
                for giver, victim in clearing.leave:
                    leaves = giver, victim
                    said = node_victims.said(targets, leaves, clearing.node, quota, "min")
                    targets.evict(giver, [victim], said, quota)
                targets.snapshot.nodes.hold(clearing.node, pod.request)
                found[pod.uid] = Help((*past.nodes, clearing.node), now)
    return {uid: each for uid, each in found.items() if each.nodes}


def due(targets: PreemptionTargets, helped: Mapping[str, Help], now: int) -> Iterator[int]:
    """When something may be due for such pods with no event (clock of ``now``)."""
    time = targets.books.time
    for pod, quota in targets.books.unplaced.values():
        if pod.refused and pod.unplaced_since is not None and quota in targets.tree.tree.children:
            left = pod.unplaced_since + node_capacity.REFUSED_FOR - time
            if left > 0:
                yield now + left
            elif pod.uid in helped:
                yield helped[pod.uid].at + PAUSE


def _refused(targets: PreemptionTargets) -> Iterator[tuple[str, Pod]]:
    time, here = targets.books.time, targets.tree.tree.children
    for _, (pod, quota) in sorted(targets.books.unplaced.items()):
        if pod.refused and quota in here and node_capacity.refused(pod, time):
            yield quota, pod


def _under_way(targets: PreemptionTargets, past: Help) -> bool:
    """Whether pods are still on their way off the node that was cleared last."""
    return past.nodes[-1] in targets.books.fit.being_freed


def _clearing(
    targets: PreemptionTargets, quota: str, pod: Pod, past: Help
) -> node_victims.Clearing | None:
    nodes = targets.snapshot.nodes.candidates(quota, pod) - set(past.nodes)
    rule = node_victims.keeping_min(targets, quota)
    if past.nodes:
        label = targets.books.fit.label
        tried = {label(name, _ZONE) for name in past.nodes}
        elsewhere = (name for name in nodes if label(name, _ZONE) not in tried)
        found = node_victims.search(targets, pod, elsewhere, rule)
        if found is not None:
            return found
    return node_victims.search(targets, pod, nodes, rule)
