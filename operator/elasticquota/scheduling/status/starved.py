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

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from elasticquota import names, resources
from elasticquota.forest import wording
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.model.decision import Condition
from elasticquota.model.pod import Pod
from elasticquota.model.refusal import Refusal
from elasticquota.model.workload import Workload
from elasticquota.scheduling.admission.admit import Admission
from elasticquota.scheduling.evictions import in_flight
from elasticquota.scheduling.policy import Policy
from elasticquota.scheduling.preemption import reclaim
from elasticquota.scheduling.preemption.targets import PreemptionTargets
from elasticquota.scheduling.status import amounts_text, messages
from elasticquota.structs import Struct


class Cause(StrEnum):
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
    held: str = ""
    """Why it has no node, if no eviction would help."""


class Obstacles(Struct, frozen=True):
    """What prevents reclaim in this cycle."""

    paused: bool = False
    refusals: Sequence[Refusal] = ()
    """Of pods that are needed."""
    young: bool = False
    """Pods that could go were spared for being young."""


def entitled_pods(
    admission: Admission, targets: PreemptionTargets, before: Mapping[str, int]
) -> list[EntitledPod]:
    """The entitled pods at the end of a cycle; ``before`` is since when, by uid.

    A pod whose room is on its way is entitled, too: the room may never come free. A pod that lacks
    runtime of its own quota is not entitled; its queue may be inadmissible.
    """
    return [
        *_waiting(admission, targets, before),
        *_admitted(targets),
    ]


def _waiting(
    admission: Admission, targets: PreemptionTargets, before: Mapping[str, int]
) -> Iterator[EntitledPod]:
    """Those that lack room, and those whose room is on its way."""
    blocked = {pod.uid for _, pod in admission.blocked}
    uids = before.keys() | {pod.uid for _, pod in admission.first_blocked} | admission.kept()
    unbound = messages.others_unbound()
    guarantees = targets.snapshot.guarantees
    for name, pod, message, kept in admission.waiting(uids):
        on_its_way = kept or pod.uid in targets.nominated
        for each in targets.snapshot.variants(name, pod):
            by = guarantees.nearest(name, each, counted=on_its_way)
            if (by or pod.uid in before) if on_its_way else by and pod.uid in blocked:
                held = f"it {message.detail}" if message == unbound else ""
                yield EntitledPod(name, each, by, on_its_way, held)
                break


def _admitted(targets: PreemptionTargets) -> Iterator[EntitledPod]:
    """The oldest one of each quota that no node has taken.

    In an elastic tree a node is expected for it until it has waited for too long.
    """
    cluster, here = targets.cluster, targets.tree.tree.children
    found: dict[str, list[Pod]] = {}
    if not cluster.is_elastic(targets.tree.tree.id):
        for pod, quota in cluster.unplaced.values():
            if quota in here:
                found.setdefault(quota, []).append(pod)
    for quota in cluster.stuck & here.keys():
        found.setdefault(quota, []).extend(cluster.account(quota).stuck.values())
    for quota, pods in sorted(found.items()):
        first = targets.snapshot.guarantees.first_without_node(quota, pods)
        if first is not None:
            pod, by = first
            yield EntitledPod(quota, pod, by, held=_not_placed(pod))


def _not_placed(pod: Pod) -> str:
    if pod.refused:
        why = "the scheduler finds no node for it: its condition PodScheduled says why"
    elif pod.scheduler != names.STOCK_SCHEDULER:
        why = "its scheduler (schedulerName) has not placed it"
    else:
        why = "the scheduler has not placed it"
    return f"it is admitted, and {why}"


def due(since: int, owner: str, cluster: ClusterSnapshot, policy: Policy) -> int:
    """When a pod of ``owner`` that waits since then starves (same clock)."""
    targets = min(policy.delay, policy.accounting.max_grace)
    return since + reclaim.grace(cluster, owner, policy) + targets


