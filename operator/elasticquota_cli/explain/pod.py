"""Explains one pod: its quota, and what the controller decides about it and why."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from elasticquota import names, quantity, resources
from elasticquota.forest.membership import NO_QUOTA
from elasticquota.forest.structure import Forest
from elasticquota.ledger.nodes.tree_nodes import NONE
from elasticquota.model import reason_code
from elasticquota.model.decision import Eviction, Wait
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.quota import Quota
from elasticquota.model.wait_reason import WaitReason
from elasticquota.model.workload import Counted, QueuedJob
from elasticquota.scheduling.status import amounts_text, pod_messages
from elasticquota.wire.codec import figures
from elasticquota_cli import nearest
from elasticquota_cli.explain import membership, observed, path, reclaimable, remedy, report
from elasticquota_cli.explain.moment import Inputs, Moment
from elasticquota_cli.explain.path import Step
from elasticquota_cli.failure import Failure


_OF_AUTOSCALERS: Final[tuple[WaitReason, ...]] = ("WaitingForProvisioning", "ProvisioningRefused")
"""Reasons that no sum shows: the quota admits the pod, and only the controller knows the answer."""


class _Said(NamedTuple):
    state: report.State
    message: str


def explain(inputs: Inputs, moment: Moment, key: Key) -> report.PodExplanation:
    """Explain the pod, or queued job; raises `Failure` when it does not exist."""
    if key in inputs.past:
        ended, why = inputs.past[key]
        return outline(ended, membership.of(ended, moment.cluster.members), "Finished", why)
    stored = inputs.ledger.counted(key)
    if stored is None:
        absent = absent_among(key, [*inputs.ledger.pods, *inputs.past])
        raise Failure("\n".join([absent, *(note for note in inputs.notes if key.name in note)]))
    pod = moment.sized(stored)
    home, forest = membership.of(pod, moment.cluster.members), moment.cluster.forest
    wait = moment.wait_of(pod)
    waits = pod.gated
    steps = path.of(moment, home.quota, pod, waits=waits)
    said = _said(moment, pod, home.quota, wait)
    found = outline(pod, home, said.state, said.message)
    found.tree = _tree(moment, home.quota)
    found.verdict = verdict(forest, forest.quotas.get(home.quota))
    found.path = [step_of(step) for step in steps]
    found.notes = [*observed.notes(moment, home.quota, pod), *_notes(moment, inputs, pod, wait)]
    if wait is not None:
        found.reason = wait.reason
        found.line = _line(moment, wait)
        found.remedies = list(remedy.of(moment, wait, pod, steps))
        found.evictions = [eviction_of(gone) for gone in _for_it(moment, home.quota, pod)]
    elif not waits and said.state != "Unlimited":
        found.reclaim = reclaimable.of(moment, home.quota, pod)
    return found


def outline(
    pod: Counted, home: membership.Belonging, state: report.State, message: str
) -> report.PodExplanation:
    """The explanation of a pod without any decision."""
    return report.PodExplanation(
        api_version=report.API_VERSION,
        basis="computed",
        namespace=pod.key.namespace,
        name=pod.key.name,
        state=state,
        message=message,
        quota=home.quota,
        tree="",
        rule=home.rule,
        rule_message=home.why,
        request=resources.text(pod.request),
        priority=pod.priority,
        job=pod.name if isinstance(pod, QueuedJob) else "",
    )


def present(pod: Counted) -> _Said:
    """State and message of a pod that our gate does not hold, or of an admitted job."""
    if isinstance(pod, QueuedJob):
        return _present_job(pod)
    if pod.deleting:
        return _Said("Terminating", "it is being deleted, and counts until it is gone")
    if not pod.bound:
        return _Said("Admitted", "it is admitted, and has no node yet")
    since = f" since {pod.started}" if pod.started else ""
    return _Said("Running", f"it is admitted, and on node {pod.node_name}{since}")


def _present_job(job: QueuedJob) -> _Said:
    if job.deleting:
        return _Said("Terminating", "it was suspended, and its pods count until they are gone")
    return _Said("Admitted", "it is admitted as a whole, and reserves what its pods do not use yet")


def step_of(step: Step) -> report.Step:
    """The sum for the report, as quantities."""
    high = step.max
    if high is not None and figures.boundless(step.key, high):
        high = None
    return report.Step(
        quota=step.quota,
        resource=step.key,
        admitted=quantity.text(step.key, step.admitted),
        asked=quantity.text(step.key, step.asked),
        runtime=None if step.limit is None else quantity.text(step.key, step.limit),
        fits=not step.missing,
        min=quantity.text(step.key, step.min),
        max=None if high is None else quantity.text(step.key, high),
        parents_own_pods=step.itself,
    )


def eviction_of(found: Eviction) -> report.Eviction:
    """The eviction for the report, with quantities."""
    return report.Eviction(
        namespace=found.pod.namespace,
        name=found.pod.name,
        quota=found.quota,
        request=resources.text(found.request),
        message=found.message,
    )


def verdict(forest: Forest, quota: Quota | None) -> report.Verdict | None:
    """The verdict on the quota; None for a built-in quota, which has none."""
    found = forest.verdicts.get(quota.key) if quota else None
    return report.Verdict(found.accepted, found.reason, found.message) if found else None


def absent_among(key: Key, known: Sequence[Key]) -> str:
    """The message for a pod that does not exist, with the nearest of the ``known``."""
    return f"there is no pod {key}{nearest.hint_of_key(key, known)}"


def _said(moment: Moment, pod: Counted, quota: str, wait: Wait | None) -> _Said:
    if wait is not None:
        return _Said("Waiting", wait.stated)
    if not pod.gated:
        if quota in (NO_QUOTA, names.SYSTEM_QUOTA):
            of = "belongs to no quota" if quota == NO_QUOTA else "belongs to the system quota"
            return _Said("Unlimited", f"it {of}, so it is neither limited nor reclaimed")
        return _without_node(moment, pod, quota) or present(pod)
    if moment.releases(pod):
        return _answer_of_autoscaler(pod) or _fits(moment, quota)
    others = ", ".join(gate for gate in pod.gates if gate != names.GATE)
    if others:
        return _Said("Waiting", f"our gate is removed last, and it still has {others}")
    return _Said("Waiting", "it or its namespace is being deleted: it is not admitted any more")


def _fits(moment: Moment, quota: str) -> _Said:
    observes = moment.cluster.forest.observes(quota)
    why = "its tree only observes" if observes else "it fits at every step of its path"
    return _Said("Fits", f"{why}: the controller admits it now")


def _answer_of_autoscaler(pod: Counted) -> _Said | None:
    """What the controller wrote on a pod whose nodes it has asked for; None: it has not."""
    last = pod.waiting_message if isinstance(pod, Pod) else ""
    return _Said("Waiting", last) if reason_code.at_end(last) in _OF_AUTOSCALERS else None


def _without_node(moment: Moment, pod: Counted, quota: str) -> _Said | None:
    """State and message of an admitted pod for which a node has yet to come."""
    cluster = moment.cluster
    nodes = cluster.nodes_by_tree.get(cluster.forest.tree_of.get(quota, "-"), NONE)
    if not isinstance(pod, Pod) or pod.bound or pod.deleting or nodes.to_come is None:
        return None
    growth = amounts_text.growth(nodes, pod.request)
    if pod.key in cluster.account(quota).stuck:
        seconds = cluster.timeout_in(cluster.forest.tree_of.get(quota)) // 1000
        return _Said(
            "Admitted",
            f"it is admitted, and no node came for it within {seconds} s, so others have its room "
            f"until it has a node; still {growth}",
        )
    return _Said("Admitted", f"it is admitted; {pod_messages.WAITING_FOR_NODES}: {growth}")


def _tree(moment: Moment, quota: str) -> str:
    forest = moment.cluster.forest
    return forest.trees[forest.tree_of[quota]].root if quota in forest.tree_of else ""


def _line(moment: Moment, wait: Wait) -> report.Line | None:
    if not wait.place:
        return None
    length = sum(1 for other in moment.now.waits if other.quota == wait.quota and other.place)
    return report.Line(wait.place, length)


def _for_it(moment: Moment, quota: str, pod: Counted) -> Iterator[Eviction]:
    """Evictions that give its quota its share, or that give this pod the room of a victim."""
    yield from moment.given_to(quota)
    yield from (
        gone for gone in moment.coming if gone.right == "priority" and gone.preemptor == pod.title
    )


def _notes(moment: Moment, inputs: Inputs, pod: Counted, wait: Wait | None) -> Iterator[str]:
    yield from inputs.notes
    if isinstance(pod, Pod):
        yield from (f"the pod's {fault}" for fault in pod.faults)
    if moment.policy.paused:
        yield "evictions are paused by the configuration"
    last = pod.waiting_message if isinstance(pod, Pod) else ""
    if pod.gated and last and wait is not None and last != wait.message:
        yield f"the last message of the controller on the pod: {last}"
