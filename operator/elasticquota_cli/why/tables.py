"""Prints facts one below the other, and tables: sums on a path, figures and levels of a quota."""

from collections.abc import Sequence
from typing import Final

from elasticquota import names, quantity
from elasticquota_cli.printers import amount, table
from elasticquota_cli.why.parts import report


_SUMS: Final = ("QUOTA", "RESOURCE", "ADMITTED", "", "ASKED", "", "RUNTIME", "MIN", "MAX")
_FIGURES: Final = ("RESOURCE", "MIN", "MAX", "WEIGHT", "REQUEST", "USED", "ADMITTED", "RUNTIME")
_SHARES: Final = (
    "QUOTA", "MIN", "ASKED", "GUARANTEED", "", "BY WEIGHT", "", "RUNTIME", "WEIGHT", "BORROWED",
    "LENT",
)  # fmt: skip
_MOST: Final = 20
"""Most rows of a table that is not wide."""


def sums(pod: report.PodAnswer) -> None:
    """Print the sums of each level above a pod or job, and the evictions for or of it."""
    table.section("PATH TO THE ROOT", _SUMS, [_sum(step) for step in pod.path])
    _evictions("WOULD BE EVICTED IF NOTHING CHANGES", pod.evictions)


def _sum(step: report.PathRow) -> tuple[str, ...]:
    key = step.resource
    waits = step.asked != "0"
    return (
        _named(step),
        key,
        amount.short(key, step.admitted),
        "+" if waits else "",
        amount.short(key, step.asked) if waits else "",
        "<=" if step.fits else ">",
        amount.short(key, step.runtime),
        amount.short(key, step.min),
        amount.short(key, step.max),
    )


def quota(answer: report.QuotaAnswer, *, wide: bool) -> None:
    """Print what a quota may use and what waits in it; ``wide``: also how that is computed."""
    name = f"{answer.namespace}/{answer.name}" if answer.namespace else answer.name
    pods = answer.pods
    facts(
        [
            ("Quota", name),
            ("Verdict", verdict(answer.verdict) or "accepted: it is built in"),
            ("Path", " -> ".join(answer.path) or "it is in no tree"),
            ("Pods", f"{pods.admitted} admitted, {pods.waiting} waiting" if pods else ""),
        ]
    )
    table.section("FIGURES", _FIGURES, [_figures(row) for row in answer.figures])
    if wide:
        _levels(answer)
    waiting = [(each.namespace, each.name, each.message) for each in answer.waiting]
    title = f"WAITING ({len(waiting)})"
    table.section(title, ("NAMESPACE", "POD", "WHY"), waiting, None if wide else _MOST)
    if wide:
        _evictions("WOULD RECLAIM IF NOTHING CHANGES", answer.would_reclaim)
        _evictions("WOULD LOSE IF NOTHING CHANGES", answer.would_lose)


def _levels(answer: report.QuotaAnswer) -> None:
    for resource in dict.fromkeys(level.resource for level in answer.levels):
        _ground(resource, answer)
        for level in answer.levels:
            if level.resource == resource:
                _level(level)


def _figures(row: report.FigureRow) -> tuple[str, ...]:
    key = row.resource
    amounts = (row.min, row.max, row.weight, row.request, row.used, row.admitted, row.runtime)
    return (key, *(amount.short(key, text) for text in amounts))


def _ground(resource: str, answer: report.QuotaAnswer) -> None:
    ground = next(ground for ground in answer.ground if ground.resource == resource)
    available, total = (amount.short(resource, t) for t in (ground.available, ground.total))
    outside = ""
    if ground.outside != "0":
        held = amount.short(resource, ground.outside)
        outside = f", of {total} less {held} that pods outside of the tree hold"
        if ground.evictable != "0":
            evictable = amount.short(resource, ground.evictable)
            outside += f", {evictable} of it only until a min needs it"
    match ground.mode:
        case "Nodes":
            text = f"the nodes of tree {answer.tree} offer {available}{outside}"
        case "Elastic":
            present = amount.short(resource, ground.present)
            text = f"tree {answer.tree} shares {available}{outside}; {present} of it is there now"
        case "Declared":
            text = f"tree {answer.tree} shares {available}{outside}, as its profile declares"
    print()
    table.line(f"{resource.upper()}: {text}")


def _level(level: report.LevelRow) -> None:
    key = level.resource
    runtime, guaranteed = (amount.short(key, t) for t in (level.runtime, level.guaranteed))
    left = quantity.amount(key, level.left)
    wanted = sum(quantity.amount(key, share.asked) for share in level.shares)
    if wanted <= quantity.amount(key, level.runtime):
        text = f"all that is asked fits, {amount.shown(key, wanted)}"
    elif left < 0:
        text = f"less than the {guaranteed} guaranteed, so guarantees shrink in proportion to min"
    else:
        text = f"{guaranteed} guaranteed + {amount.shown(key, left)} by weight"
    rows = [_share(key, share) for share in level.shares]
    table.section(f"{level.parent} shares {runtime} {key}: {text}", _SHARES, rows)


def _share(key: str, share: report.ShareRow) -> tuple[str, ...]:
    runtime, floor = (quantity.amount(key, t) for t in (share.runtime, share.guaranteed))
    firm = min(runtime, floor)
    return (
        _named(share),
        amount.short(key, share.min),
        amount.short(key, share.asked),
        amount.shown(key, firm),
        "+",
        amount.shown(key, runtime - firm),
        "=",
        amount.short(key, share.runtime),
        amount.short(key, share.weight),
        amount.short(key, share.borrowed),
        amount.short(key, share.lent),
    )


def _named(row: report.PathRow | report.ShareRow) -> str:
    return f"{row.quota} (its own pods)" if row.parents_own_pods else row.quota


def facts(rows: Sequence[tuple[str, str]]) -> None:
    """Print names with their texts; a fact without a text is left out."""
    width = max(len(name) for name, _ in rows)
    for name, text in rows:
        if text:
            table.line(f"{name.ljust(width)}   {text}")


def _evictions(title: str, found: Sequence[report.EvictionRow]) -> None:
    """Print a table of evictions."""
    rows = [(gone.namespace, gone.name, asked(gone.request), gone.message) for gone in found]
    head = ("NAMESPACE", "POD", "HOLDS", "WHY")
    table.section(f"{title} ({len(rows)})", head, rows)


def asked(request: report.Amounts) -> str:
    """A request as ``2 cpu, 4Gi memory``, without the count of the pod or job itself."""
    hidden = names.MAX_JOBS if names.MAX_JOBS in request else names.PODS
    return amount.written(request, (hidden,)) or "nothing"


def verdict(found: report.VerdictRow | None) -> str:
    """The verdict in words; empty when there is none."""
    if found is None:
        return ""
    return "accepted" if found.accepted else f"not accepted: {found.reason}: {found.message}"
