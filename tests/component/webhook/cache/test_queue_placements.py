"""New pods where YuniKorn's queues are followed: placed in a queue, refused, or left alone."""

import copy
from dataclasses import dataclass
from typing import Any

import pytest

import translations
from elasticquota import names
from elasticquota.integrations.translation import naming
from elasticquota.model import holder
from elasticquota.wire.admission.review import AnyObject
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota.wire.integrations import queues
from elasticquota.wire.integrations.queues import QueueConfig
from elasticquota.wire.kubernetes import holders
from elasticquota_kube.informer import reflector
from webhook_fixture import CONTROLLER, Document, WebhookReplica, parent, pod, quota, review


PATH = "/mutate/pod"
RULES = "placementrules: [{name: provided}, {name: user, parent: {name: fixed, value: users}}]"
TEXT = (
    "partitions: [{name: default, queues: [{name: a}, {name: users, queues: [{name: ann}]}], "
    f"{RULES}}}]"
)


@dataclass
class Followed:
    """A configuration as the replica has read it."""

    config: QueueConfig | None
    is_good: bool = True


def followed(text: str = TEXT) -> Followed:
    return Followed(queues.read(translations.decoded(text)[0]))


def kept(manifest: Document, path: str) -> Document:
    """A quota made from a queue."""
    manifest["metadata"]["labels"][names.DIALECT] = "yunikorn"
    manifest["metadata"]["annotations"][names.SOURCE] = f"yunikorn:{path}"
    return manifest


def kept_quotas() -> tuple[Document, ...]:
    return (
        kept(quota("root-a"), "root.a"),
        kept(parent("root-users"), "root.users"),
        kept(quota("root-users-ann", parent="root-users"), "root.users.ann"),
    )


@pytest.fixture
def queued(webhook: WebhookReplica) -> WebhookReplica:
    """A replica that follows the configuration and has the quotas of its queues."""
    webhook.fill(*kept_quotas())
    webhook.caches.queues.follow(followed())
    return webhook


def asking(queue: str = "", **more: Any) -> Document:
    made = pod(**more)
    if queue:
        made["metadata"].setdefault("labels", {})["queue"] = queue
    return made


async def label(webhook: WebhookReplica, new: Document, **how: Any) -> str:
    """The quota label that the pod gets; with a label it must have the gate, too."""
    patched, response = await webhook.mutate(PATH, new, **how)
    assert response["allowed"]
    found: str = patched["metadata"].get("labels", {}).get(names.QUOTA_NAME, "")
    assert bool(found) == bool(patched["spec"].get("schedulingGates"))
    return found


async def test_a_pod_gets_the_quota_of_the_queue_that_it_names(queued: WebhookReplica) -> None:
    assert await label(queued, asking("root.a")) == "root-a"
    assert await label(queued, asking("A")) == "root-a"


async def test_a_pod_gets_the_queue_of_its_creator(queued: WebhookReplica) -> None:
    assert await label(queued, asking(), user="ann") == "root-users-ann"


async def test_a_pod_that_matches_no_rule_is_refused_with_the_tried_rules(
    queued: WebhookReplica,
) -> None:
    response = await queued.ask(PATH, review(asking("nobody"), user="bob"))
    assert response["status"]["code"] == 422
    assert response["status"]["message"] == (
        "Pod team/p: metadata.labels[yunikorn.apache.org/queue]: no placement rule matched, and "
        "there is no root.default; tried: provided, user below fixed users"
    )


async def test_a_pod_of_a_controller_without_a_stamp_has_no_known_user(
    queued: WebhookReplica,
) -> None:
    queued.caches.queues.follow(
        followed(TEXT.replace("ann", '"system:serviceaccount:kube-system:x"'))
    )
    response = await queued.ask(PATH, review(asking(), user="system:serviceaccount:kube-system:x"))
    assert "no placement rule matched" in response["status"]["message"]


async def test_a_pod_of_a_controller_gets_the_queue_of_its_stamped_user(
    queued: WebhookReplica,
) -> None:
    new = asking()
    new["metadata"]["annotations"] = {holders.STAMP: holders.stamp("ann", ())}
    assert await label(queued, new, user="system:serviceaccount:kube-system:x") == "root-users-ann"


async def test_our_label_overrides_all_placement_rules(queued: WebhookReplica) -> None:
    queued.see(quota("mine"))
    assert await label(queued, asking("root.a", label="mine")) == "mine"


