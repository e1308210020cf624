"""Messages about pods: which quota, which figure, what is left, which position in the queue.

One line each, numbers in the user's units, the same form for the event and the pod's condition
(enforcement, Admit). A message has only figures that the decision used.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from elasticquota import names, pool_keys, quantity, resources
from elasticquota.ledger import node_fit
from elasticquota.ledger.infeasible import Infeasible
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.ledger.tree_nodes import TreeNodes
from elasticquota.model.decision import WaitReason
from elasticquota.model.pod import Pod
from elasticquota.model.verdict import Verdict
from elasticquota.model.workload import Counted, Workload
from elasticquota.resources import Resources
from elasticquota.scheduling.snapshot.tree_snapshot import Shortage, TreeSnapshot
from elasticquota.scheduling.snapshot.user_limits import Reached


WAITING_FOR_NODES: Final = "WaitingForNodes"
"""The reason of an admitted pod for which a node has yet to come."""

# A pod further back gets no message for every step of the queue.
_HEAD = 100


class Position(NamedTuple):
    """Place in the quota's queue, from 1."""

    place: int
    length: int

    def __str__(self) -> str:
        if self.place > _HEAD:
            return f"more than {_HEAD} pods are ahead of it"
        return f"position {self.place} of {self.length}"


class Message(NamedTuple):
    """Why a pod waits, without its position, which is known at the end of the cycle."""

    reason: WaitReason
    detail: str
    keys: tuple[str, ...]


def shortage(pod: Workload, short: Shortage) -> Message:
    """For a pod that lacks room."""
    key = short.keys[0]
    asked = _asked(pod, key)
    left = quantity.text(key, max(0, short.left.get(key, 0)))
    limit = _text(short.limit, key)
    match short.where:
        case "own":
            detail = f"{asked}, {left} of runtime {limit} left"
            return Message("QuotaExhausted", detail, short.keys)
        case "ancestor":
            detail = f"{asked}, {left} of runtime {limit} of quota {short.quota} left"
            return Message("AncestorExhausted", detail, short.keys)
        case "nodes":
            free = f"{left} left on the nodes of tree {short.quota}"
            detail = f"{asked} and within runtime, but {free} until more is freed"
            return Message("WaitingForReclaim", detail, short.keys)
        case "cooldown":
            detail = f"{asked} and free, but kept for a while for quota {short.quota}"
            return Message("WaitingForHeadroom", detail, short.keys)


def no_node(pod: Workload, why: Mapping[str, int]) -> Message:
    """For a pod with room in its quota; ``why`` counts nodes by what keeps it off."""
    few = why.get("", 0)
    free = ", ".join(
        f"{_text(pod.request, key)} {key}"
        for key in sorted(pod.request)
        if pod.request[key] > 0 and key != names.PODS and not pool_keys.is_reserved(key)
    )
    counts = Counter({each: count for each, count in why.items() if each and count})
    if few:
        counts[f"have less than {free} free" if free else "have no pod slot free"] = few
    which = "it" if isinstance(pod, Pod) else "all of it"
    detail = f"within its share, but of {sum(counts.values())} nodes none has room for {which} now"
    return Message("NoNodeFitsNow", f"{detail}: {node_fit.listed(counts)}", ())


def others_unbound() -> Message:
    """For a pod that may preempt and has room, unless unbound pods take it."""
    detail = (
        "has room, but pods that have no node yet may take it, and then it would preempt others"
    )
    return Message("NoNodeFitsNow", f"{detail}; goes when they are placed", ())


def many_without_node(tried: int) -> Message:
    """For a pod that was not tried in this cycle."""
    return Message("NoNodeFitsNow", f"{tried} pods ahead of it find no node with room now", ())


