"""Sums up the pods of one workload: how many wait, for what, and what its owner can do."""

from collections import defaultdict
from collections.abc import Sequence

from elasticquota.forecast import positions, wording
from elasticquota.model import moments
from elasticquota.model.key import Key
from elasticquota_cli import nearest
from elasticquota_cli.explain.report import PodExplanation
from elasticquota_cli.failure import Failure
from elasticquota_cli.printers.wording import counted
from elasticquota_cli.why import advice, report
from elasticquota_cli.why.namespace_pods import NamespacePods, Seen


def of(namespace_pods: NamespacePods, kind: str, key: Key) -> report.Why:
    """The answer about a pod or workload; raises `Failure` when no pod is one of its."""
    shown, pods = _pods(namespace_pods, kind, key)
    waiting = sorted(
        (each for each in pods if each.pod.gated),
        key=lambda each: (not each.place, each.place, each.pod.created, each.pod.key),
    )
    said = namespace_pods.explain((waiting or pods)[0].pod.key)
    found = report.Why(
        api_version=report.API_VERSION,
        workload_kind=shown,
        namespace=key.namespace,
        name=key.name,
        quota=said.quota,
        pods=len(pods),
        waiting=len(waiting),
        running=sum(each.pod.bound for each in pods),
        first=_first(waiting[0], said) if waiting else None,
        can_do=_can_do(said) if waiting else [],
        reclaimable=said.reclaim.why if said.reclaim and not waiting else "",
        notes=said.notes,
        path=said.path,
        evictions=said.evictions,
    )
    found.summary = _summary(found, said.message)
    if found.first:
        _add_estimate(found, found.first.place, namespace_pods)
    return found


def knows(namespace_pods: NamespacePods, kind: str, key: Key) -> bool:
    """Whether the pod, or a pod of the workload, counts here."""
    is_pod = kind in ("", "pod") and any(each.pod.key == key for each in namespace_pods.pods)
    return is_pod or any(any(each.belongs_to(kind, key.name)) for each in namespace_pods.pods)


def _pods(namespace_pods: NamespacePods, kind: str, key: Key) -> tuple[str, Sequence[Seen]]:
    """The pod, or the pods of the workload, and its kind; without ``kind`` whichever is there."""
    if kind in ("", "pod"):
        own = [each for each in namespace_pods.pods if each.pod.key == key]
        if own:
            return "Pod", own
    by_kind: dict[str, list[Seen]] = defaultdict(list)
    for each in namespace_pods.pods:
        for found in dict.fromkeys(each.belongs_to(kind, key.name)):
            by_kind[found].append(each)
    if len(by_kind) > 1:
        forms = " or ".join(f"{each.lower()}/{key.name}" for each in sorted(by_kind))
        raise Failure(f"several workloads of namespace {key.namespace} have this name: {forms}")
    if not by_kind:
        raise Failure(_absent(namespace_pods, kind, key))
    return next(iter(by_kind.items()))


def _absent(namespace_pods: NamespacePods, kind: str, key: Key) -> str:
    pods = {each.pod.key.name for each in namespace_pods.pods}
    owners = {
        owner.name
        for each in namespace_pods.pods
        for owner in (each.owner, *each.above)
        if owner and kind in ("", owner.kind.lower())
    }
    hint = nearest.hint(key.name, pods if kind == "pod" else owners if kind else pods | owners)
    if kind in ("", "pod"):
        what = f"there is no pod {key}" if kind else f"no pod is or belongs to {key}"
        return f"{what}{hint}"
    job = (
        f"; of a job that is queued as a whole: kubectl elastic-quota explain job {key}"
        if kind == "job"
        else ""
    )
    return (
        f"no pod of namespace {key.namespace} belongs to {kind} {key.name}{hint}\n"
        f"if it exists, kubectl describe {kind} says why it has no pods{job}"
    )


def _can_do(said: PodExplanation) -> list[str]:
    """The advice for the reason, and the edits of quotas that were tried and would admit it."""
    edits = [each for each in said.remedies if each.startswith(("max of ", "min of "))]
    return [*advice.of(said.reason, said.quota), *(f"ask for {each}" for each in edits)]


def _first(one: Seen, said: PodExplanation) -> report.First:
    return report.First(
        name=one.pod.key.name,
        request=said.request,
        place=said.line.place if said.line else 0,
        length=said.line.length if said.line else 0,
        since="" if said.basis == "computed" else one.pod.created,
        reason=said.reason,
        message=said.message,
        starts=said.remedies,
        evicts=len(said.evictions),
    )


def _summary(found: report.Why, message: str) -> str:
    name = f"{found.workload_kind} {found.namespace}/{found.name}"
    of = f"quota {found.quota}" if found.quota else "a quota"
    if found.workload_kind == "Pod":
        return f"{name} waits for {of}." if found.waiting else f"{name}: {message}."
    if not found.waiting:
        return f"{name}: none of its {counted(found.pods, 'pod')} waits for a quota."
    verb = "waits" if found.waiting == 1 else "wait"
    total = counted(found.pods, "pod")
    return f"{name}: {found.waiting} of {total} {verb} for {of}."


def _add_estimate(found: report.Why, place: int, namespace_pods: NamespacePods) -> None:
    """What the quota publishes; without a position, the range of the first of its queue."""
    estimate = namespace_pods.estimates.get(found.quota)
    if estimate is None:
        return
    reach = positions.of_position(estimate, max(place, 1))
    found.expected = wording.expected(reach) if reach else ""
    found.expected_at = moments.text(estimate.made_at)
    found.expected_because = estimate.message