async def test_namespaces_bound_to_a_quota_of_ours_are_left_alone(queued: WebhookReplica) -> None:
    queued.see(quota("theirs", annotations={names.NAMESPACES: '["team"]'}))
    assert await label(queued, asking("root.a")) == "theirs"


async def test_a_pod_belongs_to_its_namespace_while_its_queue_has_no_quota(
    queued: WebhookReplica,
) -> None:
    text = TEXT.replace("{name: a}", "{name: a}, {name: new}")
    queued.caches.queues.follow(followed(text))
    assert await label(queued, asking("new")) == ""


MAKES = TEXT.replace("{name: user,", "{name: user, create: true,")


async def test_a_pod_of_a_queue_created_by_a_rule_waits_for_its_quota(
    queued: WebhookReplica,
) -> None:
    queued.caches.queues.follow(followed(MAKES))
    expected = naming.own(("root", "users", "bob"))
    assert await label(queued, asking(), user="bob") == expected
    assert await label(queued, asking(), user="ann") == "root-users-ann"


async def test_a_pod_gets_the_quota_once_it_is_created(queued: WebhookReplica) -> None:
    queued.caches.queues.follow(followed(MAKES))
    name = naming.own(("root", "users", "bob"))
    queued.see(kept(quota(name, parent="root-users"), "root.users.bob"))
    assert await label(queued, asking(), user="bob") == name


async def test_a_queue_created_for_the_namespace_is_not_created_for_the_pod(
    queued: WebhookReplica,
) -> None:
    rules = "placementrules: [{name: tag, value: namespace, create: true}]"
    queued.caches.queues.follow(followed(TEXT.replace(RULES, rules)))
    assert await label(queued, asking(), user="bob") == ""


@pytest.mark.parametrize("excused", [{"namespace": "kube-system"}, {"nodeName": "n-1"}])
async def test_system_pods_and_running_pods_are_not_refused(
    queued: WebhookReplica, excused: dict[str, str]
) -> None:
    response = await queued.ask(PATH, review(asking("nobody", **excused)))
    assert response["allowed"]


async def test_a_broken_or_missing_configuration_places_no_pod(webhook: WebhookReplica) -> None:
    webhook.fill(*kept_quotas())
    assert await label(webhook, asking("root.a")) == ""
    webhook.caches.queues.follow(Followed(None, is_good=False))
    assert await label(webhook, asking("root.a")) == ""


async def test_a_deleted_quota_removes_its_queue(queued: WebhookReplica) -> None:
    stored = kept(quota("root-b", version=2), "root.a")
    queued.see(stored)
    assert await label(queued, asking("root.a")) == "root-b"
    queued.caches.queues.quotas.delete(reflector.ObjectKey("teams", "root-b", ""))
    assert await label(queued, asking("root.a")) == "root-a"


LISTED = TEXT.replace("{name: a}", "{name: a, submitacl: ann dev}")
DENIED = (
    "user bob may not submit to root.a: neither submitacl nor adminacl of it or of a queue above "
    "lists that user or one of its groups"
)


@pytest.fixture
def listed(queued: WebhookReplica) -> WebhookReplica:
    """A replica that follows queues of which root.a is for ann and the group dev."""
    queued.caches.queues.follow(followed(LISTED))
    return queued


async def refused(webhook: WebhookReplica, new: Document, **how: Any) -> str:
    response = await webhook.ask(PATH, review(new, **how))
    assert not response["allowed"]
    return str(response["status"]["message"])


async def test_only_listed_users_and_groups_may_submit_to_a_queue(listed: WebhookReplica) -> None:
    assert await label(listed, asking("root.a"), user="ann") == "root-a"
    member = {"username": "eve", "groups": ["dev"]}
    assert await label(listed, asking("root.a"), userInfo=member) == "root-a"
    found = await refused(listed, asking("root.a"), user="bob")
    assert found == (
        f"Pod team/p: metadata.labels[yunikorn.apache.org/queue]: {DENIED}; tried: provided, user "
        "below fixed users"
    )


async def test_the_label_of_its_quota_is_no_way_around_the_lists_of_a_queue(
    listed: WebhookReplica,
) -> None:
    assert await label(listed, asking(label="root-a"), user="ann") == "root-a"
    found = await refused(listed, asking(label="root-a"), user="bob")
    assert found == (f"Pod team/p: metadata.labels[quota.scheduling.koordinator.sh/name]: {DENIED}")


