"""Tries a change on a settled world, and compares what follows with what was.

The world settles first, so that what happens without the change too is no effect of it. Compared
are the two settled states, with the evictions of the change and the times at which workloads are
admitted.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from elasticquota import names, resources
from elasticquota.forecast import positions
from elasticquota.forecast import wording as wait_ranges
from elasticquota.forest import wording
from elasticquota.model.decision import Condition, QuotaStatus, Wait
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota_cli.plan import report, summary
from elasticquota_cli.printers import amount
from elasticquota_cli.simulate import apply, difference, outcome, settle, trial
from elasticquota_cli.simulate.objects import Objects
from elasticquota_cli.simulate.report import Difference, QuotaChange, Reclaimed
from elasticquota_cli.simulate.settle import Settling
from elasticquota_cli.simulate.submitted import SubmittedOwner
from elasticquota_cli.simulate.trial import Trial
from elasticquota_cli.simulate.world import World


_NOT_BACKED: Final = "GuaranteeNotBacked"


def of(base: Trial, change: Objects) -> report.Plan:
    """Apply ``change`` to the world of ``base``, and report what follows."""
    world, before = base.world, base.settling
    present = {key: pod.uid for key, pod in world.pods.items()}
    applied = apply.change(world, change)
    submitted = _submitted(world, change, present)
    after = settle.settle(world)
    comparison = difference.between(
        base.outcome, outcome.of(after, applied.refused), world.pods.keys()
    )
    fresh = {pod.key for pods in submitted.values() for pod in pods}
    plan = report.Plan(
        api_version=report.API_VERSION,
        basis="computed",
        settled=comparison.settled,
        elapsed_milliseconds=comparison.elapsed_milliseconds,
        shares=list(_shares(comparison.quotas)),
        evicted=_evicted(comparison.reclaims),
        evictions=comparison.reclaims,
        not_backed=list(_not_backed(before.last.statuses, after.last.statuses)),
        not_accepted=list(_not_accepted(comparison)),
        starts_sooner=list(_sooner(before, after)),
        starts_later=list(_later(before, after, comparison.reclaims, fresh)),
        submitted=list(_outcomes(submitted, after, comparison.reclaims, world)),
        refused=comparison.refused,
        notes=[
            *base.notes,
            *_anyway(before),
            *_paused(world),
            *applied.notes,
            *trial.warnings(applied),
            *trial.passed_over(change),
            *trial.skipped(change),
            *trial.unsettled(comparison),
        ],
    )
    plan.summary = summary.of(plan)
    return plan


def _submitted(
    world: World, change: Objects, present: Mapping[Key, str]
) -> Mapping[SubmittedOwner, Sequence[Pod]]:
    """The pods that the change has created, by workload; a pod of its own stands for itself."""
    owners = {workload.owner for workload in change.workloads}
    keys = {each.pod.key for each in change.pods}
    by_owner: dict[SubmittedOwner, list[Pod]] = defaultdict(list)
    for key, pod in world.pods.items():
        if present.get(key) == pod.uid:
            continue
        owner = world.owners.get(key)
        if owner in owners and owner is not None:
            by_owner[owner].append(pod)
        elif key in keys:
            by_owner[SubmittedOwner("Pod", *key)].append(pod)
    return by_owner


def _shares(changes: Iterable[QuotaChange]) -> Iterator[report.Share]:
    for change in changes:
        sides = [change.before, change.after]
        quota = change.after or change.before
        if quota is None or not any(side and side.tree for side in sides):
            continue
        for key in _ordered(change):
            before, after = (side.runtime.get(key) if side else None for side in sides)
            if before != after and key != names.PODS:
                yield report.Share(
                    quota.namespace, quota.name, quota.tree, key, before=before, after=after
                )


def _ordered(change: QuotaChange) -> list[str]:
    sides = (side for side in (change.before, change.after) if side)
    return amount.ordered(key for side in sides for key in side.runtime)


def _evicted(reclaims: Iterable[Reclaimed]) -> list[report.EvictedFrom]:
    """The evictions by quota, in the order of the first of each."""
    by_quota: dict[str, list[Reclaimed]] = defaultdict(list)
    for each in reclaims:
        by_quota[each.quota].append(each)
    return [
        report.EvictedFrom(
            quota=quota,
            pods=len(gone),
            request=resources.text(
                resources.add(*(resources.parse(each.request) for each in gone))
            ),
            for_quotas=sorted({each.for_quota for each in gone if each.for_quota}),
            first_milliseconds=min(each.after_milliseconds for each in gone),
            last_milliseconds=max(each.after_milliseconds for each in gone),
        )
        for quota, gone in by_quota.items()
    ]


def _not_backed(
    before: Sequence[QuotaStatus], after: Sequence[QuotaStatus]
) -> Iterator[report.NotBacked]:
    lacking = {status.key for status in before if _condition(status)}
    for status in after:
        condition = _condition(status)
        if condition and status.key not in lacking:
            yield report.NotBacked(*status.key, message=condition.message)


def _condition(status: QuotaStatus) -> Condition | None:
    found = (each for each in status.conditions if each.type == _NOT_BACKED and each.status)
    return next(found, None)


def _not_accepted(comparison: Difference) -> Iterator[report.NotAccepted]:
    for quota in comparison.quotas:
        if quota.is_worse and quota.after is not None:
            yield report.NotAccepted(
                *quota.after.key, names.QUOTA_KIND, quota.after.reason, quota.after.message
            )
    for profile in comparison.profiles:
        if profile.is_worse and profile.after is not None:
            yield report.NotAccepted(
                *profile.after.key, names.PROFILE_KIND, profile.after.reason, profile.after.message
            )


def _sooner(before: Settling, after: Settling) -> Iterator[report.Sooner]:
    waits = _waits(after)
    for wait in before.last.of_workloads.waits:
        then = waits.get(wait.uid)
        started = None if then else after.admitted.get(wait.uid)
        if started is not None or (then and 0 < then.place < wait.place):
            yield report.Sooner(
                *wait.pod, wait.quota, started, wait.place, then.place if then else 0
            )


def _later(
    before: Settling, after: Settling, reclaims: Iterable[Reclaimed], fresh: set[Key]
) -> Iterator[report.Later]:
    """Without evicted pods, and without pods of the change itself."""
    waited = _waits(before)
    apart = fresh | {each.key for each in reclaims}
    for wait in after.last.of_workloads.waits:
        was = waited.get(wait.uid)
        if wait.pod in apart or (was and wait.place <= was.place):
            continue
        place = was.place if was else 0
        yield report.Later(*wait.pod, wait.quota, wait.reason, wait.stated, place, wait.place)


def _waits(settling: Settling) -> Mapping[str, Wait]:
    return {wait.uid: wait for wait in settling.last.of_workloads.waits}


def _outcomes(
    submitted: Mapping[SubmittedOwner, Sequence[Pod]],
    after: Settling,
    reclaims: Sequence[Reclaimed],
    world: World,
) -> Iterator[report.Submitted]:
    waiting = {wait.pod: wait for wait in after.last.of_workloads.waits}
    for owner, pods in submitted.items():
        waits = sorted(
            (waiting[pod.key] for pod in pods if pod.key in waiting),
            key=lambda wait: (not wait.place, wait.place, wait.pod),
        )
        starts = [after.admitted.get(pod.uid, 0) for pod in pods if pod.key not in waiting]
        first = waits[0] if waits else None
        quotas = Counter(wait.quota for wait in waits) or Counter(pod.quota_label for pod in pods)
        yield report.Submitted(
            owner.namespace,
            owner.name,
            kind=owner.kind,
            quota=next(iter(quotas)),
            pods=len(pods),
            starts=len(starts),
            starts_within_milliseconds=max(starts, default=0),
            waits=len(waits),
            place=first.place if first else 0,
            reason=first.reason if first else "",
            message=first.message if first else "",
            reclaims=sum(_is_for(each, pods) for each in reclaims),
            estimate=_estimate(world, first) if first else "",
        )


def _estimate(world: World, first: Wait) -> str:
    """The range that the controller publishes for this position; empty: it publishes none."""
    found = world.estimate_of(first.quota)
    reach = positions.of_position(found, first.place) if found and first.place else None
    return wait_ranges.expected(reach) if reach else ""


def _is_for(gone: Reclaimed, pods: Sequence[Pod]) -> bool:
    """Whether a pod was evicted for one of ``pods``, or for a group of them."""
    return any(
        gone.for_workload == pod.title
        or (
            pod.group is not None
            and gone.for_quota == pod.quota_label
            and gone.for_workload.startswith(f"group {pod.group.name} of ")
        )
        for pod in pods
    )


def _paused(world: World) -> Iterator[str]:
    if world.policy.paused:
        yield "evictions are paused by the configuration: a plan shows none"


def _anyway(before: Settling) -> Iterator[str]:
    """A note on evictions that do not come of the change."""
    gone = len(before.reclaims)
    if gone:
        yield f"without the change {wording.counted(gone, 'pod')} would be evicted too: not shown"
