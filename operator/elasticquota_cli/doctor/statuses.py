"""Reports conditions in statuses that ask for action, as the controller wrote them."""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from elasticquota.status import quota_conditions
from elasticquota_cli.doctor.inventory import Inventory, Stated
from elasticquota_cli.doctor.report import Finding, Level


class _Told(NamedTuple):
    bad: str
    """The status of the condition that is a finding."""
    level: Level
    remedy: str


_OF_QUOTAS: Final[Mapping[str, _Told]] = {
    "Accepted": _Told(
        "False",
        "error",
        "correct what the message names; until then the quota guarantees nothing and its pods wait",
    ),
    "ProfileMissing": _Told("True", "warning", "re-create the profile, or delete the quota"),
    "Starved": _Told("True", "warning", "docs/reclaim.md says what each reason asks for"),
    "LimitsNothing": _Told(
        "True", "info", "label the pods, bind their namespaces, or delete the quota"
    ),
    "ReclaimBlocked": _Told(
        "True", "warning", "let the budget disrupt a pod, or wait for reclaim.deleteAfterSeconds"
    ),
    "Unscheduled": _Told(
        "True",
        "warning",
        "kubectl describe pod says what the scheduler misses; where nodes should have come, see "
        "that an autoscaler serves the pool and may add more",
    ),
}
_OF_PROFILES: Final[Mapping[str, _Told]] = {
    "Ready": _Told("False", "error", "correct what the message names, or the labels of the nodes"),
    "NodesOverlap": _Told("True", "warning", "select each node by one profile only"),
}
_FIRST: Final = {"ElasticQuota": "Accepted", "ElasticQuotaProfile": "Ready"}
_LOOK: Final = "check that the controller leads, and read its log"


def look_at_quotas(inventory: Inventory) -> Iterator[Finding]:
    """Findings from the conditions of quotas."""
    for stated in inventory.quota_statuses:
        yield from _told("ElasticQuota", stated, _OF_QUOTAS)
        accepted, ready = stated.conditions.get("Accepted"), stated.conditions.get("Ready")
        if accepted and ready and ready.reason == quota_conditions.WITH_WARNINGS:
            remedy = "change what the message names"
            yield _finding("warning", "ElasticQuota", stated, accepted.message, remedy)


def look_at_profiles(inventory: Inventory) -> Iterator[Finding]:
    """Findings from the conditions of profiles."""
    for stated in inventory.profile_statuses:
        yield from _told("ElasticQuotaProfile", stated, _OF_PROFILES)


def _told(kind: str, stated: Stated, table: Mapping[str, _Told]) -> Iterator[Finding]:
    for type_, told in table.items():
        found = stated.conditions.get(type_)
        if found is not None and found.status == told.bad:
            text = f"{type_} is {found.status}: {found.reason}: {found.message}"
            yield _finding(told.level, kind, stated, text, told.remedy)
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
