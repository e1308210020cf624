"""Explains one pod: its quota, and what the controller decides about it and why."""

from collections.abc import Iterator
from typing import Final

from elasticquota import names, resources
from elasticquota.forest.membership import NO_QUOTA
from elasticquota.forest.structure import Forest
from elasticquota.ledger.nodes.tree_nodes import NONE
from elasticquota.model import reason_code
from elasticquota.model.decision import Eviction, Wait
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.quota import Quota
from elasticquota.model.wait_reason import WaitReason
from elasticquota.model.workload import Counted
from elasticquota.status import without_node
from elasticquota_cli.explain import membership, observed, path, reclaimable, remedy, report
from elasticquota_cli.explain.moment import Inputs, Moment
from elasticquota_cli.explain.parts import rows
from elasticquota_cli.explain.parts.outline import Said, absent_among, outline, present
from elasticquota_cli.failure import Failure


_OF_AUTOSCALERS: Final[tuple[WaitReason, ...]] = ("WaitingForProvisioning", "ProvisioningRefused")
"""Reasons that no sum shows: the quota admits the pod, and only the controller knows the answer."""


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
    found.path = [rows.step_of(step) for step in steps]
    found.notes = [*observed.notes(moment, home.quota, pod), *_notes(moment, inputs, pod, wait)]
    if wait is not None:
        found.reason = wait.reason
        found.line = _line(moment, wait)
        found.remedies = list(remedy.of(moment, wait, pod, steps))
        found.evictions = [eviction_of(gone) for gone in _for_it(moment, home.quota, pod)]
    elif not waits and said.state != "Unlimited":
        found.reclaim = reclaimable.of(moment, home.quota, pod)
    return found


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


def _said(moment: Moment, pod: Counted, quota: str, wait: Wait | None) -> Said:
    if wait is not None:
        return Said("Waiting", wait.stated)
    if not pod.gated:
        if quota in (NO_QUOTA, names.SYSTEM_QUOTA):
            of = "belongs to no quota" if quota == NO_QUOTA else "belongs to the system quota"
            return Said("Unlimited", f"it {of}, so it is neither limited nor reclaimed")
        return _without_node(moment, pod, quota) or present(pod)
    if moment.releases(pod):
        return _answer_of_autoscaler(pod) or _fits(moment, quota)
    others = ", ".join(gate for gate in pod.gates if gate != names.GATE)
    if others:
        return Said("Waiting", f"our gate is removed last, and it still has {others}")
    return Said("Waiting", "it or its namespace is being deleted: it is not admitted any more")


def _fits(moment: Moment, quota: str) -> Said:
    observes = moment.cluster.forest.observes(quota)
    why = "its tree only observes" if observes else "it fits at every step of its path"
    return Said("Fits", f"{why}: the controller admits it now")


def _answer_of_autoscaler(pod: Counted) -> Said | None:
    """What the controller wrote on a pod whose nodes it has asked for; None: it has not."""
    last = pod.waiting_message if isinstance(pod, Pod) else ""
    return Said("Waiting", last) if reason_code.at_end(last) in _OF_AUTOSCALERS else None


def _without_node(moment: Moment, pod: Counted, quota: str) -> Said | None:
    """State and message of an admitted pod for which a node has yet to come."""
    cluster = moment.cluster
    nodes = cluster.nodes_by_tree.get(cluster.forest.tree_of.get(quota, "-"), NONE)
    if not isinstance(pod, Pod) or pod.bound or pod.deleting or nodes.to_come is None:
        return None
    if pod.key in cluster.account(quota).stuck:
        seconds = cluster.timeout_in(cluster.forest.tree_of.get(quota)) // 1000
        return Said(
            "Admitted",
            f"it is admitted, and no node came for it within {seconds} s, so others have its room "
            f"until it has a node; still {without_node.growth(nodes, pod.request)}",
        )
    return Said("Admitted", f"it is admitted; {without_node.waits_for_nodes(nodes, pod.request)}")


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
