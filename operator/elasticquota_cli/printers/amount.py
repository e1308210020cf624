"""Formats amounts in sums that people check by hand, cpu and memory first; and times."""

import time
from collections.abc import Container, Iterable, Mapping
from typing import Final

from elasticquota import names, quantity
from elasticquota.forecast import wording as durations
from elasticquota.forest import wording
from elasticquota.model import moments
from elasticquota.resources import Resources
from elasticquota.wire.codec import figures


_NO_LIMIT: Final = "-"


def shown(key: str, amount: int | None) -> str:
    """As sentences have it (``1.5``, ``16Gi``); None is no limit."""
    if amount is None or figures.boundless(key, amount):
        return _NO_LIMIT
    return quantity.shown(key, amount)


def short(key: str, text: str | None) -> str:
    """As ``shown``, from a canonical quantity; None is no limit."""
    return shown(key, None if text is None else quantity.amount(key, text))


def listed(amounts: Resources) -> str:
    """Amounts as ``2 cpu, 4Gi memory``."""
    return ", ".join(wording.amount(key, amounts[key]) for key in ordered(amounts))


def written(texts: Mapping[str, str], without: Container[str] = ()) -> str:
    """As ``listed``, from canonical quantities; the resources ``without`` are left out."""
    kept = {key: text for key, text in texts.items() if key not in without}
    return listed({key: quantity.amount(key, text) for key, text in kept.items()})


def ordered(keys: Iterable[str]) -> list[str]:
    """The keys, each once: cpu, memory, then the others by name."""
    first = (names.CPU, names.MEMORY)
    found = set(keys)
    return [*(key for key in first if key in found), *sorted(found.difference(first))]


def ago(since: str) -> str:
    """How long ago a timestamp was; empty without one."""
    then = moments.read(since) if since else None
    return "" if then is None else durations.duration(max(0, int(time.time() * 1000) - then))
