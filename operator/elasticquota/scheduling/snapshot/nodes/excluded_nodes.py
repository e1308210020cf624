"""Excluded nodes: present nodes that a released pod is kept off.

The scheduler does not know of kept room, so a pod that is released meanwhile would take it. And it
preempts at once, also for a pod for which a node has yet to come.
"""

from typing import Final

from elasticquota.model.pod import Pod
from elasticquota.scheduling.snapshot.nodes.node_capacity import NodeCapacity


MOST_EXCLUDED: Final = 64
"""The most nodes that one pod is kept off, because each is a word in its affinity."""


def with_kept_room(nodes: NodeCapacity, quota: str, pod: Pod) -> list[str]:
    """The nodes on which ``pod`` could start now and take kept room.

    Not those where kept room for a pod of its kind is not lost: that one may start where ``pod``
    does not.
    """
    reservations = nodes.reservations
    own, kind = nodes.start_of(pod), nodes.kind(quota, pod)
    return [
        node
        for node in sorted(reservations.kept.keys() & nodes.candidates(quota, pod))
        if node != own
        and {*reservations.kept_for(node)} != {kind}
        and nodes.fit.has(node, pod.request)
        and reservations.takes_kept_room(node, pod.request)
    ]


def with_less_important(nodes: NodeCapacity, quota: str, pod: Pod) -> list[str]:
    """The nodes on which ``pod``, for which a node has yet to come, could preempt a pod.

    Empty if there are more than ``MOST_EXCLUDED``.
    """
    if not pod.may_preempt:
        return []
    found = [
        node
        for node in sorted(nodes.candidates(quota, pod))
        if any(other.priority < pod.priority for other, _ in nodes.fit.on(node))
    ]
    return found if len(found) <= MOST_EXCLUDED else []
