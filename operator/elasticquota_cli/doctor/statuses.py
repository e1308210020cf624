"""Reports conditions in statuses that ask for action, as the controller wrote them."""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from elasticquota.status import quota_conditions
from elasticquota_cli.doctor.inventory import Inventory, Stated
from elasticquota_cli.doctor.report import Finding, Level


class _ConditionFinding(NamedTuple):
    bad: str
    """The status of the condition that is a finding."""
    level: Level
    remedy: str


_OF_QUOTAS: Final[Mapping[str, _ConditionFinding]] = {
    "Accepted": _ConditionFinding(
        "False",
        "error",
        "correct what the message names; until then the quota guarantees nothing and its pods wait",
    ),
    "ProfileMissing": _ConditionFinding(
        "True", "warning", "re-create the profile, or delete the quota"
    ),
    "Starved": _ConditionFinding(
        "True", "warning", "docs/reclaim.md says what each reason asks for"
    ),
    "LimitsNothing": _ConditionFinding(
        "True", "info", "label the pods, bind their namespaces, or delete the quota"
    ),
    "ReclaimBlocked": _ConditionFinding(
        "True", "warning", "let the budget disrupt a pod, or wait for reclaim.deleteAfterSeconds"
    ),
    "Unscheduled": _ConditionFinding(
        "True",
        "warning",
        "kubectl describe pod says what the scheduler misses; where nodes should have come, see "
        "that an autoscaler serves the pool and may add more",
    ),
}
_OF_PROFILES: Final[Mapping[str, _ConditionFinding]] = {
    "Ready": _ConditionFinding(
        "False", "error", "correct what the message names, or the labels of the nodes"
    ),
    "NodesOverlap": _ConditionFinding("True", "warning", "select each node by one profile only"),
}
_FIRST: Final = {"ElasticQuota": "Accepted", "ElasticQuotaProfile": "Ready"}
_LOOK: Final = "check that the controller leads, and read its log"


def look_at_quotas(inventory: Inventory) -> Iterator[Finding]:
    """Findings from the conditions of quotas."""
    for stated in inventory.quota_statuses:
        yield from _findings("ElasticQuota", stated, _OF_QUOTAS)
        accepted, ready = stated.conditions.get("Accepted"), stated.conditions.get("Ready")
        if accepted and ready and ready.reason == quota_conditions.WITH_WARNINGS:
            remedy = "change what the message names"
            yield _finding("warning", "ElasticQuota", stated, accepted.message, remedy)


def look_at_profiles(inventory: Inventory) -> Iterator[Finding]:
    """Findings from the conditions of profiles."""
    for stated in inventory.profile_statuses:
        yield from _findings("ElasticQuotaProfile", stated, _OF_PROFILES)


def _findings(
    kind: str, stated: Stated, table: Mapping[str, _ConditionFinding]
) -> Iterator[Finding]:
    for type_, each in table.items():
        condition = stated.conditions.get(type_)
        if condition is not None and condition.status == each.bad:
            text = f"{type_} is {condition.status}: {condition.reason}: {condition.message}"
            yield _finding(each.level, kind, stated, text, each.remedy)
    if _FIRST[kind] not in stated.conditions:
        text = "the controller has not reported on it yet"
        yield _finding("warning", kind, stated, text, _LOOK)
    elif stated.observed < stated.generation:
        text = (
            f"the controller has processed generation {stated.observed}, and not the last one, "
            f"{stated.generation}"
        )
        yield _finding("warning", kind, stated, text, _LOOK)


def _finding(level: Level, kind: str, stated: Stated, text: str, remedy: str) -> Finding:
    return Finding(level, f"{kind} {stated.key}", text, remedy, (stated.key.namespace,))
