"""Starved: a pod within a min waits for longer than reclaim should take, and why.

The min is that of its quota or of one above it: the min of a department is owed to all below it.

Reclaim takes the grace, and the time in which one set of victims may terminate
(``maxGraceSeconds``, or the delay if that is less). A pod that waits for longer needs an
administrator: to resume reclaim, to change a disruption budget, to end a pod that does not end, to
add nodes, or to keep off pods of no quota that return. The clock runs for a pod, not for its quota,
so a quota whose pods come and are admitted one after the other never starves; and it runs on while
victims do not leave. It begins again when the pod is admitted, and then runs until a node has it.

Whatever it waits for, the pod is owed its room; so it is not where its own quota says that it
waits: in line behind another pod, or at a limit of its user. Nor is a pod that fits no node at all.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from elasticquota.model.pod import Pod
from elasticquota.model.workload import Workload
from elasticquota.resources import Resources
from elasticquota.scheduling.admission.admit import Admission
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.scheduling.preemption.targets import PreemptionTargets
from elasticquota.scheduling.snapshot.reasons import OthersUnbound


class StarvedCause(StrEnum):
    """The reasons of the condition, a part of the API."""

    PAUSED = "EvictionsPaused"
    BLOCKED = "ReclaimBlocked"
    EXTERNAL_PODS = "StrangersHoldNodes"
    NOTHING_TO_TAKE = "NothingToTake"
    SLOW_END = "PodsEndSlowly"
    YOUNG_PODS = "PodsAreYoung"
    WITHOUT_NODE = "WithoutNode"


class EntitledPod(NamedTuple):
    """A pod within a min that waits, or has no node."""

    quota: str
    pod: Workload
    by: str
    """The quota of the min: its own or one above; empty: the min was for it when it began to wait.
    """
    on_its_way: bool = False
    """Whether its room is."""
    has_room: bool = False
    """It lacks only a node, and no eviction would help."""
    admitted: bool = False
    since: int = 0
    """When it began to wait, and when it starves: milliseconds of the cycle's clock."""
    ends: int = 0


class Starving(NamedTuple):
    """A pod that starves, and what keeps its room from it."""

    entitled: EntitledPod
    cause: StarvedCause
    external: Sequence[Pod] = ()
    """The external pods on the nodes of the tree, where these are the cause."""
    short: tuple[str, Resources] | None = None
    """The first quota above its own that lacks something, and what; None: only a node does."""


def entitled_pods(
    admission: Admission,
    targets: PreemptionTargets,
    before: Mapping[str, int],
    policy: Policy,
    now: int,
) -> list[EntitledPod]:
    """The entitled pods at the end of a cycle; ``before`` is since when, by uid.

    A pod whose room is on its way is entitled, too: the room may never come free. A pod that lacks
    runtime of its own quota is not entitled; its queue may be inadmissible.
    """
    delay, entitled = min(policy.delay, policy.accounting.max_grace), list[EntitledPod]()
    for each in (*_waiting(admission, targets, before), *_admitted(targets)):
        since = before.get(each.pod.uid, now)
        ends = since + policy.grace_of(targets.cluster.forest.quotas[each.quota]) + delay
        entitled.append(each._replace(since=since, ends=ends))
    return entitled


def _waiting(
    admission: Admission, targets: PreemptionTargets, before: Mapping[str, int]
) -> Iterator[EntitledPod]:
    """Those that lack room, and those whose room is on its way."""
    blocked, kept = {pod.uid for _, pod in admission.blocked}, admission.kept()
    uids = before.keys() | {pod.uid for _, pod in admission.first_blocked} | kept
    guarantees = targets.snapshot.guarantees
    for name, pod, why in admission.waiting(uids):
        on_its_way = pod.uid in kept or pod.uid in targets.nominated
        for each in targets.cluster.index.variants(name, pod):
            by = guarantees.nearest(name, each, counted=on_its_way)
            if (by or pod.uid in before) if on_its_way else by and pod.uid in blocked:
                yield EntitledPod(name, each, by, on_its_way, isinstance(why, OthersUnbound))
                break


def _admitted(targets: PreemptionTargets) -> Iterator[EntitledPod]:
    """The oldest one of each quota that no node has taken.

    In an elastic tree a node is expected for it until it has waited for too long.
    """
    nodes, here = targets.snapshot.nodes, targets.tree.tree.children
    account = targets.cluster.account
    found: dict[str, list[Pod]] = {}
    for pod, quota in nodes.unplaced:
        if quota in here and (nodes.growth is None or pod.key in account(quota).stuck):
            found.setdefault(quota, []).append(pod)
    for quota, pods in sorted(found.items()):
        first = targets.snapshot.guarantees.first_without_node(quota, pods)
        if first is not None:
            yield EntitledPod(quota, *first, has_room=True, admitted=True)


def starving(
    waiting: Iterable[EntitledPod],
    targets: PreemptionTargets,
    now: int,
    *,
    paused: bool,
    refused: bool,
) -> Iterator[Starving]:
    """The pods that starve, the first of each quota.

    ``paused``: all evictions are. ``refused``: so were evictions of pods that are needed.
    """
    stopped = StarvedCause.PAUSED if paused else StarvedCause.BLOCKED if refused else None
    done: set[str] = set()
    for entitled in sorted(waiting, key=lambda each: (each.since, each.pod.uid)):
        if entitled.quota not in done and now >= entitled.ends:
            done.add(entitled.quota)
            yield _starving(entitled, targets, stopped)


def _starving(
    entitled: EntitledPod, targets: PreemptionTargets, stopped: StarvedCause | None
) -> Starving:
    if entitled.has_room:
        return Starving(entitled, StarvedCause.WITHOUT_NODE)
    if stopped is not None:
        return Starving(entitled, stopped)
    external, account = targets.tree.external_pods.evictable, targets.cluster.account
    staying = [pod for pod, quota in external.values() if pod.key not in account(quota).leaving]
    if staying:
        return Starving(entitled, StarvedCause.EXTERNAL_PODS, staying)
    snapshot = targets.snapshot
    _, *above = snapshot.places(entitled.quota)
    lacks = ((place.quota, snapshot.lack(place, entitled.pod.request)) for place in above)
    short = next(((quota, lack) for quota, lack in lacks if lack), None)
    fits = short is None and snapshot.will_fit(entitled.quota, entitled.pod)
    if entitled.on_its_way or fits:
        return Starving(entitled, StarvedCause.SLOW_END)
    young = short is not None and targets.is_young.youngest_in is not None
    cause = StarvedCause.YOUNG_PODS if young else StarvedCause.NOTHING_TO_TAKE
    return Starving(entitled, cause, short=short)
