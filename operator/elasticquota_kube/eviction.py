"""Evicts one pod through the eviction API and gives each answer one meaning.

The request names the pod by uid too, so that a later pod of the same name is never the victim. When
the answer is lost, the pod may be terminating all the same: its deletionTimestamp is the record. So
callers decide again from live state, never from what they remember of this call.
"""

import contextlib
import re
from enum import StrEnum
from http import HTTPStatus
from typing import Final

from elasticquota.structs import Struct
from elasticquota_kube import budgets
from elasticquota_kube.client.api import Api, ApiError, Document
from elasticquota_kube.client.paths import PODS


PATIENCE: Final = 20.0
"""Seconds for one call: the server itself retries conflicts for ten, also those of another uid."""

# Two places of the server report it, each in its own words.
_OTHER_UID: Final = re.compile(r"UID in (the )?precondition")
_BUDGET: Final = "DisruptionBudget"
_TERMINATING: Final = "NamespaceTerminating"


class EvictionAnswer(StrEnum):
    """Meaning of the API server's answer."""

    EVICTED = "Evicted"  # in flight until the object is gone
    DELETED = "Deleted"  # likewise, against its disruption budget
    GONE = "Gone"  # nothing left to do
    REPLACED = "Replaced"  # another pod has the name now: decide again
    NAMESPACE_TERMINATING = "NamespaceTerminating"  # the pod is deleted with its namespace
    BLOCKED = "Blocked"  # a disruption budget forbids it now: next candidate, retry later
    AMBIGUOUS_BUDGETS = "AmbiguousBudgets"  # several budgets match: never, until they change
    TOO_LARGE = "TooLarge"  # the store takes no write of it: never, until it is smaller
    REFUSED = "Refused"  # forbidden or invalid: a repeated request would be refused, too
    RETRY = "Retry"  # throttled, timed out, in conflict or not reached


class Outcome(Struct, frozen=True):
    """An answer with the server's text; `retry_after` (seconds) only when the server sent it."""

    answer: EvictionAnswer
    message: str = ""
    retry_after: float | None = None
    budget: str = ""
    """Name of the budget, or of all that match, as far as known."""
    status: int = 0
    """The HTTP code of an error; 0: none, or it is unknown."""


async def evict(
    api: Api, namespace: str, name: str, uid: str, *, grace: int | None = None
) -> Outcome:
    """Evict the pod `namespace`/`name` with `uid`; never raises `ApiError`.

    `grace` in seconds shortens that of a pod which is already terminating.
    """
    options: Document = {"preconditions": {"uid": uid}}
    if grace is not None:
        options["gracePeriodSeconds"] = grace
    request = {
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"name": name, "namespace": namespace},
        "deleteOptions": options,
    }
    try:
        await api.within(PATIENCE).create(
            PODS, namespace, request, name=name, subresource="eviction"
        )
    except ApiError as error:
        answer = _answer(error)
        budget = _budget(error) if answer is EvictionAnswer.BLOCKED else ""
        if answer is EvictionAnswer.AMBIGUOUS_BUDGETS:
            budget = await _budgets(api, namespace, name)
        return Outcome(answer, error.message, error.retry_after, budget, error.status)
    return Outcome(EvictionAnswer.EVICTED)


async def shrink(api: Api, namespace: str, name: str, uid: str, label: str) -> None:
    """Take off a pod that is to leave what it needs no more: `label`, and who wrote which field.

    So the store takes its eviction or its deletion. Where this fails, what follows fails, too.
    """
    metadata = {"uid": uid, "labels": {label: None}, "managedFields": [{}]}
    with contextlib.suppress(ApiError):
        await api.within(PATIENCE).patch(PODS, namespace, name, {"metadata": metadata})


async def delete(
    api: Api, namespace: str, name: str, uid: str, *, grace: int | None = None
) -> Outcome:
    """Delete the pod in spite of its disruption budgets; `grace` is that of `evict`.

    It writes the time of deletion, some 14 bytes; an eviction writes about 100. Never raises
    `ApiError`.
    """
    try:
        await api.within(PATIENCE).delete(PODS, namespace, name, uid=uid, grace_seconds=grace)
    except ApiError as error:
        return Outcome(_answer(error), error.message, error.retry_after, status=error.status)
    return Outcome(EvictionAnswer.DELETED)


def _answer(error: ApiError) -> EvictionAnswer:
    if error.is_not_found:
        answer = EvictionAnswer.GONE
    elif error.is_conflict:
        answer = (
            EvictionAnswer.REPLACED if _OTHER_UID.search(error.message) else EvictionAnswer.RETRY
        )
    elif error.has_cause(_TERMINATING):
        answer = EvictionAnswer.NAMESPACE_TERMINATING
    elif error.is_throttled and error.has_cause(_BUDGET):
        answer = EvictionAnswer.BLOCKED
    elif (
        error.status == HTTPStatus.INTERNAL_SERVER_ERROR
        and "more than one poddisruptionbudget" in error.message.lower()
    ):
        answer = EvictionAnswer.AMBIGUOUS_BUDGETS
    elif error.is_too_large_to_store:
        answer = EvictionAnswer.TOO_LARGE
    else:
        answer = EvictionAnswer.RETRY if error.is_unserved else EvictionAnswer.REFUSED
    return answer


async def _budgets(api: Api, namespace: str, name: str) -> str:
    try:
        return ", ".join(await budgets.matching(api, namespace, name))
    except ApiError:
        return ""


def _budget(error: ApiError) -> str:
    """Return the budget's name from the server's message, the only place that has it."""
    for cause in error.causes:
        words = cause.message.split()
        if cause.reason == _BUDGET and words[:3] == ["The", "disruption", "budget"]:
            return words[3] if len(words) > 3 else ""
    return ""