def limit_reached(pod: Workload, reached: Reached) -> Message:
    """For a pod whose user, group or applications are at a limit."""
    (quota, subject), key = reached.scope, reached.resource
    if key:
        held, most = quantity.text(key, reached.held), quantity.text(key, reached.most)
        detail = f"{_asked(pod, key)}, {subject} holds {held} of {most} in quota {quota}"
        if subject.kind == "all":
            which = f"{most} of {names.ADMISSION} of quota {quota}"
            detail = f"{_asked(pod, key)}, {held} of the {which} held"
        return Message("LimitReached", detail, (key,))
    named = pod.holder.application
    which = f"application {named}" if named else f"the application of {pod.key.namespace}"
    run = f"{reached.held} of {reached.most} applications"
    whose = "run" if subject.kind == "all" else f"of {subject} run"
    return Message("LimitReached", f"{which} waits, {run} {whose} in quota {quota}", ())


def max_exhausted(
    pod: Workload, keys: tuple[str, ...], limit: Resources, left: Resources
) -> Message:
    """For a pod for which the max of its quota has no room."""
    key = keys[0]
    detail = f"{_asked(pod, key)}, {_text(left, key)} of max {_text(limit, key)} left"
    return Message("QuotaExhausted", detail, keys)


def non_preemptible(pod: Workload, keys: tuple[str, ...]) -> Message:
    """For a pod that is not preemptible and would exceed the guarantee."""
    detail = f"{_asked(pod, keys[0])}, but non-preemptible pods may hold no more than min"
    return Message("QuotaExhausted", detail, keys)


def behind(head: Workload, why: str) -> Message:
    """For a pod behind ``head``, which blocks it."""
    return Message("WaitingInLine", f"{head.title} goes first, because {why}", ())


def other_gates(pod: Counted) -> Message:
    """For a pod with gates of other controllers."""
    others = ", ".join(gate for gate in pod.gates if gate != names.GATE)
    return Message("WaitingForOtherGates", f"ours goes last, and it still has {others}", ())


def mate_gated(mate: Pod) -> Message:
    """For a pod whose group has a pod with a gate of another controller."""
    others = ", ".join(gate for gate in mate.gates if gate != names.GATE)
    return Message("WaitingForGroup", f"pod {mate.key} of its group still has {others}", ())


def surplus_of_group(pod: Pod, size: int) -> Message:
    """For a pod that its group can start without."""
    name = pod.group.name if pod.group else ""
    return Message("WaitingForGroup", f"{size} other pods of group {name} start first", ())


def outside_queue(quota: str, tree: TreeBooks, message: Message) -> str:
    """The whole message of a pod that waits outside the queue."""
    return f"{_head(quota, tree)}: {message.reason}: {message.detail}"


def waits(quota: str, tree: TreeBooks, message: Message, position: Position) -> str:
    """The whole message of a pod in the queue."""
    sentence = f"{_head(quota, tree)}: {message.reason}: {message.detail}; {position}"
    return (
        f"{sentence}; exceedDimensions: [{', '.join(message.keys)}]" if message.keys else sentence
    )


def not_accepted(quota: str, verdict: Verdict) -> str:
    """For a pod whose quota is not accepted."""
    return f"quota {quota}: QuotaNotAccepted: {verdict.reason}: {verdict.message}"


def infeasible(quota: str, tree: TreeBooks, found: Infeasible) -> str:
    """For a pod that can never be admitted as things stand."""
    return f"{_head(quota, tree)}: {found.reason}: {found.message}"


def stray(found: Infeasible) -> str:
    """For a pod that belongs to no quota."""
    return f"no quota: {found.reason}: {found.message}"


def admitted(quota: str, tree: TreeBooks, pod: Workload, snapshot: TreeSnapshot) -> str:
    """After the release: what the quota uses now of its runtime, in the pod's resources."""
    runtime = tree.runtimes.runtime(quota)
    held = snapshot.admitted(quota)
    figures = [
        f"{key} {_text(held, key)} of {_text(runtime, key)}"
        for key in sorted(pod.request)
        if key in runtime
    ]
    text = f"{_head(quota, tree)}: admitted, the quota now holds {', '.join(figures)}"
    nodes = snapshot.nodes.growth
    if nodes is not None and any(map(snapshot.nodes.waits_for_node, pod.pods)):
        return f"{text}; {WAITING_FOR_NODES}: {growth(nodes, pod.request)}"
    return text