async def test_neither_is_the_label_of_ack_while_the_queue_of_the_pod_has_no_quota_yet(
    listed: WebhookReplica,
) -> None:
    text = LISTED.replace("[{name: a,", "[{name: new, submitacl: '*'}, {name: a,")
    listed.caches.queues.follow(followed(text))
    new = asking("root.new")
    new["metadata"]["labels"][names.QUOTA_ALIASES[0]] = "root-a"
    assert await label(listed, new, user="ann") == "root-a"
    assert DENIED in await refused(listed, new, user="bob")


async def test_the_lists_hold_for_a_quota_that_has_just_been_created(
    listed: WebhookReplica,
) -> None:
    await refused(listed, asking(label="root-a"), user="bob")
    listed.see(kept(quota("later"), "root.a"))
    assert DENIED in await refused(listed, asking(label="later"), user="bob")


async def test_a_pod_of_a_controller_may_submit_where_its_stamped_user_may(
    listed: WebhookReplica,
) -> None:
    new = asking("root.a")
    new["metadata"]["annotations"] = {holders.STAMP: holders.stamp("eve", ("dev",))}
    assert await label(listed, new, user="system:serviceaccount:kube-system:x") == "root-a"
    bare = asking("root.a")
    found = await refused(listed, bare, user="system:serviceaccount:kube-system:x")
    assert f"a pod without a known user ({holder.UNKNOWN}) may not submit to root.a" in found


async def test_a_stamp_that_a_user_writes_gives_no_access(listed: WebhookReplica) -> None:
    new = asking("root.a")
    new["metadata"]["annotations"] = {holders.STAMP: holders.stamp("ann", ("dev",))}
    assert "user bob may not submit to root.a" in await refused(listed, new, user="bob")


@pytest.mark.parametrize(("user", "allowed"), [("ann", True), ("bob", False)])
async def test_a_waiting_pod_moves_only_to_a_queue_of_its_editor(
    listed: WebhookReplica, user: str, allowed: bool
) -> None:
    listed.see(quota("mine"))
    old, new = asking(label="mine"), asking(label="root-a")
    for each in (old, new):
        each["spec"]["schedulingGates"] = [{"name": names.GATE}]
    response = await listed.ask("/validate/pod", review(new, old=old, user=user))
    assert response["allowed"] is allowed
    if not allowed:
        assert DENIED in response["status"]["message"]


async def test_system_pods_and_running_pods_need_no_access(listed: WebhookReplica) -> None:
    for excused in ({"namespace": "kube-system"}, {"nodeName": "n-1"}):
        response = await listed.ask(PATH, review(asking("root.a", **excused), user="bob"))
        assert response["allowed"]


async def test_our_controller_may_label_the_pods_that_it_admits(listed: WebhookReplica) -> None:
    old, new = asking(), asking(label="root-a")
    for each in (old, new):
        each["spec"]["schedulingGates"] = [{"name": names.GATE}]
    response = await listed.ask("/validate/pod", review(new, old=old, user=CONTROLLER))
    assert response["allowed"]


def job(queue: str = "", *, quota: str = "", template: str = "", **facts: Any) -> Document:
    """A Job that names its ``quota``, or whose ``template`` does, or its queue."""
    said = {"queue": queue, names.QUOTA_NAME: template}
    labels = {key: value for key, value in said.items() if value}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": "train",
            "namespace": "team",
            "labels": {names.QUOTA_NAME: quota} if quota else {},
        },
        "spec": {"template": {"metadata": {"labels": labels}, "spec": {}}},
        **facts,
    }


@pytest.mark.parametrize("new", [job(quota="root-a"), job(template="root-a")])
async def test_a_job_is_refused_as_its_pods_would_be(listed: WebhookReplica, new: Document) -> None:
    response = await listed.ask("/mutate/job", review(new, user="bob"))
    assert response["status"]["message"] == (
        f"Job team/train: metadata.labels[quota.scheduling.koordinator.sh/name]: {DENIED}"
    )
    assert (await listed.ask("/mutate/job", review(new, user="ann")))["allowed"]


async def test_a_job_whose_template_names_a_closed_queue_is_refused(listed: WebhookReplica) -> None:
    response = await listed.ask("/mutate/job", review(job("root.a"), user="bob"))
    assert f"metadata.labels[yunikorn.apache.org/queue]: {DENIED}" in response["status"]["message"]
    for allowed in ({"user": "ann"}, {"userInfo": {"username": "eve", "groups": ["dev"]}}):
        assert (await listed.ask("/mutate/job", review(job("root.a"), **allowed)))["allowed"]


