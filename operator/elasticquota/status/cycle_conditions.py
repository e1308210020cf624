"""The conditions of quotas that say what a cycle did: why pods leave, stay or starve.

``Reclaiming`` says for which quota the pods leave, and how much they free. It is true from the
decision until the last victim is gone. ``ReclaimBlocked`` is true from the first refusal until the
pod is gone, or until its back-off ends and it is not needed. A refused eviction that is tried again
counts as ``Reclaiming`` only when the pod terminates: the conditions do not flap while a disruption
budget refuses. Preemption inside a quota sets no condition: only its victims get a message.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Final

from elasticquota import names, resources
from elasticquota.forest import wording
from elasticquota.forest.membership import NO_QUOTA
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.clocks import InFlightEviction
from elasticquota.model.decision import Condition
from elasticquota.model.pod import Pod
from elasticquota.model.refusal import Refusal
from elasticquota.model.workload import Workload
from elasticquota.scheduling.cycle import TreeDecision
from elasticquota.scheduling.evictions.breaker import BreakerState
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.scheduling.snapshot.reasons import OthersUnbound
from elasticquota.scheduling.starved import StarvedCause, Starving
from elasticquota.status import amounts_text, messages, without_node


_SHOWN: Final = 3
_UNBOUND: Final = f"it {messages.of(OthersUnbound()).detail}"
_STARVED: Final[Mapping[StarvedCause, str]] = {
    StarvedCause.PAUSED: "reclaim.paused stops all evictions",
    StarvedCause.SLOW_END: "the pods that give it their room are asked to go, and not gone yet",
    StarvedCause.YOUNG_PODS: "pods that could go run for less than reclaim.minRuntimeSeconds",
    StarvedCause.NOTHING_TO_TAKE: (
        "no node that it may use has room, and no pod there may be evicted for it"
    ),
}


def of(
    decided: TreeDecision, ledger: Ledger, cluster: ClusterSnapshot, policy: Policy
) -> Iterator[tuple[str, Condition]]:
    """Pairs of quota and condition of one tree."""
    root = decided.tree.tree.root
    if decided.breaker.until is not None:
        yield root, _held(decided.breaker, policy)
    moving = [
        each
        for uid, each in decided.clocks.in_flight.items()
        if uid not in ledger.refused and each.quota not in (each.owner, NO_QUOTA)
    ]
    moving.sort(key=attrgetter("quota", "owner"))
    for quota, of_quota in groupby(moving, key=attrgetter("quota")):
        yield quota, _reclaiming(list(of_quota), policy.accounting.max_grace)
    refusals = [refusal for refusal in decided.refusals if refusal.quota != NO_QUOTA]
    refusals.sort(key=attrgetter("quota"))
    for quota, its in groupby(refusals, key=lambda refusal: refusal.quota):
        yield quota, _blocked(list(its))
    for starving in decided.starving:
        yield starving.entitled.quota, _starved(starving, decided.refusals, root)
    if not decided.observed:
        yield from without_node.waiting(cluster, decided.tree)


def _held(breaker: BreakerState, policy: Policy) -> Condition:
    """Of the root quota while evictions are held."""
    if breaker.many is None:
        why = f"its nodes offered over {policy.brake_percent}% more a moment ago"
    else:
        why = "{} of {} admitted pods would go at once".format(*breaker.many)
    text = f"no pod is evicted for some seconds: {why}; reclaim.brakePercent sets the limit"
    return Condition("EvictionsHeld", True, "Brake", text)


def _reclaiming(found: Sequence[InFlightEviction], most: int) -> Condition:
    """``found`` is sorted by owner."""
    parts: list[str] = []
    for owner, its in groupby(found, key=attrgetter("owner")):
        shown = amounts_text.released(each.released for each in its)
        parts.append(f"{shown} {f'for quota {owner}' if owner else 'beyond its limits'}")
    reason = "OwnerWaits" if any(each.owner for each in found) else "BeyondLimits"
    text = f"{' and '.join(parts)} will be freed {amounts_text.in_at_most(most)}"
    return Condition("Reclaiming", True, reason, text)


def _blocked(found: Collection[Refusal]) -> Condition:
    owners = sorted({refusal.owner for refusal in found if refusal.owner})
    blockers = {refusal.blocker for refusal in found}
    reason = "DisruptionBudget" if blockers == {"DisruptionBudget"} else max(blockers)
    text = f"pods that should go stay: {_kept_by(found)}"
    if owners:
        text += f"; quota {', '.join(owners)} waits"
    return Condition("ReclaimBlocked", True, reason, text)


def _kept_by(refusals: Iterable[Refusal]) -> str:
    """What keeps the pods, each reason once."""
    return wording.listed(sorted(set(map(why_kept, refusals))), "; ", _SHOWN)


def why_kept(refusal: Refusal) -> str:
    """Why the pod of a refused eviction is still there."""
    pod, budget, seconds = refusal.pod, refusal.budget, refusal.seconds
    match refusal.blocker:
        case "DisruptionBudget":
            which = f"disruption budget {pod.namespace}/{budget}"
            which = which if budget else f"a disruption budget in {pod.namespace}"
            most = f", and for {seconds} s at most" if seconds else ""
            return f"{which} protects them for now{most}"
        case "SeveralBudgets":
            which = f" ({budget})" if budget else ""
            text = f"several disruption budgets{which} match pod {pod}"
            later = f"; it is deleted after {seconds} s" if seconds else ""
            return f"{text}, so it cannot be evicted until they are changed{later}"
        case "ApiServer":
            return f"the API server refuses to evict pod {pod}; its events say why"


def _starved(found: Starving, refusals: Sequence[Refusal], root: str) -> Condition:
    entitled = found.entitled
    of = "its quota" if entitled.by == entitled.quota else f"quota {entitled.by}"
    guarantee = f"the guarantee of {of}" if entitled.by else "a guarantee"
    seconds, why = (entitled.ends - entitled.since) // 1000, _why_starved(found, refusals, root)
    text = (
        f"{entitled.pod.title} is within {guarantee} and waits for longer than {seconds} s: {why}"
    )
    return Condition("Starved", True, found.cause.value, text)


def _why_starved(starving: Starving, refusals: Sequence[Refusal], root: str) -> str:
    match starving.cause:
        case StarvedCause.WITHOUT_NODE:
            admitted = starving.entitled.admitted
            return _not_placed(starving.entitled.pod) if admitted else _UNBOUND
        case StarvedCause.BLOCKED:
            return _kept_by(refusals)
        case StarvedCause.EXTERNAL_PODS:
            return _external_pods(starving.external)
        case StarvedCause.NOTHING_TO_TAKE if starving.short is not None:
            quota, lack = starving.short
            where = "tree" if quota == root else "quota"
            return (
                f"{wording.amounts(lack)} missing in {where} {quota}, and no pod of a quota "
                "above its share there may be evicted"
            )
    return _STARVED[starving.cause]


def _not_placed(workload: Workload) -> str:
    if isinstance(workload, Pod) and workload.refused:
        why = "the scheduler finds no node for it: its condition PodScheduled says why"
    elif isinstance(workload, Pod) and workload.scheduler != names.STOCK_SCHEDULER:
        why = "its scheduler (schedulerName) has not placed it"
    else:
        why = "the scheduler has not placed it"
    return f"it is admitted, and {why}"


def _external_pods(external: Collection[Pod]) -> str:
    """Which they are, for a quota that starves although they are evicted for it."""
    spaces = Counter(pod.key.namespace for pod in external)
    namespace, count = min(spaces.items(), key=lambda each: (-each[1], each[0]))
    held = resources.add(*(pod.request for pod in external))
    held.pop(names.PODS, None)
    pods = f"{wording.counted(len(external), 'pod')} of no quota of the tree"
    pods = f"{pods} {wording.agreed(len(external), 'hold')} {wording.amounts(held)} of its nodes"
    if len(external) == 1:
        again = f"belongs to namespace {namespace}, and is replaced when it is evicted"
    else:
        again = f"{count} of them of namespace {namespace}, and are replaced when they are evicted"
    return (
        f"{pods}, {again}: bind the namespace to a quota, taint the nodes, or give quota "
        f"{names.DEFAULT_QUOTA} a max"
    )
