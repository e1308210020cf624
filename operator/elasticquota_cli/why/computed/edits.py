"""Finds the smallest edit that would admit a waiting pod.

A larger max or min is suggested only after a trial: the same decisions on the same objects with
that max or min.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from elasticquota import names, resources
from elasticquota.model.capacity_mode import is_extended
from elasticquota.model.decision import Wait
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.model.wait_reason import WaitReason
from elasticquota.model.workload import Counted
from elasticquota.structs import replace
from elasticquota_cli.printers import amount
from elasticquota_cli.why.computed import moment as picturing
from elasticquota_cli.why.computed.moment import Inputs, Moment
from elasticquota_cli.why.parts import maxima
from elasticquota_cli.why.parts.step import PathStep


_UNCOUNTED: Final[tuple[WaitReason, ...]] = (
    "NoNodeFits",
    "ProfileMissing",
    "QuotaPaused",
    "QuotaNotAccepted",
    "WaitingForClaim",
    "WaitingForGroup",
    "ProvisioningRefused",
)
"""Of a pod whose request does not count (``ledger.pods.infeasible``): the share says nothing."""


def of(moment: Moment, wait: Wait, pod: Counted, steps: Sequence[PathStep]) -> tuple[str, ...]:
    """The possible edits, one sentence each; none where room in the quota says nothing."""
    if wait.reason == "ExceedsMax":
        return maxima.beyond(steps) or beyond_capacity(moment, wait.quota, pod)
    if wait.reason in _UNCOUNTED:
        return ()
    firm = _beyond_min(moment, wait.quota, pod)
    if firm:
        return (firm, f"no label {names.PREEMPTIBLE}: false")
    if not any(step.missing for step in steps):
        return ()
    tried = (raise_max(moment, wait, pod, steps), raise_min(moment, wait, pod, steps))
    return tuple(filter(None, tried))


def beyond_capacity(moment: Moment, quota: str, pod: Counted) -> tuple[str, ...]:
    """The remedies for a pod that asks for more than its tree may become."""
    cluster = moment.cluster
    tree_id = cluster.forest.tree_of.get(quota, "-")
    if not cluster.is_elastic(tree_id):
        return ()
    asked, total = resources.positive(moment.sized(pod).request), cluster.trees[tree_id].total
    if all(key in total or not is_extended(key) for key in asked) and resources.fits(asked, total):
        return ()
    return ("a larger spec.capacity.max of the profile", "a smaller request")


def raise_max(moment: Moment, wait: Wait, pod: Counted, steps: Sequence[PathStep]) -> str:
    """The max that would admit the pod if raised alone, with or without those ahead of it."""
    before = _ahead(moment, wait)
    for ahead in ({}, before) if before else ({},):
        needed = _needed(moment, steps, ahead)
        if needed and _admits(moment, needed, pod):
            raised = " and ".join(maxima.raised("max", needed))
            return f"{raised}, which also admits the pods ahead of it" if ahead else raised
    return ""


def raise_min(moment: Moment, wait: Wait, pod: Counted, steps: Sequence[PathStep]) -> str:
    """The min that, if raised alone, would reclaim what the pod lacks from other quotas."""
    quota, ahead = moment.cluster.forest.quotas[wait.quota], _ahead(moment, wait)
    low = {
        step.key: step.admitted + step.asked + ahead.get(step.key, 0)
        for step in steps
        if step.quota == wait.quota and step.missing
    }
    within_max = resources.fits(low, quota.max)
    if not low or not within_max or quota.key not in moment.ledger.quotas:
        return ""
    trial = _trial(moment, {quota.key: replace(quota, min={**quota.min, **low})})
    if not (trial.releases(pod) or any(trial.given_to(wait.quota))):
        return ""
    return " and ".join(maxima.raised("min", {wait.quota: low}))


def _ahead(moment: Moment, wait: Wait) -> dict[str, int]:
    """The sum of the requests ahead of it in the queue."""
    waiting = moment.cluster.account(wait.quota).waiting
    return resources.add(*(other.request for other in waiting[: max(0, wait.place - 1)]))


def _beyond_min(moment: Moment, quota: str, pod: Counted) -> str:
    """The remedy for a pod that is not preemptible, and so must fit in min; empty: it fits."""
    if pod.preemptible:
        return ""
    account, low = moment.cluster.account(quota), moment.cluster.forest.effective_min(quota)
    after = resources.add(account.non_preemptible, moment.sized(pod).request)
    needed = resources.masked(after, resources.exceeding(after, low))
    return f"min of {quota} raised to {amount.listed(needed)}" if needed else ""


def _needed(moment: Moment, steps: Sequence[PathStep], ahead: resources.Resources) -> maxima.Maxima:
    """Every max on the path that is too small for the pod and for those ahead of it."""
    found: dict[str, dict[str, int]] = {}
    for step in steps:
        quota = moment.cluster.forest.quotas[step.quota]
        needed = step.admitted + step.asked + ahead.get(step.key, 0)
        if step.max is not None and step.max < needed and quota.key in moment.ledger.quotas:
            found.setdefault(step.quota, {})[step.key] = needed
    return found


def _admits(moment: Moment, most: maxima.Maxima, pod: Counted) -> bool:
    """Whether the pod is admitted at once with these maxima."""
    stored, forest = moment.ledger.quotas, moment.cluster.forest
    changed = {}
    for name, high in most.items():
        quota = stored[forest.quotas[name].key]
        changed[quota.key] = replace(quota, max={**quota.max, **high})
    return _trial(moment, changed).releases(pod)


def _trial(moment: Moment, changed: Mapping[Key, Quota]) -> Moment:
    """The decisions on the same state with other quotas."""
    return picturing.of(Inputs(moment.ledger.with_quotas(changed), moment.policy, {}))
