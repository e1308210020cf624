"""The changes that would admit a waiting pod, by the sums on its path alone, without a trial."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from elasticquota_cli.explain.parts.step import Step
from elasticquota_cli.printers import amount


UNCOUNTED: Final[Mapping[str, tuple[str, ...]]] = {
    "NoNodeFits": (
        "a node of the tree that it may use and that offers the whole request",
        "a smaller request, or another node selector, affinity or toleration",
    ),
    "ProfileMissing": ("the profile again, with the same name and spec.quotaName",),
    "QuotaPaused": ("kubectl elastic-quota resume quota, for the quota that is paused",),
    "QuotaNotAccepted": (),
    "WaitingForClaim": (),
    "WaitingForGroup": (),
    "ProvisioningRefused": (),
}
"""By reason of a pod whose request does not count (``ledger.pods.infeasible``), so that the share
says nothing about it; none where the message says it all."""

Maxima = Mapping[str, Mapping[str, int]]
"""New values of max, by quota and resource."""


def of(reason: str, steps: Sequence[Step]) -> tuple[str, ...]:
    """The possible changes by what is published, without a trial."""
    if reason == "ExceedsMax":
        return beyond_max(steps)
    if reason in UNCOUNTED:
        return UNCOUNTED[reason]
    free = come_free(steps)
    return (free,) if free else ()


def come_free(steps: Sequence[Step]) -> str:
    """What is missing on the path; what becomes free in a quota is free in those above it too."""
    found: list[str] = []
    for key in amount.ordered(step.key for step in steps):
        covered = 0
        for step in steps:
            if step.key == key and step.missing > covered:
                what, where = amount.named(key, step.missing), _where(step)
                found.append(f"{what} in all {where}" if covered else f"{what} {where}")
                covered = step.missing
    return f"{', '.join(found)} must come free" if found else ""


def beyond_max(steps: Sequence[Step]) -> tuple[str, ...]:
    """The remedies for a pod that alone asks for more than some max on its path."""
    maxima: dict[str, dict[str, int]] = {}
    for step in steps:
        if step.max is not None and step.asked > step.max:
            maxima.setdefault(step.quota, {})[step.key] = step.asked
    return (" and ".join(raised("max", maxima)), "a smaller request") if maxima else ()


def _where(step: Step) -> str:
    if step.at_nodes:
        return f"on the nodes of tree {step.quota}"
    return f"among the pods in {step.quota} itself" if step.itself else f"in {step.quota}"


def raised(side: str, amounts: Maxima) -> Iterator[str]:
    """A bound that would have to be raised, for each quota and resource; ``side`` is min or max."""
    for name, limits in amounts.items():
        for key in amount.ordered(limits):
            yield f"{side} of {name} raised to {key} {amount.shown(key, limits[key])}"
