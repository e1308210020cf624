"""Answers warn of keys that are passed over; nothing is refused for them."""

from typing import Any

import pytest

from webhook_fixture import CONTROLLER, WebhookReplica, review


Document = dict[str, Any]
K, E = "quota.scheduling.koordinator.sh/", "elasticquota.dev/"
QUOTA, PROFILE, POD, KEYS = (
    "/validate/elasticquota",
    "/validate/profile",
    "/mutate/pod",
    "/validate/keys",
)


def manifest(api: str, kind: str, namespace: str = "team", **metadata: Any) -> Document:
    meta = {"name": "a", "namespace": namespace} if namespace else {"name": "a"}
    return {"apiVersion": api, "kind": kind, "metadata": {**meta, **metadata}}


def quota(**metadata: Any) -> Document:
    """One that is named like its namespace."""
    api = "scheduling.sigs.k8s.io/v1alpha1"
    found = manifest(api, "ElasticQuota", namespace="a", **metadata)
    return {**found, "spec": {"min": {"cpu": "1"}, "max": {"cpu": "2"}}}


def pod(**metadata: Any) -> Document:
    return {**manifest("v1", "Pod", **metadata), "spec": {"containers": [{"name": "main"}]}}


async def warnings(webhook: WebhookReplica, path: str, question: Document) -> list[str]:
    response = await webhook.ask(path, question)
    assert response["allowed"]
    found: list[str] = response.get("warnings", [])
    return found


async def test_seed_001_text_a_label_of_a_quota_written_as_an_annotation_is_a_warning(
    webhook: WebhookReplica,
) -> None:
    webhook.fill()
    written = quota(annotations={f"{K}tree-id": "secret"}, labels={f"{K}parent-quota-name": "x"})
    assert await warnings(webhook, QUOTA, review(written)) == [
        f"metadata.labels[{K}parent-quota-name]: has no effect; did you mean parent?",
        f"metadata.annotations[{K}tree-id]: has no effect: it is a label, not an annotation",
    ]


async def test_the_controller_is_not_warned(webhook: WebhookReplica) -> None:
    webhook.fill()
    written = quota(annotations={f"{K}tree-id": "x"})
    assert await warnings(webhook, QUOTA, review(written, user=CONTROLLER)) == []


async def test_a_removal_is_no_occasion(webhook: WebhookReplica) -> None:
    written = quota(annotations={f"{K}tree-id": "x"})
    webhook.fill(written)
    assert await warnings(webhook, QUOTA, review(None, written)) == []


async def test_a_profile_is_warned_of(webhook: WebhookReplica) -> None:
    webhook.fill()
    written = manifest(
        "quota.koordinator.sh/v1alpha1", "ElasticQuotaProfile", annotations={f"{K}tree-id": "x"}
    )
    spec = {"quotaName": "root", "nodeSelector": {"matchLabels": {"pool": "x"}}}
    (found,) = await warnings(webhook, PROFILE, review({**written, "spec": spec}))
    assert found.endswith("it is a label, not an annotation")


async def test_a_pod_that_a_user_creates_is_warned_of_and_one_of_a_controller_is_not(
    webhook: WebhookReplica,
) -> None:
    webhook.fill()
    (found,) = await warnings(webhook, POD, review(pod(annotations={f"{K}name": "team-a"})))
    assert (
        found == f"metadata.annotations[{K}name]: has no effect: it is a label, not an annotation"
    )
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "controller": True}
    made = pod(annotations={f"{K}name": "team-a"}, ownerReferences=[owner])
    assert await warnings(webhook, POD, review(made)) == []


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (
            manifest("v1", "Namespace", "", annotations={f"{E}quota": "team-a"}),
            "it is a label, not an annotation",
        ),
        (
            manifest(
                "scheduling.sigs.k8s.io/v1beta1",
                "ElasticQuotaTree",
                annotations={f"{E}profle": "x"},
            ),
            "did you mean profile?",
        ),
    ],
)
async def test_namespaces_and_trees_are_warned_of(
    webhook: WebhookReplica, written: Document, said: str
) -> None:
    (found,) = await warnings(webhook, KEYS, review(written))
    assert found.endswith(said)
    assert await warnings(webhook, KEYS, review(None, written)) == []


async def test_no_other_kind_is_judged_there(webhook: WebhookReplica) -> None:
    assert await warnings(webhook, KEYS, review(pod(annotations={f"{K}name": "x"}))) == []
