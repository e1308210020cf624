"""The parts of a plan as titled tables, for text and for markdown."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from elasticquota import names, quantity
from elasticquota.forecast import wording as durations
from elasticquota.forest import wording
from elasticquota_cli.plan import report
from elasticquota_cli.printers import amount


MOST: Final = 15
"""Rows that are shown of a table; the JSON has all."""


class ReportSection(NamedTuple):
    """A table below a title; ``rows`` may be more than are shown."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


def of(plan: report.Plan) -> Iterator[ReportSection]:
    """The sections that have a row, most important first."""
    return (section for section in _all(plan) if section.rows)


def _all(plan: report.Plan) -> Iterator[ReportSection]:
    refused = [(each.source, each.message) for each in plan.refused]
    yield ReportSection("Refused", ("SOURCE", "WHY"), refused)
    yield ReportSection(
        "Evicted",
        ("QUOTA", "PODS", "HOLDING", "FIRST AFTER", "LAST AFTER", "FOR"),
        [_evicted(each) for each in plan.evicted],
    )
    yield ReportSection(
        "Evicted pods",
        ("NAMESPACE", "POD", "QUOTA", "AFTER", "THEN"),
        [
            (
                each.namespace,
                each.name,
                each.quota,
                durations.duration(each.after_milliseconds),
                "re-created" if each.returns else "gone",
            )
            for each in plan.evictions
        ],
    )
    yield ReportSection(
        "Not accepted",
        ("KIND", "NAMESPACE", "NAME", "WHY"),
        [(each.kind, each.namespace, each.name, each.message) for each in plan.not_accepted],
    )
    yield ReportSection(
        "Guarantees no longer backed",
        ("NAMESPACE", "QUOTA", "WHY"),
        [(each.namespace, each.name, each.message) for each in plan.not_backed],
    )
    yield ReportSection(
        "Submitted",
        ("KIND", "NAMESPACE", "NAME", "QUOTA", "PODS", "START", "EVICT", "WAIT", "EXPECTED", "WHY"),
        [_submitted(each) for each in plan.submitted],
    )
    yield ReportSection(
        "Shares",
        ("QUOTA", "NAMESPACE", "RESOURCE", "NOW", "AFTER", "CHANGE"),
        [_share(each) for each in plan.shares],
    )
    yield ReportSection(
        "Starts sooner",
        ("NAMESPACE", "POD", "QUOTA", "NOW", "THEN"),
        [
            (each.namespace, each.name, each.quota, _place(each.place_before), _then(each))
            for each in plan.starts_sooner
        ],
    )
    yield ReportSection(
        "Waits longer",
        ("NAMESPACE", "POD", "QUOTA", "NOW", "THEN"),
        [
            (
                each.namespace,
                each.name,
                each.quota,
                _place(each.place_before) if each.place_before else "",
                _place(each.place_after),
            )
            for each in plan.starts_later
        ],
    )


def _evicted(each: report.EvictedFrom) -> Sequence[str]:
    return (
        each.quota,
        str(each.pods),
        amount.written(each.request, _COUNTS),
        durations.duration(each.first_milliseconds),
        durations.duration(each.last_milliseconds),
        wording.some(each.for_quotas) or "its limit",
    )


_COUNTS: Final = (names.PODS, names.MAX_JOBS)


def _share(each: report.Share) -> Sequence[str]:
    key = each.resource
    before, after = (quantity.amount(key, text or "0") for text in (each.before, each.after))
    more = after - before
    change = f"+{amount.shown(key, more)}" if more > 0 else f"-{amount.shown(key, -more)}"
    return (
        each.name,
        each.namespace,
        key,
        amount.short(key, each.before),
        amount.short(key, each.after),
        change if more else "",
    )


def _submitted(each: report.Submitted) -> Sequence[str]:
    within = each.starts_within_milliseconds
    when = f" within {durations.duration(within)}" if within and each.starts else ""
    return (
        each.kind,
        each.namespace,
        each.name,
        each.quota,
        str(each.pods),
        f"{each.starts}{when}",
        str(each.reclaims or ""),
        f"{each.waits} from {_place(each.place)}" if each.place else str(each.waits),
        each.estimate,
        each.message,
    )


def _then(each: report.Sooner) -> str:
    if each.after_milliseconds is None:
        return _place(each.place_after)
    if not each.after_milliseconds:
        return "starts at once"
    return f"starts after {durations.duration(each.after_milliseconds)}"


def _place(place: int) -> str:
    return f"position {place}" if place else "waits"
