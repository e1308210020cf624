"""Starved: a pod within its quota's min waits for longer than reclaim should take, and why.

Reclaim takes the grace, and the time in which one set of victims may terminate
(``maxGraceSeconds``, or the delay if that is less). A pod that waits for longer needs an
administrator: to resume reclaim, to change a disruption budget, to end a pod that does not end, to
add nodes, or to keep off pods of no quota that return. The clock runs for a pod, not for its quota,
so a quota whose pods come and are admitted one after the other never starves; and it runs on while
victims do not leave.
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
from elasticquota.resources import Resources
from elasticquota.scheduling.admission.admit import Admission
from elasticquota.scheduling.policy import Policy
from elasticquota.scheduling.preemption import in_flight, reclaim
from elasticquota.scheduling.preemption.targets import PreemptionTargets
from elasticquota.scheduling.snapshot.usage_tree import Place
from elasticquota.scheduling.status import amounts_text
from elasticquota.structs import Struct


class Cause(StrEnum):
    """The reasons of the condition, a part of the API."""

    PAUSED = "EvictionsPaused"
    BLOCKED = "ReclaimBlocked"
    EXTERNAL_PODS = "StrangersHoldNodes"
    NOTHING_TO_TAKE = "NothingToTake"
    SLOW_END = "PodsEndSlowly"
    YOUNG_PODS = "PodsAreYoung"


class EntitledPod(NamedTuple):
    """A waiting pod within the min of its quota."""

    quota: str
    pod: Workload
    on_its_way: bool
    """Whether its room is."""


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
    blocked = {pod.uid for _, pod in admission.blocked}
    uids = before.keys() | {pod.uid for _, pod in admission.first_blocked} | admission.kept()
    found: list[EntitledPod] = []
    for name, pod, kept in admission.waiting(uids):
        on_its_way = kept or pod.uid in targets.nominated
        own = targets.snapshot.places(name)[0]
        if (
            (pod.uid in before or targets.snapshot.guarantees.holds_within_min(name, pod))
            if on_its_way
            else pod.uid in blocked
            and not targets.snapshot.lack(own, pod.request)
            and targets.snapshot.guarantees.entitled(name, pod)
        ):
            found.append(EntitledPod(name, pod, on_its_way))
    return found


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
        text = (
            f"{entitled.pod.title} is within the guarantee of its quota and waits for longer than "
            f"{seconds} s: {why}"
        )
        yield entitled.quota, Condition("Starved", True, cause.value, text)


def _cause(
    entitled: EntitledPod, targets: PreemptionTargets, obstacles: Obstacles
) -> tuple[Cause, str]:
    if obstacles.paused:
        return Cause.PAUSED, "reclaim.paused stops all evictions"
    snapshot, request = targets.snapshot, entitled.pod.request
    _, *above = snapshot.places(entitled.quota)
    if obstacles.refusals:
        return Cause.BLOCKED, in_flight.kept_by(obstacles.refusals)
    short = [(place, lack) for place in above if (lack := snapshot.lack(place, request))]
    if external_pods := targets.external_pods_staying():
        return Cause.EXTERNAL_PODS, _external_pods(external_pods)
    return _cause_in_tree(entitled, short, targets, obstacles)


def _cause_in_tree(
    entitled: EntitledPod,
    short: Sequence[tuple[Place, Resources]],
    targets: PreemptionTargets,
    obstacles: Obstacles,
) -> tuple[Cause, str]:
    """``short`` are the places above its quota that lack something, and what."""
    snapshot, root = targets.snapshot, targets.tree.tree.root
    if not (entitled.on_its_way or short) and not snapshot.will_fit(entitled.quota, entitled.pod):
        return (
            Cause.NOTHING_TO_TAKE,
            "no node that it may use has room, and no pod there may be evicted for it",
        )
    if entitled.on_its_way or not short:
        return Cause.SLOW_END, "the pods that give it their room are asked to go, and not gone yet"
    if obstacles.young:
        return Cause.YOUNG_PODS, "pods that could go run for less than reclaim.minRuntimeSeconds"
    place, lack = short[0]
    where = f"tree {root}" if place.quota == root else f"quota {place.quota}"
    missing = f"{amounts_text.listed(lack)} missing in {where}"
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
