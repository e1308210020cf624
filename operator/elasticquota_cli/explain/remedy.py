"""A remedy is the smallest change that would let a waiting pod in.

What must come free is read off the path. That a larger max or min would do is said only after it
was tried: the same decisions over the same objects with that max or min.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from elasticquota import names, resources
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Wait
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.quota import Quota
from elasticquota_cli import amount
from elasticquota_cli.explain import moment as picturing
from elasticquota_cli.explain.inputs import Inputs
from elasticquota_cli.explain.moment import Moment
from elasticquota_cli.explain.path import Step


Maxima = Mapping[str, Mapping[str, int]]
"""New values of max, by quota and resource."""


def of(moment: Moment, wait: Wait, pod: Pod, steps: Sequence[Step]) -> tuple[str, ...]:
    """What would have to change, one sentence per way out; none where ``wait`` says it all."""
    match wait.reason:
        case "QuotaNotAccepted":
            return ()
        case "ExceedsMax":
            return beyond_max(steps)
        case "NoNodeFits":
            return ("a node of the tree that offers all that is asked", "a smaller request")
    firm = _beyond_min(moment, wait.quota, pod)
    if firm:
        return (firm, f"no label {names.PREEMPTIBLE}: false")
    free = come_free(steps)
    if not free:
        return ()
    if wait.place > 1:
        ahead = "the pod" if wait.place == 2 else f"the {wait.place - 1} pods"
        free = f"{free}, beside what {ahead} ahead in line may take"
    tried = (raise_max(moment, wait, pod, steps), raise_min(moment, wait, pod, steps))
    return (free, *filter(None, tried))


def come_free(steps: Sequence[Step]) -> str:
    """What is missing on the path; what comes free in a quota is free in those above it too."""
    found: list[str] = []
    for key in amount.ordered(step.key for step in steps):
        covered = 0
        for step in steps:
            if step.key == key and step.missing > covered:
                what, where = f"{amount.shown(key, step.missing)} {key}", _where(step)
                found.append(f"{what} in all {where}" if covered else f"{what} {where}")
                covered = step.missing
    return f"{', '.join(found)} must come free" if found else ""


def beyond_max(steps: Sequence[Step]) -> tuple[str, ...]:
    """Of a pod that alone asks for more than some max on its path."""
    maxima: dict[str, dict[str, int]] = {}
    for step in steps:
        if step.max is not None and step.asked > step.max:
            maxima.setdefault(step.quota, {})[step.key] = step.asked
    return (" and ".join(_raised("max", maxima)), "a smaller request") if maxima else ()


def raise_max(moment: Moment, wait: Wait, pod: Pod, steps: Sequence[Step]) -> str:
    """Which max would do, if that alone lets the pod in, by itself or with those ahead of it."""
    before = _ahead(moment, wait)
    for ahead in ({}, before) if before else ({},):
        maxima = _needed(moment, steps, ahead)
        if maxima and _lets_in(moment, maxima, pod):
            raised = " and ".join(_raised("max", maxima))
            return f"{raised}, which also lets in who is ahead of it" if ahead else raised
    return ""


def raise_min(moment: Moment, wait: Wait, pod: Pod, steps: Sequence[Step]) -> str:
    """Which min would do, if that alone makes others give back what the pod lacks."""
    quota, ahead = moment.books.forest.quotas[wait.quota], _ahead(moment, wait)
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
    return " and ".join(_raised("min", {wait.quota: low}))


def _ahead(moment: Moment, wait: Wait) -> dict[str, int]:
    """What those ask for that are ahead in line."""
    waiting = moment.books.account(wait.quota).waiting
    return resources.add(*(other.request for other in waiting[: max(0, wait.place - 1)]))


def _where(step: Step) -> str:
    if step.at_nodes:
        return f"on the nodes of tree {step.quota}"
    return f"among the pods in {step.quota} itself" if step.itself else f"in {step.quota}"


def _beyond_min(moment: Moment, quota: str, pod: Pod) -> str:
    """Said of a pod that may not be taken back, and so must fit in min."""
    if pod.preemptible:
        return ""
    account, low = moment.books.account(quota), moment.books.forest.effective_min(quota)
    after = resources.add(account.non_preemptible, moment.sized(pod).request)
    needed = [
        f"{key} {amount.shown(key, after[key])}"
        for key in amount.ordered(resources.exceeding(after, low))
    ]
    if not needed:
        return ""
    return f"min of {quota} raised to {', '.join(needed)}"


def _needed(moment: Moment, steps: Sequence[Step], ahead: resources.Resources) -> Maxima:
    """Every max on the path that has no room for the pod and for what those ahead ask."""
    found: dict[str, dict[str, int]] = {}
    for step in steps:
        quota = moment.books.forest.quotas[step.quota]
        needed = step.admitted + step.asked + ahead.get(step.key, 0)
        if step.max is not None and step.max < needed and quota.key in moment.ledger.quotas:
            found.setdefault(step.quota, {})[step.key] = needed
    return found


def _lets_in(moment: Moment, maxima: Maxima, pod: Pod) -> bool:
    """Whether the pod is let in at once with these maxima."""
    stored, forest = moment.ledger.quotas, moment.books.forest
    changed = {}
    for name, high in maxima.items():
        quota = stored[forest.quotas[name].key]
        changed[quota.key] = replace(quota, max={**quota.max, **high})
    return _trial(moment, changed).releases(pod)


def _trial(moment: Moment, changed: Mapping[Key, Quota]) -> Moment:
    """The same moment with other quotas."""
    seen = moment.ledger
    ledger = Ledger(
        quotas={**seen.quotas, **changed},
        profiles=seen.profiles,
        pods=seen.pods,
        nodes=seen.nodes,
        namespaces=seen.namespaces,
        time=seen.time,
    )
    return picturing.of(Inputs(ledger, moment.policy, {}))


def _raised(side: str, amounts: Maxima) -> Iterator[str]:
    for name, limits in amounts.items():
        for key in amount.ordered(limits):
            yield f"{side} of {name} raised to {key} {amount.shown(key, limits[key])}"
