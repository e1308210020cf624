"""Bounds that would have to be raised, by the sums on the path of a pod."""

from collections.abc import Iterator, Mapping, Sequence

from elasticquota.forest import wording
from elasticquota_cli.printers import amount
from elasticquota_cli.why.parts.step import PathStep


Maxima = Mapping[str, Mapping[str, int]]
"""New values of max, by quota and resource."""


def beyond(steps: Sequence[PathStep]) -> tuple[str, ...]:
    """The edits for a pod that alone asks for more than some max on its path."""
    found: dict[str, dict[str, int]] = {}
    for step in steps:
        if step.max is not None and step.asked > step.max:
            found.setdefault(step.quota, {})[step.key] = step.asked
    return (" and ".join(raised("max", found)), "a smaller request") if found else ()


def raised(side: str, amounts: Maxima) -> Iterator[str]:
    """A bound that would have to be raised, for each quota and resource; ``side`` is min or max."""
    for name, limits in amounts.items():
        for key in amount.ordered(limits):
            yield f"{side} of {name} raised to {wording.amount(key, limits[key])}"