def growth(nodes: TreeNodes, request: Resources) -> str:
    """How far an elastic tree has grown, in the resources of ``request`` that may grow."""
    named = [key for key in sorted(request) if key in nodes.mode.max and request[key] > 0]
    figures = [
        f"{_text(nodes.present, key)} of at most {_text(nodes.total, key)} {key}" for key in named
    ]
    return f"waiting for nodes ({', '.join(figures)})"


def reclaimed_for(
    quota: str, tree: TreeBooks, over: Resources, held: Resources, owner: str, due: str
) -> str:
    """For a victim whose room ``owner`` waits for; ``due`` is what it is entitled to."""
    return f"{_over(quota, tree, over, held)}; quota {owner} waits for its {due}"


def cleared(quota: str, tree: TreeBooks, over: Resources, node: str, owner: str, due: str) -> str:
    """For a victim whose node a pod of ``owner`` needs; ``over`` is over its quota's min."""
    held = amounts(over)
    return (
        f"{_head(quota, tree)}: holds {held} beyond its min; quota {owner} waits for its {due} on "
        f"node {node}"
    )


def external_pod(tree: TreeBooks, node: str, owner: str) -> str:
    """For a victim of no quota of the tree, on one of its nodes."""
    return (
        f"tree {tree.tree.root}: the pod is of no quota of the tree that has node {node}; quota "
        f"{owner} waits for its min there"
    )


def external_pods(found: Collection[Pod]) -> str:
    """For a quota that starves although pods of no quota are evicted for it."""
    spaces = Counter(pod.key.namespace for pod in found)
    namespace, count = min(spaces.items(), key=lambda each: (-each[1], each[0]))
    held = resources.add(*(pod.request for pod in found))
    held.pop(names.PODS, None)
    return (
        f"{len(found)} pods of no quota of the tree hold {amounts(held)} of its nodes, "
        f"{count} of them of namespace {namespace}, and are replaced when they are "
        f"evicted: bind the namespace to a quota, taint the nodes, or give quota "
        f"{names.DEFAULT_QUOTA} a max"
    )


def reclaimed(quota: str, tree: TreeBooks, over: Resources, held: Resources) -> str:
    """For a victim of usage beyond max that lasted longer than the delay."""
    return f"{_over(quota, tree, over, held)} for longer than the reclaim delay"


def gave_up(quota: str, tree: TreeBooks, by: Workload) -> str:
    """For a victim that no node has taken for too long."""
    return f"{_head(quota, tree)}: no node takes it, and {by.title} of its quota needs its place"


def preempted(quota: str, tree: TreeBooks, by: Workload) -> str:
    """For a victim of its own quota."""
    return f"{_head(quota, tree)}: {by.title} of priority {by.priority} takes its place"


def amounts(found: Resources) -> str:
    """``2 cpu, 4Gi memory``."""
    return ", ".join(f"{amount} {key}" for key, amount in resources.text(found).items())


def _over(quota: str, tree: TreeBooks, over: Resources, held: Resources) -> str:
    runtime = tree.runtimes.own_runtime(quota)
    figures = [f"{_text(held, key)} {key} of runtime {_text(runtime, key)}" for key in sorted(over)]
    return f"{_head(quota, tree)}: holds {', '.join(figures)}"


def _head(quota: str, tree: TreeBooks) -> str:
    return f"quota {quota} (tree {tree.tree.root})"


def _asked(workload: Workload, key: str) -> str:
    asked = f"{_text(workload.request, key)} {pool_keys.title(key)} asked"
    return asked if isinstance(workload, Pod) else f"{asked} by {workload.title}"


def _text(amounts: Resources, key: str) -> str:
    return quantity.text(key, amounts.get(key, 0))