async def test_a_job_of_a_controller_may_submit_where_its_stamped_user_may(
    listed: WebhookReplica,
) -> None:
    new, controller = job("root.a"), "system:serviceaccount:kube-system:cronjob-controller"
    response = await listed.ask("/mutate/job", review(new, user=controller))
    assert "a pod without a known user" in response["status"]["message"]
    stamp = {holders.STAMP: holders.stamp("ann", ())}
    new["spec"]["template"]["metadata"]["annotations"] = stamp
    assert (await listed.ask("/mutate/job", review(new, user=controller)))["allowed"]


async def test_a_job_whose_pods_an_operator_creates_is_judged_by_its_pods_alone(
    listed: WebhookReplica,
) -> None:
    new = job(quota="root-a", apiVersion="kubeflow.org/v1", kind="PyTorchJob")
    new["spec"] = {"pytorchReplicaSpecs": {"Worker": {"template": new["spec"]["template"]}}}
    assert (await listed.ask("/mutate/job", review(new, user="bob")))["allowed"]


@pytest.mark.parametrize("stamped", ["ann", "bob", ""])
@pytest.mark.parametrize("later", [job("root.a"), job(template="root-a")])
async def test_an_edit_moves_the_pods_of_a_job_only_where_its_user_may_submit(
    listed: WebhookReplica, later: Document, stamped: str
) -> None:
    """Who edits it counts for nothing, nor does the user that the new template names."""
    old, new = job("root.users.ann"), copy.deepcopy(later)
    if stamped:
        stamp = {holders.STAMP: holders.stamp(stamped, ())}
        old["spec"]["template"]["metadata"]["annotations"] = stamp
    forged = {holders.STAMP: holders.stamp("ann", ())}
    new["spec"]["template"]["metadata"]["annotations"] = forged
    response = await listed.ask("/mutate/job", review(new, old=old, user="ann"))
    assert response["allowed"] is (stamped == "ann")
    if not response["allowed"]:
        assert "may not submit to root.a" in response["status"]["message"]


async def test_other_edits_of_a_job_are_not_judged(listed: WebhookReplica) -> None:
    old, new = job("root.a"), job("root.a", status={"active": 1})
    assert (await listed.ask("/mutate/job", review(new, old=old, user="bob")))["allowed"]
    assert (await listed.ask("/mutate/job", review(None, old=old, user="bob")))["allowed"]


@pytest.mark.parametrize("metadata", [None, [], {"labels": {"queue": 7}}, {"labels": "queue"}])
async def test_an_odd_template_of_a_job_is_no_error(queued: WebhookReplica, metadata: Any) -> None:
    new = job()
    new["spec"]["template"]["metadata"] = metadata
    assert "status" in await queued.ask("/mutate/job", review(new, user="bob"))
    assert (await queued.ask("/mutate/job", review(new, user="ann")))["allowed"]


def priority_class(name: str, allow: str) -> AnyObject:
    annotations = {names.ALLOW_PREEMPTION: allow}
    return AnyObject(ObjectMeta(name=name, annotations=annotations))


@pytest.mark.parametrize(
    ("allow", "said", "written"),
    [
        ("false", None, "false"),
        ("false", "maybe", "false"),
        ("false", "true", "true"),
        ("true", None, None),
        ("true", "false", "false"),
    ],
)
async def test_a_pod_is_evicted_last_if_its_priority_class_says_so(
    queued: WebhookReplica, allow: str, said: str | None, written: str | None
) -> None:
    queued.caches.queues.priority_classes.upsert(priority_class("kept", allow))
    new = asking("root.a", priorityClassName="kept")
    if said is not None:
        new["metadata"]["annotations"] = {names.ALLOW_PREEMPTION: said}
    patched, _ = await queued.mutate(PATH, new)
    assert patched["metadata"]["annotations"].get(names.ALLOW_PREEMPTION) == written


async def test_other_classes_and_other_clusters_say_nothing(webhook: WebhookReplica) -> None:
    webhook.fill(*kept_quotas())
    webhook.caches.queues.priority_classes.upsert(priority_class("kept", "false"))
    patched, _ = await webhook.mutate(PATH, asking("root.a", priorityClassName="kept"))
    assert "annotations" not in patched["metadata"]
    webhook.caches.queues.follow(followed())
    patched, _ = await webhook.mutate(PATH, asking("root.a", priorityClassName="other"))
    assert names.ALLOW_PREEMPTION not in patched["metadata"]["annotations"]
