"""Reviews of capacity scheduling's quotas: faults are refused, what is stored stays editable."""

from typing import Any

import pytest

from api_double import ApiDouble, Kind, Refusal
from elasticquota_kube.client import paths
from webhook_fixture import Document, WebhookReplica, review


PATH = "/validate/capacity"


@pytest.fixture(autouse=True)
def _served(double: ApiDouble) -> None:
    double.serve(Kind(paths.CAPACITY_QUOTAS, "ElasticQuota", status=True))


def quota(low: Any, high: Any, name: str = "quota", **meta: Any) -> Document:
    return {
        "apiVersion": "scheduling.x-k8s.io/v1alpha1",
        "kind": "ElasticQuota",
        "metadata": {"name": name, "namespace": "team", **meta},
        "spec": {"min": low, "max": high},
    }


def asked(new: Document | None, old: Document | None = None) -> Document:
    return review(new, old, namespace="team")


async def test_seed_003_proposal_min_above_max_is_refused_with_both(
    webhook: WebhookReplica,
) -> None:
    response = await webhook.ask(PATH, asked(quota({"cpu": 5}, {"cpu": 4})))
    assert not response["allowed"]
    assert response["status"]["code"] == 422
    assert response["status"]["message"] == (
        "ElasticQuota team/quota: spec.min.cpu: 5 must be less than or equal to 4, its max; lower "
        "min or raise max"
    )


@pytest.mark.parametrize("low", [{"cpu": "x"}, {"cpu": -1}, {"cpu": {}}, ["cpu"], "cpu", 7])
async def test_amounts_that_are_none_are_refused(webhook: WebhookReplica, low: Any) -> None:
    response = await webhook.ask(PATH, asked(quota(low, None)))
    assert "spec.min" in response["status"]["message"]


async def test_a_quota_that_was_stored_before_stays_editable(webhook: WebhookReplica) -> None:
    bad = quota({"cpu": 5}, {"cpu": 4})
    assert (await webhook.ask(PATH, asked(quota({"cpu": 5}, {"cpu": 4, "memory": 1}), bad)))[
        "allowed"
    ]
    assert (await webhook.ask(PATH, asked(None, bad)))["allowed"], "it is deleted"


async def test_seed_003_proposal_a_second_quota_is_refused_and_names_the_first(
    webhook: WebhookReplica,
) -> None:
    new = asked(quota({"cpu": 1}, {"cpu": 2}, "second"))
    assert (await webhook.ask(PATH, new))["allowed"]
    webhook.double.put(paths.CAPACITY_QUOTAS, quota({"cpu": 1}, {"cpu": 2}, "first"))
    response = await webhook.ask(PATH, new)
    assert not response["allowed"]
    assert "and team has first; edit that one" in response["status"]["message"]
    stored = quota({"cpu": 1}, {"cpu": 2}, "second")
    assert (await webhook.ask(PATH, asked(stored, stored)))["allowed"], "it was stored before"


async def test_a_quota_that_is_being_deleted_does_not_count(webhook: WebhookReplica) -> None:
    leaving = {"deletionTimestamp": "2026-11-24T00:00:00Z", "finalizers": ["example.com/slow"]}
    webhook.double.put(paths.CAPACITY_QUOTAS, quota({}, {}, "first", **leaving))
    assert (await webhook.ask(PATH, asked(quota({}, {}, "second"))))["allowed"]


async def test_where_the_namespace_cannot_be_read_the_quota_is_stored_with_a_warning(
    webhook: WebhookReplica,
) -> None:
    webhook.double.faults.answer(Refusal(403, "Forbidden", "no"), times=9, method="GET")
    response = await webhook.ask(PATH, asked(quota({}, {})))
    assert response["allowed"]
    (warning,) = response["warnings"]
    assert warning.startswith("whether the namespace has a quota already cannot be read (")