def conditions(
    waiting: Iterable[EntitledPod],
    since: Mapping[str, int],
    targets: PreemptionTargets,
    obstacles: Obstacles,
    policy: Policy,
    now: int,
) -> Iterator[tuple[str, Condition]]:
    """The conditions by quota, one for each; ``since`` is by uid."""
    done: set[str] = set()
    for entitled in sorted(
        waiting, key=lambda entitled: (since[entitled.pod.uid], entitled.pod.uid)
    ):
        began = since[entitled.pod.uid]
        ends = due(began, entitled.quota, targets.cluster, policy)
        if entitled.quota in done or now < ends:
            continue
        done.add(entitled.quota)
        cause, why = _cause(entitled, targets, obstacles)
        seconds = (ends - began) // 1000
        of = "its quota" if entitled.by == entitled.quota else f"quota {entitled.by}"
        guarantee = f"the guarantee of {of}" if entitled.by else "a guarantee"
        text = (
            f"{entitled.pod.title} is within {guarantee} and waits for longer than {seconds} s: "
            f"{why}"
        )
        yield entitled.quota, Condition("Starved", True, cause.value, text)


def _cause(
    entitled: EntitledPod, targets: PreemptionTargets, obstacles: Obstacles
) -> tuple[Cause, str]:
    if entitled.held:
        return Cause.WITHOUT_NODE, entitled.held
    if obstacles.paused:
        return Cause.PAUSED, "reclaim.paused stops all evictions"
    if obstacles.refusals:
        return Cause.BLOCKED, in_flight.kept_by(obstacles.refusals)
    if external_pods := targets.external_pods_staying():
        return Cause.EXTERNAL_PODS, _external_pods(external_pods)
    return _cause_in_tree(entitled, targets, obstacles)


def _cause_in_tree(
    entitled: EntitledPod, targets: PreemptionTargets, obstacles: Obstacles
) -> tuple[Cause, str]:
    snapshot, root = targets.snapshot, targets.tree.tree.root
    _, *above = snapshot.places(entitled.quota)
    lacks = ((place.quota, snapshot.lack(place, entitled.pod.request)) for place in above)
    short = next(((quota, lack) for quota, lack in lacks if lack), None)
    fits = short is None and snapshot.will_fit(entitled.quota, entitled.pod)
    if entitled.on_its_way or fits:
        return Cause.SLOW_END, "the pods that give it their room are asked to go, and not gone yet"
    if short is None:
        return (
            Cause.NOTHING_TO_TAKE,
            "no node that it may use has room, and no pod there may be evicted for it",
        )
    if obstacles.young:
        return Cause.YOUNG_PODS, "pods that could go run for less than reclaim.minRuntimeSeconds"
    quota, lack = short
    missing = (
        f"{amounts_text.listed(lack)} missing in {'tree' if quota == root else 'quota'} {quota}"
    )
    return (
        Cause.NOTHING_TO_TAKE,
        f"{missing}, and no pod of a quota above its share there may be evicted",
    )


def _external_pods(found: Collection[Pod]) -> str:
    """Which they are, for a quota that starves although they are evicted for it."""
    spaces = Counter(pod.key.namespace for pod in found)
    namespace, count = min(spaces.items(), key=lambda each: (-each[1], each[0]))
    held = resources.add(*(pod.request for pod in found))
    held.pop(names.PODS, None)
    pods = f"{wording.counted(len(found), 'pod')} of no quota of the tree"
    pods = f"{pods} {wording.agreed(len(found), 'hold')} {amounts_text.listed(held)} of its nodes"
    if len(found) == 1:
        again = f"belongs to namespace {namespace}, and is replaced when it is evicted"
    else:
        again = f"{count} of them of namespace {namespace}, and are replaced when they are evicted"
    return (
        f"{pods}, {again}: bind the namespace to a quota, taint the nodes, or give quota "
        f"{names.DEFAULT_QUOTA} a max"
    )
