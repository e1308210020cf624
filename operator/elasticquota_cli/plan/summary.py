"""The effect of a change in one sentence, worst first."""

from collections.abc import Iterator, Sequence
from typing import Final

from elasticquota.forecast import wording as durations
from elasticquota.forest import wording
from elasticquota_cli.plan import report


_MOST_NAMED: Final = 2
"""Up to this number, quotas are named; more are counted."""


def of(plan: report.Plan) -> str:
    """``Would evict 2 pods of team-a within 5 s; 2 pods of team-b start``."""
    parts = list(_parts(plan))
    if not parts:
        return "No pod is evicted, and no share changes."
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _parts(plan: report.Plan) -> Iterator[str]:
    if plan.refused:
        yield f"{wording.counted(len(plan.refused), 'object')} would be refused"
    if plan.evicted:
        last = max(each.last_milliseconds for each in plan.evicted)
        yield f"would evict {_pods(plan.evicted)} within {durations.duration(last)}"
    if plan.not_accepted:
        yield f"{wording.counted(len(plan.not_accepted), 'object')} would no longer be accepted"
    if plan.not_backed:
        text = wording.counted(len(plan.not_backed), "guarantee")
        yield f"{text} would no longer be backed by nodes"
    yield from (_outcome(each) for each in plan.submitted)
    started = sum(each.after_milliseconds is not None for each in plan.starts_sooner)
    if started:
        yield f"{wording.counted(started, 'waiting pod')} would start"
    if plan.starts_later:
        yield f"{wording.counted(len(plan.starts_later), 'pod')} would wait, or wait longer"
    if not plan.evicted and plan.shares:
        quotas = {(each.namespace, each.name) for each in plan.shares}
        yield f"no pod is evicted, and the shares of {wording.counted(len(quotas), 'quota')} change"


def _pods(evicted: Sequence[report.EvictedFrom]) -> str:
    if len(evicted) <= _MOST_NAMED:
        return " and ".join(
            f"{wording.counted(each.pods, 'pod')} of {each.quota}" for each in evicted
        )
    total = sum(each.pods for each in evicted)
    return f"{wording.counted(total, 'pod')} of {len(evicted)} quotas"


def _outcome(each: report.Submitted) -> str:
    """What becomes of a pod or workload: ``Job team-b/report: 2 of 2 pods start at once``."""
    name = f"{each.kind} {each.namespace}/{each.name}"
    within = each.starts_within_milliseconds
    when = f"within {durations.duration(within)}" if within else "at once"
    if each.after_reclaim:
        when = "within the guarantee, once pods that borrow its room are evicted, if there are any"
    if each.pods == 1:
        waits = f"waits{_place(each)}"
        return f"{name} {waits if each.waits else f'starts {when}'}"
    started = f"{each.starts} of {each.pods} pods start{'' if each.starts != 1 else 's'}"
    if not each.waits:
        return f"{name}: {started} {when}"
    waits = f"{each.waits} wait{'s' if each.waits == 1 else ''}{_place(each)}"
    return f"{name}: {started} {when}, {waits}" if each.starts else f"{name}: {waits}"


def _place(each: report.Submitted) -> str:
    expected = f", expected to start in {each.estimate}" if each.estimate else ""
    return f" at position {each.place}{expected}" if each.place else ""
