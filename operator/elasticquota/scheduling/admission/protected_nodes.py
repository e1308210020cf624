"""Protected nodes: present nodes that a released pod is kept off.

Room is kept on a node while victims there terminate. The scheduler does not know of it, and could
bind a pod that was released meanwhile to this node: then the victims were evicted in vain. So such
a pod gets, together with its release, a required node affinity that excludes these nodes. It has
room on another node; it is not kept off if it could then preempt a pod elsewhere. Pods that are
released together are looked at together: each may fit beside such room where two do not, and
one that is kept off a node relies on its own, so others are kept off that one in turn.

In an elastic tree a pod for which a node has yet to come is kept off the nodes with less important
pods: the scheduler would preempt these, even within the min of their quota, before any node comes.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import Final

from elasticquota import resources, totals
from elasticquota.model.decision import Release
from elasticquota.model.pod import Pod
from elasticquota.model.selector import Requirement, Selector
from elasticquota.model.workload import Counted
from elasticquota.scheduling.snapshot.nodes.node_capacity import NodeCapacity
from elasticquota.scheduling.snapshot.nodes.node_reservations import Kind
from elasticquota.scheduling.snapshot.tree_snapshot import TreeSnapshot
from elasticquota.structs import replace


MOST_EXCLUDED: Final = 64
"""The most nodes that one pod is kept off, because each is a word in its affinity."""

_HOSTNAME: Final = "kubernetes.io/hostname"
_NONE: Final[AbstractSet[str]] = frozenset()
_MOST_PASSES: Final = 3
"""How often it is asked which pods rely on their nodes because they are kept off others."""


def exclude(
    releases: Iterable[Release], released: Mapping[str, Counted], snapshot: TreeSnapshot
) -> list[Release]:
    """The releases of a cycle without their protected nodes; that of a job as it is.

    ``released``: by uid, what they are of, as it counts. The least important pod comes first: it
    preempts none, and where it does not go the next one has room.
    A node without the label that names it cannot be excluded.
    """
    releases, nodes = list(releases), snapshot.nodes
    if not releases:
        return []
    pods = [(each.quota, pod) for each in releases if isinstance(pod := released[each.uid], Pod)]
    pods.sort(key=lambda each: each[1].priority)
    protected = Protected(nodes)
    for _ in range(_MOST_PASSES):  # sum and not any: each of the pods is followed
        if not sum(protected.follow(quota, pod, snapshot) for quota, pod in pods):
            break
    return [_without(each, protected.off.get(each.uid, _NONE), nodes) for each in releases]


def _without(release: Release, found: AbstractSet[str], nodes: NodeCapacity) -> Release:
    if not found:
        return release
    hosts = {nodes.fit.label(node, _HOSTNAME) for node in found}
    others = Selector((Requirement(_HOSTNAME, "NotIn", tuple(sorted(hosts))),))
    return replace(release, nodes=release.nodes.within(others))


class Protected:
    """The protected nodes of the pods that are released in one cycle; mutable."""

    def __init__(self, nodes: NodeCapacity) -> None:
        self._nodes = nodes
        self.off: dict[str, AbstractSet[str]] = {}
        """By uid."""
        self.wanted: dict[str, AbstractSet[str]] = {}
        """The same with those from which a pod can be kept only if others are kept off its own."""
        self.relying = dict(nodes.taken)
        """By uid the nodes and kinds of pods that are released, not bound, and need that room."""
        self.beside: dict[str, dict[str, int]] = defaultdict(dict)
        """By node with kept or taken room, what those request that may go there, and are expected
        elsewhere or nowhere."""
        self._open: dict[str, AbstractSet[str]] = {}
        """By uid, the nodes on which a pod counts in ``beside``."""
        for node in nodes.reservations.kept.keys() - {""}:
            for _, taker in islice(nodes.reservations.takers(node), MOST_EXCLUDED):
                if taker.uid not in nodes.reservations.reserved:
                    totals.add(self.beside[node], taker.request)

    def follow(self, quota: str, pod: Pod, snapshot: TreeSnapshot) -> bool:
        """Find the nodes that ``pod`` is kept off; return whether there are more than before."""
        self._count_beside(pod, _NONE)
        nodes, own, least = self._nodes, self._nodes.starts.get(pod.uid), snapshot.least_priority
        protected, before = with_kept_room(nodes, quota, pod, self), self.off.get(pod.uid, _NONE)
        waits, is_new = nodes.waits_for_node(pod), False
        if waits and pod.priority > least:
            protected += with_less_important(nodes, quota, pod)
        self.wanted[pod.uid] = self.wanted.get(pod.uid, _NONE) | {*protected}
        if protected and not (waits or nodes.can_spare(protected, quota, pod, least)):
            protected, is_new = [], pod.uid not in self.relying
        if pod.uid in self.off and len(protected) > MOST_EXCLUDED:
            protected = []
        more = {node for node in protected if nodes.fit.label(node, _HOSTNAME)} - before
        off = self.off[pod.uid] = before | more
        needed = {*nodes.reservations.kept, *(node for node, _ in self.relying.values())}
        self._count_beside(pod, (needed & nodes.candidates(quota, pod)) - off - {own})
        if own is not None and (more or is_new):
            nodes.reservations.unbound.keep_off(more, pod)
            self.relying[pod.uid] = own, nodes.kind(quota, pod)
        return bool(more) or is_new

    def _count_beside(self, pod: Pod, nodes: AbstractSet[str]) -> None:
        before = self._open.pop(pod.uid, _NONE)
        for node in before - nodes:
            totals.subtract(self.beside[node], pod.request)
        for node in nodes - before:
            totals.add(self.beside[node], pod.request)
        if nodes:
            self._open[pod.uid] = nodes


def with_kept_room(nodes: NodeCapacity, quota: str, pod: Pod, known: Protected) -> list[str]:
    """The nodes on which ``pod`` could take kept room.

    Also those where it would take the room of a pod that is released but not bound, if victims made
    way for that one or it relies on its node (``known``). Victims may be gone before the scheduler
    binds it, so it is kept off nodes that are full now, too, unless these are very many. Not off
    those where kept room for a pod of its kind, or taken room for one of its size, is not lost:
    that one may start where ``pod`` does not.
    """
    reservations, has = nodes.reservations, nodes.fit.has
    own, kind = nodes.starts.get(pod.uid), nodes.kind(quota, pod)
    candidates = nodes.candidates(quota, pod)

    def takes_own(kind: Kind) -> bool:
        return kind.where is not None and own in nodes.fit.admitted(kind.where)

    kept = [
        node
        for node in reservations.kept
        if node != own
        and node in candidates
        and {*reservations.kept_for[node]} != {kind}
        and reservations.takes_kept_room(node, resources.add(pod.request, known.beside[node]))
    ]
    if len(kept) > MOST_EXCLUDED and not nodes.waits_for_node(pod):
        kept = [node for node in kept if has(node, pod.request)]
    taken = {
        node
        for uid, (node, its) in known.relying.items()
        if node != own
        and node in candidates
        and (its.size != kind.size or own in known.wanted.get(uid, _NONE) or not takes_own(its))
        and has(node, pod.request)
        and not has(node, resources.add(pod.request, known.beside[node]), reservations.booked[node])
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
