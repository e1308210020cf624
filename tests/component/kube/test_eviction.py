"""Each answer of the eviction API means one thing."""

from typing import Any

import pytest

from api_double import ApiDouble, Refusal, refusals
from elasticquota_kube import eviction
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.eviction import EvictionAnswer


def running(double: ApiDouble) -> str:
    meta = {"namespace": "team", "name": "a", "labels": {"app": "x"}}
    pod = {"metadata": meta, "spec": {"nodeName": "n-1"}, "status": {"phase": "Running"}}
    return str(double.put(paths.PODS, pod)["metadata"]["uid"])


async def test_an_evicted_pod_that_the_request_names_by_uid_terminates(
    double: ApiDouble, api: Api
) -> None:
    uid = running(double)
    outcome = await eviction.evict(api, "team", "a", uid)
    assert outcome == eviction.Outcome(EvictionAnswer.EVICTED)
    call = double.calls[-1]
    assert call.path == "/api/v1/namespaces/team/pods/a/eviction"
    assert call.body["apiVersion"] == "policy/v1"
    assert call.body["deleteOptions"] == {"preconditions": {"uid": uid}}
    assert "deletionTimestamp" in double.object(paths.PODS, "team", "a")["metadata"]


async def test_a_deleted_pod_terminates_too(double: ApiDouble, api: Api) -> None:
    uid = running(double)
    double.refuse_eviction("team", "a", refusals.two_budgets())
    outcome = await eviction.delete(api, "team", "a", uid)
    assert outcome == eviction.Outcome(EvictionAnswer.DELETED)
    assert double.calls[-1].body["preconditions"] == {"uid": uid}
    assert "deletionTimestamp" in double.object(paths.PODS, "team", "a")["metadata"]


async def test_a_deleted_pod_needs_no_eviction(double: ApiDouble, api: Api) -> None:
    outcome = await eviction.evict(api, "team", "a", "uid")
    assert outcome.answer is EvictionAnswer.GONE


@pytest.mark.parametrize("ask", [eviction.evict, eviction.delete])
async def test_a_successor_of_the_same_name_is_no_victim(
    double: ApiDouble, api: Api, ask: Any
) -> None:
    running(double)
    outcome = await ask(api, "team", "a", "uid-of-the-first")
    assert outcome.answer is EvictionAnswer.REPLACED
    assert "deletionTimestamp" not in double.object(paths.PODS, "team", "a")["metadata"]


@pytest.mark.parametrize(
    ("refusal", "answer", "retry_after", "budget"),
    [
        (refusals.blocked_by_budget("web"), EvictionAnswer.BLOCKED, None, "web"),
        (refusals.blocked_by_budget("web", 10), EvictionAnswer.BLOCKED, 10, "web"),
        (refusals.two_budgets(), EvictionAnswer.AMBIGUOUS_BUDGETS, None, ""),
        (
            refusals.namespace_terminating("a", "team"),
            EvictionAnswer.NAMESPACE_TERMINATING,
            None,
            "",
        ),
        (refusals.throttled(7), EvictionAnswer.RETRY, 7, ""),
        (refusals.stale(paths.PODS, "a"), EvictionAnswer.RETRY, None, ""),
        (Refusal(500, "InternalError", "etcd is away"), EvictionAnswer.RETRY, None, ""),
        (Refusal(504, "Timeout", "too long", pause=10), EvictionAnswer.RETRY, 10, ""),
        (Refusal(403, "Forbidden", "no right to evict"), EvictionAnswer.REFUSED, None, ""),
        (refusals.bad_request("not an eviction"), EvictionAnswer.REFUSED, None, ""),
        (refusals.too_large_to_store(), EvictionAnswer.TOO_LARGE, None, ""),
        (refusals.denied_by_webhook(429), EvictionAnswer.REFUSED, None, ""),
        (refusals.failing_webhook(), EvictionAnswer.REFUSED, None, ""),
    ],
    ids=str,
)
async def test_each_refusal_has_its_meaning(
    double: ApiDouble,
    api: Api,
    refusal: Refusal,
    answer: EvictionAnswer,
    retry_after: float | None,
    budget: str,
) -> None:
    uid = running(double)
    double.refuse_eviction("team", "a", refusal)
    outcome = await eviction.evict(api, "team", "a", uid)
    assert outcome == eviction.Outcome(answer, refusal.message, retry_after, budget, refusal.code)
    assert double.count("POST") == 1


async def test_an_api_server_that_is_away_means_retry(double: ApiDouble, api: Api) -> None:
    uid = running(double)
    await double.refuse()
    outcome = await eviction.evict(api, "team", "a", uid)
    assert outcome.answer is EvictionAnswer.RETRY
