"""The result of a simulation: the figures of every quota, the waiting pods, and the evictions.

Borrowed is used above min. Lent is the part of min that no pod below asks for and that others may
use. A quota that does not lend asks for all of its min itself, and a root quota has no siblings to
lend to. Min is the effective one: empty while the quota is not accepted.
"""

from collections.abc import Sequence

from elasticquota import resources
from elasticquota.model.decision import Condition, ProfileStatus, QuotaStatus
from elasticquota.resources import EMPTY, Resources
from elasticquota.wire.codec import figures
from elasticquota_cli.simulate import report
from elasticquota_cli.simulate.settle import Settling


def of(settling: Settling, refused: list[report.Refused]) -> report.Simulation:
    """The outcome of ``settling``, without notes.

    Quotas come by tree, each before those below it; then the quotas in no tree.
    """
    waits = settling.last.of_workloads.waits
    return report.Simulation(
        api_version=report.API_VERSION,
        settled=settling.settled,
        elapsed_milliseconds=settling.elapsed,
        profiles=[_profile(status) for status in settling.last.profiles],
        quotas=_in_trees([_quota(status) for status in settling.last.statuses]),
        waiting=[
            report.Waiting(*wait.pod, quota=wait.quota, reason=wait.reason, message=wait.stated)
            for wait in sorted(waits, key=lambda wait: (wait.quota, wait.place, wait.pod))
        ],
        reclaims=settling.reclaims,
        refused=refused,
        notes=[],
    )


def _quota(status: QuotaStatus) -> report.Quota:
    accepted = _condition(status.conditions, "Accepted")
    idle = resources.positive(resources.subtract(status.min, status.request))
    is_below = status.tree not in ("", status.key.name)
    return report.Quota(
        *status.key,
        tree=status.tree,
        parent=status.parent,
        request=resources.text(status.request),
        used=resources.text(status.used),
        runtime=resources.text(status.runtime),
        min=resources.text(status.min),
        max=resources.text(_limits(status.max)),
        borrowed=resources.text(status.above_min if is_below else EMPTY),
        lent=resources.text(resources.masked(idle, status.min) if is_below else EMPTY),
        pods=report.Pods(running=status.pods_admitted, waiting=status.pods_gated),
        accepted=accepted.reason == "Accepted",
        reason=accepted.reason,
        message="" if accepted.status else accepted.message,
    )


def _limits(found: Resources) -> Resources:
    """Without what stands for "no limit"."""
    return {key: amount for key, amount in found.items() if not figures.boundless(key, amount)}


def _profile(status: ProfileStatus) -> report.Profile:
    ready = _condition(status.conditions, "Ready")
    return report.Profile(
        *status.key,
        tree_id=status.tree_id,
        nodes=status.nodes,
        ready=ready.status,
        reason=ready.reason,
        message=ready.message,
    )


def _condition(conditions: Sequence[Condition], kind: str) -> Condition:
    return next(found for found in conditions if found.type == kind)


def _in_trees(figures: list[report.Quota]) -> list[report.Quota]:
    below: dict[str, list[report.Quota]] = {}
    tops: list[report.Quota] = []
    nowhere: list[report.Quota] = []
    held = {each.name for each in figures if each.tree}
    for quota in sorted(figures, key=lambda each: (each.tree, each.name, each.key)):
        if not quota.tree:
            nowhere.append(quota)
        elif quota.parent in held:
            below.setdefault(quota.parent, []).append(quota)
        else:
            tops.append(quota)
    ordered: list[report.Quota] = []
    stack = tops[::-1]
    while stack:
        quota = stack.pop()
        ordered.append(quota)
        stack.extend(below.get(quota.name, [])[::-1])
    return ordered + nowhere
