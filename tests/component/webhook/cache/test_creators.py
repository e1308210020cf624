"""Where YuniKorn's queues are followed, the creator is written on a pod or into its template."""

import pytest

from elasticquota.wire.integrations.queues import QueueConfig
from elasticquota.wire.kubernetes import holders
from webhook_fixture import Document, WebhookReplica, pod, review


POD, WORKLOAD = "/mutate/pod", "/mutate/workload"
CONTROLLER = "system:serviceaccount:kube-system:job-controller"
ANN = '{"user":"ann","groups":["system:authenticated"]}'


class Broken:
    """A configuration that places no pod."""

    config: QueueConfig | None = None
    is_good = False


@pytest.fixture
def queued(webhook: WebhookReplica) -> WebhookReplica:
    """A replica where YuniKorn's queues are followed."""
    webhook.fill()
    webhook.caches.queues.follow(Broken())
    return webhook


def workload(kind: str, annotations: Document | None = None) -> Document:
    template: Document = {"metadata": {"labels": {"app": "x"}}, "spec": {}}
    if annotations is not None:
        template["metadata"]["annotations"] = annotations
    spec: Document = {"template": template}
    if kind == "CronJob":
        spec = {"jobTemplate": {"spec": spec}}
    group = "batch/v1" if "Job" in kind else "apps/v1"
    return {
        "apiVersion": group,
        "kind": kind,
        "metadata": {"name": "w", "namespace": "team"},
        "spec": spec,
    }


def written(found: Document) -> str:
    spec = found["spec"]
    template = (
        spec["jobTemplate"]["spec"]["template"] if "jobTemplate" in spec else spec["template"]
    )
    stamp: str = (template["metadata"].get("annotations") or {}).get(holders.STAMP, "")
    return stamp


async def test_the_creator_of_a_pod_is_written_on_it(queued: WebhookReplica) -> None:
    patched, response = await queued.mutate(POD, pod(), user="ann")
    assert response["allowed"]
    assert patched["metadata"]["annotations"] == {holders.STAMP: ANN}


async def test_without_followed_queues_no_user_is_written(webhook: WebhookReplica) -> None:
    webhook.fill()
    patched, _ = await webhook.mutate(POD, pod(), user="ann")
    assert "annotations" not in patched["metadata"]


async def test_a_controller_creates_pods_for_the_user_that_is_written_on_them(
    queued: WebhookReplica,
) -> None:
    made = pod()
    patched, _ = await queued.mutate(POD, made, user=CONTROLLER)
    assert "annotations" not in patched["metadata"]
    made["metadata"]["annotations"] = {holders.STAMP: ANN}
    patched, _ = await queued.mutate(POD, made, user=CONTROLLER)
    assert patched["metadata"]["annotations"] == {holders.STAMP: ANN}


async def test_an_existing_stamp_is_left_to_the_policy(queued: WebhookReplica) -> None:
    made = pod()
    made["metadata"]["annotations"] = {holders.STAMP: ANN}
    patched, _ = await queued.mutate(POD, made, user="bob")
    assert patched["metadata"]["annotations"] == {holders.STAMP: ANN}


@pytest.mark.parametrize(
    "kind", ["Deployment", "StatefulSet", "Job", "CronJob", "ReplicationController"]
)
async def test_the_creator_of_a_workload_is_written_into_its_template(
    queued: WebhookReplica, kind: str
) -> None:
    for present in (None, {}, {"other": "x"}):
        patched, _ = await queued.mutate(WORKLOAD, workload(kind, present), user="ann")
        assert written(patched) == ANN


async def test_a_template_without_metadata_gets_metadata(queued: WebhookReplica) -> None:
    made = workload("Job")
    del made["spec"]["template"]["metadata"]
    patched, _ = await queued.mutate(WORKLOAD, made, user="ann")
    assert written(patched) == ANN


async def test_a_workload_of_a_controller_is_left_alone(queued: WebhookReplica) -> None:
    patched, _ = await queued.mutate(WORKLOAD, workload("ReplicaSet"), user=CONTROLLER)
    assert written(patched) == ""


async def test_an_edit_that_drops_the_user_restores_it(queued: WebhookReplica) -> None:
    old = workload("Deployment", {holders.STAMP: ANN})
    response = await queued.ask(WORKLOAD, review(workload("Deployment"), old, user="bob"))
    assert response["patch"]
    patched, _ = await queued.mutate(WORKLOAD, workload("Deployment"), old=old, user="bob")
    assert written(patched) == ANN


async def test_an_edit_of_an_older_workload_adds_no_user(queued: WebhookReplica) -> None:
    old = workload("Deployment")
    patched, _ = await queued.mutate(WORKLOAD, workload("Deployment"), old=old, user="bob")
    assert written(patched) == ""
