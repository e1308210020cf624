"""Amounts as people read them: resources, what is used of a share, what will be freed."""

from collections.abc import Iterable

from elasticquota import names, quantity, resources
from elasticquota.forest import wording
from elasticquota.resources import Resources


def released(found: Iterable[Resources]) -> str:
    """What evicted pods hold together, such as ``2 cpu``; ``pods`` if it is nothing shared."""
    return wording.amounts(resources.positive(resources.add(*found))) or "pods"


def in_at_most(most: int) -> str:
    """``in at most 120 s``; ``most`` is the milliseconds that evicted pods may take to end.

    A bound and no countdown: the text stays as it is from cycle to cycle.
    """
    return f"in at most {most // 1000} s"


def guaranteed(low: Resources) -> str:
    """What an accepted quota is guaranteed: ``guaranteed 10 cpu, 40Gi memory``."""
    found = wording.amounts(resources.positive(low))
    return f"guaranteed {found or 'nothing, so all that it uses is borrowed'}"


def used_of_share(held: Resources, share: Resources, keys: Iterable[str]) -> str:
    """``8 of its current share of 12 cpu, 16Gi of 32Gi memory``; empty without ``keys``."""
    figures = [
        (_text(held, key), wording.amount(key, share.get(key, 0)))
        for key in sorted(keys)
        if key != names.PODS
    ]
    shown = [
        f"{used} of {most}" if place else f"{used} of its current share of {most}"
        for place, (used, most) in enumerate(figures)
    ]
    return ", ".join(shown)


def _text(amounts: Resources, key: str) -> str:
    return quantity.shown(key, amounts.get(key, 0))
