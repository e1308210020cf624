"""Status values -> status documents with the texts of the printer columns (semantics 7).

The ``summary`` texts exist because a printer column cannot compute. They are rounded for people;
programs read the exact quantities in the other fields. Conditions have no ``lastTransitionTime``;
the writer of the status adds it.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final

from elasticquota import names, pool_keys, resources
from elasticquota.model.decision import Condition, ProfileStatus, QuotaStatus
from elasticquota.resources import Resources
from elasticquota.wire.codec import figures
from elasticquota.wire.quota import metered, reclaim_records, wait_estimates


_NONE: Final = "-"
_GPU: Final = "/gpu"


def quota_status(status: QuotaStatus) -> dict[str, Any]:
    """Return ``status`` of an ElasticQuota."""
    document = {
        "observedGeneration": status.generation,
        "tree": status.tree,
        "parent": status.parent,
        "used": resources.text(status.used),
        "request": resources.text(status.request),
        "runtime": resources.text(status.runtime),
        "admitted": resources.text(status.admitted),
        "min": resources.text(status.min),
        "pods": {"admitted": status.pods_admitted, "gated": status.pods_gated},
        "summary": _summary(status),
        "conditions": conditions(status.conditions, status.generation),
        **reclaim_records.history(status.history),
    }
    if status.turnover is not None:
        document["turnover"] = wait_estimates.turnover(status.turnover)
    if status.resource_hours is not None:
        document["metering"] = metered.document(status.resource_hours)
    if status.wait_estimate is not None:
        document["waitEstimate"] = wait_estimates.estimate(status.wait_estimate)
    return document


def profile_status(status: ProfileStatus) -> dict[str, Any]:
    """Return ``status`` of an ElasticQuotaProfile."""
    document: dict[str, Any] = {
        "observedGeneration": status.generation,
        "tree": status.tree_id,
        "nodes": status.nodes,
        "conditions": conditions(status.conditions, status.generation),
    }
    if status.mode != "Nodes":
        cpu = [figures.cpu(of.get(names.CPU, 0)) for of in (status.present, status.total)]
        document["capacity"] = {
            "mode": status.mode,
            "total": resources.text(status.total),
            "present": resources.text(status.present),
            "summary": f"{status.mode} {'/'.join(cpu)} cpu",
        }
    return document


def _summary(status: QuotaStatus) -> dict[str, str]:
    """The texts that are not empty; a column without a text is blank."""
    reasons = [
        condition.reason
        for condition in status.conditions
        if (condition.type, condition.status) in (("Accepted", False), ("Paused", True))
    ]
    observes = any(
        condition.type == "Observed" and condition.status for condition in status.conditions
    )
    texts = {
        "cpu": _column(status, figures.cpu, names.CPU),
        "memory": _column(status, figures.memory, names.MEMORY),
        "gpu": _gpus(status),
        "pools": _pools(status),
        "mode": names.OBSERVE if observes else names.ENFORCE,
        "min": figures.inline(status.min),
        "max": figures.inline(status.max),
        "weight": figures.inline(status.weight),
        "borrowed": figures.inline(status.above_min),
        "reason": ", ".join(reasons),
        "ready": _ready(status.conditions),
    }
    return {key: text for key, text in texts.items() if text}


def _ready(found: tuple[Condition, ...]) -> str:
    """``Paused`` while no pod of the quota starts, else the status of its condition ``Ready``."""
    held = {each.type: each.status for each in found}
    if held.get("Paused"):
        return "Paused"
    return str(held["Ready"]) if "Ready" in held else ""


def _column(status: QuotaStatus, figure: Callable[[int], str], *keys: str) -> str:
    """``used/usable/min..max`` of the resources together; what is not limited,
    as by no max or the unlimited one of a root, is ``-``.
    """
    used, low = (figure(_total(held, keys)) for held in (status.used, status.min))
    usable, high = (_limit(held, keys, figure) for held in (status.usable, status.max))
    return f"{used}/{usable}/{low}..{high}"


def _limit(limits: Resources, keys: Sequence[str], figure: Callable[[int], str]) -> str:
    limited = [key for key in keys if key in limits]
    if not limited or any(figures.boundless(key, limits[key]) for key in limited):
        return _NONE
    return figure(_total(limits, limited))


def _total(amounts: Resources, keys: Iterable[str]) -> int:
    return sum(amounts.get(key, 0) for key in keys)


def _gpus(status: QuotaStatus) -> str:
    """Devices of all vendors added up (``nvidia.com/gpu``, ``amd.com/gpu``); empty without any."""
    lists = (status.used, status.usable, status.max)
    makers = {
        key
        for held in lists
        for key in held
        if key.endswith(_GPU) and not pool_keys.is_reserved(key)
    }
    if not any(held.get(key) for held in lists for key in makers):
        return ""
    return _column(status, str, *makers)


def _pools(status: QuotaStatus) -> str:
    """``a100 1/2/2..2, t4 0/4/0..4``; with the resource if several are counted. Empty without
    pools.
    """
    lists = (status.used, status.usable, status.max)
    keys = {key for held in lists for key in held if pool_keys.is_reserved(key)}
    found = sorted((split, key) for key in keys if (split := pool_keys.split(key)) is not None)
    several = len({split.resource for split, _ in found}) > 1
    return ", ".join(
        f"{split.pool} {f'{split.resource} ' if several else ''}"
        f"{_column(status, partial(figures.one, key), key)}"
        for split, key in found
    )


def conditions(found: tuple[Condition, ...], generation: int) -> list[dict[str, Any]]:
    """Return the conditions of a status that was computed from this generation of the object."""
    return [
        {
            "type": each.type,
            "status": "True" if each.status else "False",
            "observedGeneration": generation,
            "reason": each.reason,
            "message": each.message,
        }
        for each in found
    ]
