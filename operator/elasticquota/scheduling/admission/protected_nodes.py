"""Protected nodes: present nodes that a released pod is kept off.

Room is kept on a node while victims there terminate. The scheduler does not know of it, and could
bind a pod that was released meanwhile to this node: then the victims were evicted in vain. So such
a pod gets, together with its release, a required node affinity that excludes these nodes. It has
room on another node; it is not kept off if it could then preempt a pod elsewhere. Pods that are
released together are looked at together: each may fit beside the kept room where two do not.

In an elastic tree a pod for which a node has yet to come is kept off the nodes with less important
pods: the scheduler would preempt these, even within the min of their quota, before any node comes.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from elasticquota import resources, totals
from elasticquota.model.decision import Release
from elasticquota.model.pod import Pod
from elasticquota.model.selector import Requirement, Selector
from elasticquota.model.workload import Counted
from elasticquota.resources import EMPTY, Resources
from elasticquota.scheduling.snapshot.nodes.node_capacity import NodeCapacity
from elasticquota.scheduling.snapshot.tree_snapshot import TreeSnapshot
from elasticquota.structs import replace


MOST_EXCLUDED: Final = 64
"""The most nodes that one pod is kept off, because each is a word in its affinity."""

_HOSTNAME: Final = "kubernetes.io/hostname"


def exclude(
    releases: Sequence[Release], released: Mapping[str, Counted], snapshot: TreeSnapshot
) -> list[Release]:
    """The releases of a cycle without their protected nodes; that of a job as it is.

    ``released``: by uid, what they are of, as it counts. The least important come first: where they
    are kept off, a more important one has its room for certain.
    A node without the label that names it cannot be excluded.
    """
    found, beside = dict[str, Release](), defaultdict[str, dict[str, int]](dict)
    for release in sorted(releases, key=lambda each: released[each.uid].priority):
        pod = released[release.uid]
        if isinstance(pod, Pod):
            found[release.uid] = _excluded(release, pod, snapshot, beside)
    return [found.get(each.uid, each) for each in releases]


def _excluded(
    release: Release, pod: Pod, snapshot: TreeSnapshot, beside: dict[str, dict[str, int]]
) -> Release:
    """``release`` of ``pod``, which is booked ``beside`` the room that it may take elsewhere."""
    nodes, quota = snapshot.nodes, release.quota
    protected = _protected(quota, pod, snapshot, beside)
    hosts = {node: host for node in protected if (host := nodes.fit.label(node, _HOSTNAME))}
    own = {nodes.starts.get(pod.uid)}
    kept = nodes.reservations.kept.keys() & nodes.candidates(quota, pod)
    for node in kept - hosts.keys() - own:
        totals.add(beside[node], pod.request)
    if not hosts:
        return release
    nodes.keep_off(hosts.keys(), quota, pod)
    others = Selector((Requirement(_HOSTNAME, "NotIn", tuple(sorted({*hosts.values()}))),))
    return replace(release, nodes=release.nodes.within(others))


def _protected(
    quota: str, pod: Pod, snapshot: TreeSnapshot, beside: Mapping[str, Resources]
) -> Sequence[str]:
    nodes, least = snapshot.nodes, snapshot.least_priority
    found = with_kept_room(nodes, quota, pod, beside)
    if not nodes.waits_for_node(pod):
        return found if nodes.can_spare(found, quota, pod, least) else ()
    return found if pod.priority <= least else [*found, *with_less_important(nodes, quota, pod)]


def with_kept_room(
    nodes: NodeCapacity, quota: str, pod: Pod, beside: Mapping[str, Resources]
) -> list[str]:
    """The nodes on which ``pod`` could take kept room.

    ``beside``: what others that are released in this cycle may take there, though they are expected
    elsewhere.
    Also those where it would take the room of a pod that victims made way for, and that is released
    but not bound. Victims may be gone before the scheduler binds it, so it is kept off nodes that
    are full now, too, unless these are very many. Not off those where kept room for a pod of its
    kind, or taken room for one of its size, is not lost: that one may start where ``pod`` does not.
    """
    reservations, has = nodes.reservations, nodes.fit.has
    own, kind = nodes.starts.get(pod.uid), nodes.kind(quota, pod)
    candidates = nodes.candidates(quota, pod)
    kept = [
        node
        for node in reservations.kept.keys() & candidates
        if node != own
        and {*reservations.kept_for[node]} != {kind}
        and reservations.takes_kept_room(node, resources.add(pod.request, beside.get(node, EMPTY)))
    ]
    if len(kept) > MOST_EXCLUDED and not nodes.waits_for_node(pod):
        kept = [node for node in kept if has(node, pod.request)]
    taken = {
        node
        for node, its in nodes.taken.values()
        if node in candidates - {own}
        and not (its.size == kind.size and its.where and own in nodes.fit.admitted(its.where))
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
