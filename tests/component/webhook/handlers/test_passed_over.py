"""Answers warn of keys that are passed over; nothing is refused for them."""

from typing import Any

import pytest

import webhook_fixture as fixture
from webhook_fixture import CONTROLLER, Document, WebhookReplica, review


K, E = "quota.scheduling.koordinator.sh/", "elasticquota.dev/"
QUOTA, PROFILE, POD, KEYS = (
    "/validate/elasticquota",
    "/validate/profile",
    "/mutate/pod",
    "/validate/keys",
)


def quota(**keys: dict[str, str]) -> Document:
    """One that is named like its namespace, with these labels or annotations."""
    made = fixture.quota("a", {"cpu": "1"}, {"cpu": "2"}, namespace="a")
    made["metadata"] |= keys
    return made


def pod(**keys: Any) -> Document:
    made = fixture.pod()
    made["metadata"] |= keys
    return made


def plain(api: str, kind: str, **annotations: str) -> Document:
    """An object of another kind with these annotations of ours."""
    keys = {f"{E}{key}": text for key, text in annotations.items()}
    return {"apiVersion": api, "kind": kind, "metadata": {"name": "a", "annotations": keys}}


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
    written = fixture.profile("gpu", "root", pool="x")
    written["metadata"]["annotations"] = {f"{K}tree-id": "x"}
    (found,) = await warnings(webhook, PROFILE, review(written))
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
        (plain("v1", "Namespace", quota="team-a"), "it is a label, not an annotation"),
        (
            plain("scheduling.sigs.k8s.io/v1beta1", "ElasticQuotaTree", profle="x"),
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
