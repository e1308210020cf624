"""Makes the one answer of what is known: which object is meant, what it waits for, what helps."""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from elasticquota.forecast import positions, wording
from elasticquota.forest.wording import counted
from elasticquota.model import moments
from elasticquota.model.key import Key
from elasticquota.structs import replace
from elasticquota_cli.arguments import resource
from elasticquota_cli.failures import nearest
from elasticquota_cli.failures.failure import Failure
from elasticquota_cli.why import advice
from elasticquota_cli.why.parts import report
from elasticquota_cli.why.parts.known import Known, KnownJob, Seen
from elasticquota_cli.why.subject import AskedObject


class _Found(NamedTuple):
    """The object that is meant."""

    kind: str
    pods: Sequence[Seen]
    job: KnownJob | None = None
    """The object, if it is queued as a whole."""


def of(known: Known, asked: AskedObject) -> report.WhyAnswer:
    """The answer; raises `Failure` when there is no such object."""
    return _of_quota(known, asked.key) if asked.kind == "quota" else _of_pods(known, asked)


def _of_quota(known: Known, key: Key) -> report.WhyAnswer:
    found, notes = known.quota(key)
    accepted = found.verdict is None or found.verdict.accepted
    counts = found.pods
    said = f"{counts.admitted} admitted, {counts.waiting} waiting" if counts else ""
    verdict = "" if accepted else f"not accepted: {found.verdict.reason if found.verdict else ''}"
    return report.WhyAnswer(
        api_version=report.API_VERSION,
        basis=known.basis,
        about=report.About("ElasticQuota", found.namespace, found.name),
        summary=f"Quota {found.name}: {'; '.join(filter(None, (verdict, said)))}.",
        quota=found,
        notes=list(notes),
    )


def _of_pods(known: Known, asked: AskedObject) -> report.WhyAnswer:
    target = _found(known, asked)
    waiting = sorted(
        (each for each in target.pods if each.pod.gated),
        key=lambda each: (not each.place, each.place, each.pod.created, each.pod.key),
    )
    # A pod that no longer counts is none of ``target.pods``.
    first = next(iter(waiting or target.pods), None)
    place = target.job.place if target.job else first.pod.key if first else asked.key
    said, notes = known.explain(place)
    if not known.is_live:
        said = replace(said, since="")
    if said.state == "Waiting":
        said = _completed(known, said, _rollout(target, waiting))
    counts = report.WorkloadPods(
        total=len(target.pods),
        waiting=len(waiting),
        running=sum(each.pod.bound for each in target.pods),
    )
    about = report.About(target.kind, asked.key.namespace, asked.key.name)
    return report.WhyAnswer(
        api_version=report.API_VERSION,
        basis=known.basis,
        about=about,
        summary=_summary(about, counts, said, target.job),
        pods=counts,
        pod=said,
        notes=list(notes),
    )


def _found(known: Known, asked: AskedObject) -> _Found:
    """The pod, or job, or the pods of the workload; without a kind whichever is there."""
    kind, key = asked
    if kind in ("", "pod"):
        own = [each for each in known.pods if each.pod.key == key]
        # Asked for as a pod it is one, and ``explain`` says if it does not exist.
        if own or key in known.past or kind == "pod":
            return _Found("Pod", own)
    by_kind: dict[str, list[Seen]] = defaultdict(list)
    for each in known.pods:
        for owner in dict.fromkeys(each.belongs_to(kind, key.name)):
            by_kind[owner].append(each)
    jobs = {each.kind: each for each in known.queued(kind, key)}
    kinds = sorted({*by_kind, *jobs})
    if len(kinds) > 1:
        forms = " or ".join(f"{each.lower()}/{key.name}" for each in kinds)
        raise Failure(f"several workloads of namespace {key.namespace} have this name: {forms}")
    if not kinds:
        raise Failure(_absent(known, kind, key))
    return _Found(kinds[0], by_kind[kinds[0]], jobs.get(kinds[0]))


def _absent(known: Known, kind: str, key: Key) -> str:
    pods = {each.pod.key.name for each in known.pods}
    owners = {
        owner.name
        for each in known.pods
        for owner in (each.owner, *each.above)
        if owner and kind in ("", owner.kind.lower())
    }
    owners |= {each.key.name for each in known.jobs if kind in ("", "job", each.kind.lower())}
    hint = nearest.hint(key.name, owners if kind else pods | owners)
    if not kind:
        is_kind = resource.kind_of(key.name)
        missing = f"; the NAME of the {is_kind} is missing" if is_kind else ""
        return f"no pod is or belongs to {key}{missing or hint}"
    queued = (
        f"; kubectl get queueunits -n {key.namespace} shows jobs that wait as a whole"
        if kind == "job"
        else ""
    )
    return (
        f"no pod of namespace {key.namespace} belongs to {kind} {key.name}{hint}\n"
        f"if it exists, kubectl describe {kind} says why it has no pods{queued}"
    )


def _rollout(target: _Found, waiting: Sequence[Seen]) -> bool:
    """Whether pods of a new revision of a Deployment wait beside those that they replace."""
    new = {each.controller for each in waiting}
    old = {each.controller for each in target.pods if not each.pod.gated}
    return target.kind == "Deployment" and bool(old) and None not in new | old and new != old


def _completed(known: Known, said: report.PodAnswer, rollout: bool) -> report.PodAnswer:
    """With what the owner of a waiting pod, or job, can do, and when it may start."""
    return replace(said, can_do=advice.of(said, rollout=rollout), expected=_expected(known, said))


def _expected(known: Known, said: report.PodAnswer) -> report.Expected | None:
    """What the quota publishes; without a position, the range of the first of its queue."""
    estimate = known.estimates.get(said.quota)
    if estimate is None:
        return None
    reach = positions.of_position(estimate, said.line.place if said.line else 1)
    return report.Expected(
        time=wording.expected(reach) if reach else "",
        at=moments.text(estimate.made_at),
        because=estimate.message,
    )


def _summary(
    about: report.About, counts: report.WorkloadPods, said: report.PodAnswer, job: KnownJob | None
) -> str:
    name = f"{about.kind} {about.namespace}/{about.name}"
    of = f"quota {said.quota}" if said.quota else "a quota"
    if job and said.state == "Waiting":
        return f"{name} waits as a whole for {of}; it has {_number(counts.total)} yet."
    if job or about.kind == "Pod":
        waits = said.state == "Waiting"
        return f"{name} waits for {of}." if waits else f"{name}: {said.message}."
    total = counted(counts.total, "pod")
    if not counts.waiting:
        return f"{name}: none of its {total} waits for a quota."
    verb = "waits" if counts.waiting == 1 else "wait"
    return f"{name}: {counts.waiting} of {total} {verb} for {of}."


def _number(pods: int) -> str:
    return counted(pods, "pod") if pods else "no pods"
