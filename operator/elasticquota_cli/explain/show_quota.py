"""Prints the explanation of a quota: its figures, then how each level shared its runtime."""

from collections.abc import Sequence
from typing import Final

from elasticquota import quantity
from elasticquota_cli import amount
from elasticquota_cli.explain import report, show


_FIGURES: Final = ("RESOURCE", "MIN", "MAX", "WEIGHT", "REQUEST", "USED", "ADMITTED", "RUNTIME")
_SHARES: Final = (
    "QUOTA", "MIN", "ASKED", "GUARANTEED", "", "BY WEIGHT", "", "RUNTIME", "WEIGHT", "BORROWED",
    "LENT",
)  # fmt: skip
_MOST: Final = 15
"""Most siblings on a terminal; programs get all of them."""


def quota(found: report.QuotaExplanation) -> None:
    """Print the explanation."""
    name = f"{found.namespace}/{found.name}" if found.namespace else found.name
    pods = found.pods
    show.facts(
        [
            ("Quota", name),
            ("Verdict", show.verdict(found.verdict) or "accepted: it is built in"),
            ("Path", " -> ".join(found.path) or "it is in no tree"),
            ("Pods", f"{pods.admitted} admitted, {pods.waiting} waiting" if pods else ""),
        ]
    )
    show.section("FIGURES", _FIGURES, [_figures(row) for row in found.figures])
    for resource in dict.fromkeys(level.resource for level in found.levels):
        _ground(resource, found)
        for level in found.levels:
            if level.resource == resource:
                _level(level, found.path)
    show.section(
        f"WAITING ({len(found.waiting)})",
        ("NAMESPACE", "POD", "WHY"),
        [(waiting.namespace, waiting.name, waiting.message) for waiting in found.waiting],
    )
    show.evictions("WOULD RECLAIM IF NOTHING CHANGES", found.gets_back)
    show.evictions("WOULD LOSE IF NOTHING CHANGES", found.gives_back)


def _figures(row: report.Figures) -> tuple[str, ...]:
    key = row.resource
    amounts = (row.min, row.max, row.weight, row.request, row.used, row.admitted, row.runtime)
    return (key, *(amount.short(key, text) for text in amounts))


def _ground(resource: str, found: report.QuotaExplanation) -> None:
    ground = next(ground for ground in found.ground if ground.resource == resource)
    available, total = (amount.short(resource, t) for t in (ground.available, ground.total))
    outside = ""
    if ground.outside != "0":
        held = amount.short(resource, ground.outside)
        outside = f", of {total} less {held} that pods outside of the tree hold"
        if ground.evictable != "0":
            evictable = amount.short(resource, ground.evictable)
            outside += f", {evictable} of it only until a min needs it"
    print(f"\n{resource.upper()}: the nodes of tree {found.tree} offer {available}{outside}")


def _level(level: report.Level, path: Sequence[str]) -> None:
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
    show.section(
        f"{level.parent} shares {runtime} {key}: {text}",
        _SHARES,
        [_share(key, share) for share in _looked_at(key, level.shares, path)],
    )
    if len(level.shares) > _MOST:
        print(f"(the {_MOST} largest of {len(level.shares)})")


def _looked_at(
    key: str, shares: Sequence[report.Share], path: Sequence[str]
) -> Sequence[report.Share]:
    """All shares, or the one on the path and the largest others, in their order."""
    if len(shares) <= _MOST:
        return shares

    def importance(share: report.Share) -> tuple[bool, int]:
        return share.quota in path, quantity.amount(key, share.runtime)

    chosen = sorted(shares, key=importance, reverse=True)[:_MOST]
    return [share for share in shares if share in chosen]


def _share(key: str, share: report.Share) -> tuple[str, ...]:
    runtime, floor = (quantity.amount(key, t) for t in (share.runtime, share.guaranteed))
    firm = min(runtime, floor)
    quota = f"{share.quota} (its own pods)" if share.parents_own_pods else share.quota
    return (
        quota,
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
