"""A job that names a quota or queue takes its pods along, unless its namespace may not use it."""

from typing import Any

import pytest

from elasticquota import names
from webhook_fixture import Document, WebhookReplica, patch, quota, review


PATH = "/mutate/job"
QUEUE = "kube-queue/queue-name"
ALIAS = "alibabacloud.com/quota-name"


def job(*, annotations: Any = None, labels: Any = None, template: Any = None) -> Document:
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": "train",
            "namespace": "team",
            "annotations": annotations or {},
            "labels": labels or {},
        },
        "spec": {"template": template or {"spec": {"containers": []}}},
    }


def ray(**annotations: str) -> Document:
    group = {"groupName": "w", "replicas": 2, "template": {"metadata": {}, "spec": {}}}
    cluster = {"headGroupSpec": {"template": {"spec": {}}}, "workerGroupSpecs": [group]}
    return {
        "apiVersion": "ray.io/v1",
        "kind": "RayJob",
        "metadata": {"name": "train", "namespace": "team", "annotations": annotations},
        "spec": {"rayClusterSpec": cluster},
    }


@pytest.fixture
def filled(webhook: WebhookReplica) -> WebhookReplica:
    """Namespace team has the quota mine; two others: of another team, and open to this one."""
    webhook.fill(
        quota("mine", annotations={names.NAMESPACES: '["team"]'}),
        quota("theirs", annotations={names.NAMESPACES: '["other"]'}),
        quota("shared", spec={"access": {"pods": ["team"]}}),
    )
    return webhook


def labels(document: Document, response: Document) -> Any:
    return patch(document, response)["spec"]["template"]["metadata"]["labels"]


@pytest.mark.parametrize(
    "said",
    [
        {"annotations": {QUEUE: "shared"}},
        {"labels": {QUEUE: "shared"}},
        {"labels": {ALIAS: "shared"}},
        {"labels": {"quota.scheduling.alibabacloud.com/name": "shared"}},
        {"labels": {names.QUOTA_NAME: "shared"}},
        {"labels": {ALIAS: "shared"}, "annotations": {QUEUE: "shared"}},
    ],
)
async def test_the_pods_of_a_job_get_the_quota_that_it_names(
    filled: WebhookReplica, said: Any
) -> None:
    document = job(**said)
    response = await filled.ask(PATH, review(document))
    assert response["allowed"]
    assert labels(document, response) == {names.QUOTA_NAME: "shared"}


async def test_every_template_of_a_job_is_labeled_once(filled: WebhookReplica) -> None:
    document = ray(**{QUEUE: "shared"})
    changed = patch(document, await filled.ask(PATH, review(document)))
    cluster = changed["spec"]["rayClusterSpec"]
    for template in (cluster["headGroupSpec"], cluster["workerGroupSpecs"][0]):
        assert template["template"]["metadata"]["labels"] == {names.QUOTA_NAME: "shared"}
    assert not (await filled.ask(PATH, review(changed))).get("patch")


async def test_a_template_that_names_the_same_quota_as_ack_does_gets_our_label_too(
    filled: WebhookReplica,
) -> None:
    template = {"metadata": {"labels": {ALIAS: "shared"}}, "spec": {}}
    document = job(labels={ALIAS: "shared"}, template=template)
    response = await filled.ask(PATH, review(document))
    assert labels(document, response) == {ALIAS: "shared", names.QUOTA_NAME: "shared"}


async def test_a_tenant_does_not_get_into_the_queue_of_another(filled: WebhookReplica) -> None:
    for said in ({"annotations": {QUEUE: "theirs"}}, {"labels": {ALIAS: "theirs"}}):
        status = (await filled.ask(PATH, review(job(**said))))["status"]
        assert status["code"] == 403
        assert (
            "'theirs' accepts no pods from namespace 'team', which 'mine' binds"
            in (status["message"])
        )


async def test_a_queue_that_does_not_exist_is_refused(filled: WebhookReplica) -> None:
    document = job(annotations={QUEUE: "unknown"})
    status = (await filled.ask(PATH, review(document)))["status"]
    assert status["message"] == (
        "Job team/train: metadata.annotations[kube-queue/queue-name]: there is no queue 'unknown', "
        "because there is no quota of that name; leave it out to wait in the queue of the "
        "namespace's quota"
    )


async def test_a_queue_and_a_quota_that_differ_are_refused(filled: WebhookReplica) -> None:
    document = job(annotations={QUEUE: "shared"}, labels={ALIAS: "mine"})
    assert (
        "is not the queue of quota 'mine'"
        in ((await filled.ask(PATH, review(document)))["status"]["message"])
    )
    template = {"metadata": {"labels": {names.QUOTA_NAME: "mine"}}, "spec": {}}
    document = job(annotations={QUEUE: "shared"}, template=template)
    assert (
        "must be 'mine' as in the labels of the pod template"
        in ((await filled.ask(PATH, review(document)))["status"]["message"])
    )


@pytest.mark.parametrize(
    ("listed", "allowed"), [("mine", False), ("mine, shared", True), ("*", True), ("", False)]
)
async def test_a_namespace_restricts_its_jobs_to_the_quotas_that_it_has_available(
    filled: WebhookReplica, listed: str, allowed: bool
) -> None:
    filled.see_namespace("team", annotations={"kube-queue/available-quota": listed})
    response = await filled.ask(PATH, review(job(annotations={QUEUE: "shared"})))
    assert response["allowed"] is allowed
    if not allowed:
        assert "namespace 'team' has no quota 'shared' available" in response["status"]["message"]


async def test_a_job_without_a_template_says_that_it_cannot_take_its_pods_along(
    filled: WebhookReplica,
) -> None:
    spark = {**job(labels={ALIAS: "shared"}), "kind": "SparkApplication", "spec": {}}
    spark["apiVersion"] = "sparkoperator.k8s.io/v1beta2"
    message = (await filled.ask(PATH, review(spark)))["status"]["message"]
    assert "a SparkApplication has no pod template that could take it along" in message


async def test_a_pod_that_names_its_quota_as_ack_does_gets_our_label(
    filled: WebhookReplica,
) -> None:
    document: Document = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "namespace": "team", "labels": {ALIAS: "shared"}},
        "spec": {"containers": []},
    }
    response = await filled.ask("/mutate/pod", review(document))
    assert patch(document, response)["metadata"]["labels"][names.QUOTA_NAME] == "shared"
    document["metadata"]["labels"] = {ALIAS: "theirs"}
    assert (await filled.ask("/mutate/pod", review(document)))["status"]["code"] == 403
    document["metadata"]["labels"] = {ALIAS: "theirs", names.QUOTA_NAME: "shared"}
    assert (await filled.ask("/mutate/pod", review(document)))["allowed"], "ours comes first"
