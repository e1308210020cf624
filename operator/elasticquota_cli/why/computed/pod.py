"""Explains one pod: its quota, and what the controller decides about it and why."""

from collections.abc import Iterator
from typing import Final

from elasticquota import names, resources
from elasticquota.forest.membership import NO_QUOTA
from elasticquota.forest.structure import Forest
from elasticquota.ledger.nodes.tree_nodes import NONE
from elasticquota.model.decision import Eviction, Wait
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.quota import Quota
from elasticquota.model.wait_reason import WaitReason
from elasticquota.model.workload import Counted
from elasticquota.status import without_node
from elasticquota.structs import replace
from elasticquota_cli.failures.failure import Failure
from elasticquota_cli.why.computed import edits, membership, observed, path, reclaimable
from elasticquota_cli.why.computed.moment import Inputs, Moment
from elasticquota_cli.why.parts import message_text, report, rows
from elasticquota_cli.why.parts.known import Explained
from elasticquota_cli.why.parts.message_text import Sentence
from elasticquota_cli.why.parts.outline import PodState, absent_among, outline, present, unlimited


_OF_AUTOSCALERS: Final[tuple[WaitReason, ...]] = ("WaitingForProvisioning", "ProvisioningRefused")
"""Reasons that no sum shows: the quota admits the pod, and only the controller knows the answer."""


def explain(inputs: Inputs, moment: Moment, key: Key) -> Explained:
    """Explain the pod, or queued job; raises `Failure` when it does not exist."""
    if key in inputs.past:
        ended, why = inputs.past[key]
        home = membership.of(ended, moment.cluster.members)
        return Explained(outline(ended, home, PodState("Finished", why)), ())
    stored = inputs.ledger.counted(key)
    if stored is None:
        absent = absent_among(key, [*inputs.ledger.pods, *inputs.past])
        raise Failure("\n".join([absent, *(note for note in inputs.notes if key.name in note)]))
    pod = moment.sized(stored)
    home, forest = membership.of(pod, moment.cluster.members), moment.cluster.forest
    wait = moment.wait_of(pod)
    steps = path.of(moment, home.quota, pod, waits=pod.gated)
    stated = written(pod) if pod.gated else None
    said = PodState("Waiting", stated.text) if stated else _now(moment, pod, home.quota, wait)
    answer = replace(
        outline(pod, home, said),
        tree=_tree(moment, home.quota),
        verdict=verdict(forest, forest.quotas.get(home.quota)),
        path=[rows.step_of(step) for step in steps],
    )
    if stated:
        answer = replace(answer, reason=stated.reason, line=stated.line)
    if wait is not None:
        answer = replace(
            answer,
            reason=answer.reason or wait.reason,
            line=answer.line or _line(moment, wait),
            edits=list(edits.of(moment, wait, pod, steps)),
            evictions=[eviction_of(gone) for gone in _for_it(moment, home.quota, pod)],
        )
    elif not pod.gated and said.state != "Unlimited":
        answer = replace(answer, reclaim=reclaimable.of(moment, home.quota, pod))
    notes = [
        *observed.notes(moment, home.quota, pod),
        *_notes(moment, inputs, pod, home.quota, wait),
    ]
    return Explained(answer, notes)


def eviction_of(found: Eviction) -> report.EvictionRow:
    """The eviction for the report, with quantities."""
    return report.EvictionRow(
        namespace=found.pod.namespace,
        name=found.pod.name,
        quota=found.quota,
        request=resources.text(found.request),
        message=found.message,
    )


def verdict(forest: Forest, quota: Quota | None) -> report.VerdictRow | None:
    """The verdict on the quota; None for a built-in quota, which has none."""
    found = forest.verdicts.get(quota.key) if quota else None
    return report.VerdictRow(found.accepted, found.reason, found.message) if found else None


def _now(moment: Moment, pod: Counted, quota: str, wait: Wait | None) -> PodState:
    """State and message by the decisions on the objects as they are."""
    if wait is not None:
        return PodState("Waiting", wait.stated)
    if not pod.gated:
        if quota in (NO_QUOTA, names.SYSTEM_QUOTA):
            return unlimited(quota)
        return _without_node(moment, pod, quota) or present(pod)
    if moment.releases(pod):
        return _fits(moment, quota)
    others = ", ".join(gate for gate in pod.gates if gate != names.GATE)
    if others:
        return PodState("Waiting", f"our gate is removed last, and it still has {others}")
    return PodState("Waiting", "it or its namespace is being deleted: it is not admitted any more")


def written(pod: Counted) -> Sentence | None:
    """Why the pod waits as the controller has written it; None: it has written no reason."""
    last = message_text.read(pod.waiting_message) if isinstance(pod, Pod) else None
    return last if last and last.reason else None


def _fits(moment: Moment, quota: str) -> PodState:
    observes = moment.cluster.forest.observes(quota)
    why = "its tree only observes" if observes else "it fits at every step of its path"
    return PodState("Fits", f"{why}: the controller admits it now")


def _without_node(moment: Moment, pod: Counted, quota: str) -> PodState | None:
    """State and message of an admitted pod for which a node has yet to come."""
    cluster = moment.cluster
    nodes = cluster.nodes_by_tree.get(cluster.forest.tree_of.get(quota, "-"), NONE)
    if not isinstance(pod, Pod) or pod.bound or pod.deleting or nodes.to_come is None:
        return None
    if pod.key in cluster.account(quota).stuck:
        seconds = cluster.timeout_in(cluster.forest.tree_of.get(quota)) // 1000
        return PodState(
            "Admitted",
            f"it is admitted, and no node came for it within {seconds} s, so others have its room "
            f"until it has a node; still {without_node.growth(nodes, pod.request)}",
        )
    return PodState(
        "Admitted", f"it is admitted; {without_node.waits_for_nodes(nodes, pod.request)}"
    )


def _tree(moment: Moment, quota: str) -> str:
    forest = moment.cluster.forest
    return forest.trees[forest.tree_of[quota]].root if quota in forest.tree_of else ""


def _line(moment: Moment, wait: Wait) -> report.QueuePlace | None:
    """Its place; the pods of a gang have one place, so the last place is the length."""
    if not wait.place:
        return None
    last = max(other.place for other in moment.now.waits if other.quota == wait.quota)
    return report.QueuePlace(wait.place, last)


def _for_it(moment: Moment, quota: str, pod: Counted) -> Iterator[Eviction]:
    """Evictions that give its quota its share, or that give this pod the room of a victim."""
    yield from moment.given_to(quota)
    yield from (
        gone for gone in moment.coming if gone.right == "priority" and gone.preemptor == pod.title
    )


def _notes(
    moment: Moment, inputs: Inputs, pod: Counted, quota: str, wait: Wait | None
) -> Iterator[str]:
    yield from inputs.notes
    if isinstance(pod, Pod):
        yield from (f"the pod's {fault}" for fault in pod.faults)
    if moment.policy.paused:
        yield "evictions are paused by the configuration"
    last = pod.waiting_message if isinstance(pod, Pod) else ""
    if not pod.gated or not last:
        return
    now, said = _now(moment, pod, quota, wait).message, message_text.read(last)
    if not said.reason and wait is not None:
        yield f"the last message of the controller on the pod: {last}"
    elif said.reason not in ("", *_OF_AUTOSCALERS) and said.text != now:
        yield f"by the objects as they are now: {now}"
