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
    """The nodes on which ``pod`` could take kept room.

    Also those where it would take the room of a pod that victims made way for, and that is released
    but not bound. Victims may be gone before the scheduler binds it, so it is kept off nodes that
    are full now, too, unless these are very many. Not off those where kept room for a pod of its
    kind, or taken room for one of its size, is not lost: that one may start where ``pod`` does not.
    """
    reservations, has = nodes.reservations, nodes.fit.has
    own, kind = nodes.start_of(pod), nodes.kind(quota, pod)
    candidates = nodes.candidates(quota, pod)
    kept = [
        node
        for node in reservations.kept.keys() & candidates
        if node != own
        and {*reservations.kept_for(node)} != {kind}
        and reservations.takes_kept_room(node, pod.request)
    ]
    if len(kept) > MOST_EXCLUDED and not nodes.waits_for_node(pod):
        kept = [node for node in kept if has(node, pod.request)]
    taken = {
        node
        for node, its in nodes.taken.values()
        if node in candidates - {own}
        and not (its.size == kind.size and nodes.takes(its, own))
        and has(node, pod.request)
        and not has(node, pod.request, reservations.booked[node])
    }
    return sorted({*kept, *taken})


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
