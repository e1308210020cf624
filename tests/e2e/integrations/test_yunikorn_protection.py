"""What YuniKorn's queues protect and in which order they admit, on a live cluster."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from typing import Any

import pytest

import queue_config_maps
import tenants
from elasticquota import names
from installation import Kubectl
from integration_scenes import IntegrationScene
from scenes import PREFIX, refusal
from users import User
from waiting import eventually, stays


pytestmark = pytest.mark.cluster

SPACE = "guarded"
TOLERANT = [{"key": "kwok.x-k8s.io/node", "operator": "Exists"}]
DELAY = {"quota.preemption.delay": "1s"}
ON = {"preemption": {"quotapreemptionenabled": True}}
As = Callable[..., User]


def queue(name: str, most: int | None = None, least: int | None = None, **more: Any) -> Any:
    sides = {"max": most, "guaranteed": least}
    resources = {side: {"vcore": each} for side, each in sides.items() if each is not None}
    return {"name": name, "resources": resources, **more}


def configured(*queues: Any, **partition: Any) -> Any:
    root = {"name": "root", "queues": list(queues)}
    return queue_config_maps.of(root, **partition)


def pod(name: str, queue: str = "", quota: str = "", **spec: Any) -> Any:
    labels = {"queue": f"root.{queue}"} if queue else {names.QUOTA_NAME: quota}
    one = {"requests": {"cpu": "1"}}
    containers = [{"name": "main", "image": "example.com/main:1.0", "resources": one}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": SPACE, "labels": labels},
        "spec": {"containers": containers, "tolerations": TOLERANT, **spec},
    }


@pytest.fixture
def scene(
    admission: None, admin: User, kubectl: Kubectl, spaces: set[str]
) -> Iterator[IntegrationScene]:
    found = IntegrationScene(admin, kubectl, "yunikorn", spaces)
    found.play("1-nodes.yaml")
    found.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SPACE}})
    yield found
    found.apply(configured())
    found.close()


def follow(scene: IntegrationScene, *queues: Any, **partition: Any) -> None:
    """Apply the configuration; each queue has its max and takes pods that name it."""
    scene.apply(configured(*queues, **partition))
    for each in queues:
        name, most = each["name"], each["resources"].get("max", {}).get("vcore")
        eventually(partial(_state, scene, name), (None if most is None else str(most), True))


def _state(scene: IntegrationScene, name: str) -> tuple[str | None, bool]:
    """The max of the queue's quota, and whether admission knows it."""
    spec = scene.kept()[f"root-{name}"]["spec"]
    try:
        made = scene.admin.create(pod("asking", name), dry_run=True)["metadata"]["labels"]
    except Exception as error:  # noqa: BLE001 - a refusal by the access list knows the queue, too
        return spec.get("max", {}).get("cpu"), f"may not submit to root.{name}" in str(error)
    return spec.get("max", {}).get("cpu"), made.get(f"{PREFIX}name") == f"root-{name}"


def run(scene: IntegrationScene, queue: str, *pods: str, **spec: Any) -> None:
    before = scene.names(SPACE)
    for name in pods:
        scene.admin.create(pod(name, queue, **spec))
    eventually(partial(scene.names, SPACE), before | {*pods}, within=60)


def test_a_lowered_max_evicts_only_where_partition_and_queue_say_so(
    scene: IntegrationScene,
) -> None:
    follow(scene, queue("a", 4))
    run(scene, "a", "a-0", "a-1", "a-2", "a-3")
    follow(scene, queue("a", 1, properties=DELAY))
    stays(partial(scene.running, SPACE), 4, seconds=8)
    assert scene.kept()["root-a"]["spec"]["reclaim"] == {"overMaxDelay": "Never"}
    scene.apply(configured(queue("a", 1, properties=DELAY), **ON))
    eventually(partial(scene.running, SPACE), 1, within=60)


def test_a_fenced_queue_reclaims_its_guarantee_inside_of_its_fence_only(
    scene: IntegrationScene,
) -> None:
    fence = {"preemption.policy": "fence"}
    follow(scene, queue("lender", least=99, properties=fence), queue("other"))
    run(scene, "other", *(f"other-{number}" for number in range(3)))
    node = [{"name": "main", "image": "i", "resources": {"requests": {"cpu": "49"}}}]
    for name in ("one", "two"):
        scene.admin.create(pod(name, "lender", containers=node))
    eventually(partial(scene.names, SPACE), lambda found: len(found & {"one", "two"}) == 1, 60)
    stays(partial(scene.running, SPACE), 4, seconds=6)
    follow(scene, queue("lender", least=99), queue("other"))
    eventually(partial(scene.names, SPACE), lambda found: {"one", "two"} <= found, within=60)


def test_pods_of_a_priority_class_that_does_not_allow_preemption_are_evicted_last(
    scene: IntegrationScene,
) -> None:
    kept = {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": "kept", "annotations": {names.ALLOW_PREEMPTION: "false"}},
        "value": -5,
    }
    scene.apply(kept)
    follow(scene, queue("a", 4, properties=DELAY), **ON)
    marked = partial(_marked, scene)
    eventually(marked, "false", within=30)
    run(scene, "a", "plain-0", "plain-1")
    run(scene, "a", "kept-0", "kept-1", priorityClassName="kept")
    scene.apply(configured(queue("a", 2, properties=DELAY), **ON))
    eventually(partial(scene.names, SPACE), {"kept-0", "kept-1"}, within=60)
    stays(partial(scene.names, SPACE), {"kept-0", "kept-1"})
    scene.admin.delete("PriorityClass", "kept")


def test_the_older_application_comes_first_where_the_queue_is_sorted_by_them(
    scene: IntegrationScene,
) -> None:
    def of(application: str, number: int) -> Any:
        made = pod(f"{application}-{number}", "a")
        made["metadata"]["labels"]["applicationId"] = application
        return made

    follow(scene, queue("a", 2, properties={"application.sort.policy": "fifo"}))
    scene.apply(of("old", 0))
    scene.apply_later(of("young", 0))
    eventually(partial(scene.names, SPACE), {"old-0", "young-0"}, within=60)
    scene.apply_later(of("young", 1))
    scene.apply_later(of("old", 1))
    eventually(partial(scene.waiting, SPACE), 2)
    scene.admin.delete("Pod", "young-0", SPACE)
    eventually(partial(scene.names, SPACE), {"old-0", "old-1"}, within=60)
    stays(partial(scene.names, SPACE), {"old-0", "old-1"})


def _marked(scene: IntegrationScene) -> str:
    new = pod("asking", "a", priorityClassName="kept")
    found = scene.admin.create(new, dry_run=True)["metadata"].get("annotations", {})
    return str(found.get(names.ALLOW_PREEMPTION, ""))


@pytest.fixture
def speaking(scene: IntegrationScene) -> Iterator[As]:
    """Users with the usual rights of a user in the namespace."""
    with ExitStack() as stack:
        granted: list[str] = []

        def speak(name: str) -> User:
            user = stack.enter_context(tenants.speaking_as(scene.admin, name))
            tenants.grant_user(scene.admin, SPACE, "edit", name)
            granted.append(name)
            tenants.await_rights(user, SPACE, "Pod", "Deployment")
            return user

        yield speak
        for name in granted:
            scene.admin.delete("RoleBinding", f"edit-{name}", SPACE)


def test_only_users_on_the_access_list_submit_to_a_queue(
    scene: IntegrationScene, speaking: As
) -> None:
    follow(scene, queue("a", 4, submitacl="ann"), queue("b", 4, submitacl="*"))
    ann, bob = speaking("ann"), speaking("bob")
    ann.create(pod("ann-0", "a"))
    bob.create(pod("bob-0", "b"))
    eventually(partial(scene.names, SPACE), {"ann-0", "bob-0"}, within=60)
    denied = "user bob may not submit to root.a"
    for new in (pod("bob-1", "a"), pod("bob-1", quota="root-a")):
        assert denied in refusal(partial(bob.create, new)).message
    bob.create(_deployment(pod("", "a")))
    eventually(partial(_failures, scene), lambda found: denied in found, within=60)
    assert scene.names(SPACE) == {"ann-0", "bob-0"}


@pytest.mark.parametrize("where", ["job", "template", "queue"])
def test_a_job_is_refused_by_the_access_list_of_its_queue_and_holds_no_room(
    scene: IntegrationScene, speaking: As, where: str
) -> None:
    follow(scene, queue("a", 4, submitacl="ann"))
    ann, bob = speaking("ann"), speaking("bob")
    found = refusal(partial(bob.create, _job("bobs", where)))
    assert "user bob may not submit to root.a: neither submitacl nor adminacl" in found.message
    ann.create(_job("anns", where))
    eventually(partial(scene.running, SPACE), 1, within=60)
    scene.admin.delete_all("Job", SPACE)


def test_a_job_moves_to_no_queue_that_its_user_may_not_submit_to(
    scene: IntegrationScene, speaking: As
) -> None:
    follow(scene, queue("a", 4, submitacl="ann"), queue("b", 0, submitacl="*"))
    bob = speaking("bob")
    made = _job("bobs", "template")
    made["spec"]["template"]["metadata"]["labels"] = {names.QUOTA_NAME: "root-b"}
    bob.create(made)
    moves: list[Any] = [
        {names.QUOTA_NAME: "root-a"},
        {names.QUOTA_NAME: None, "queue": "root.a"},
    ]
    for labels in moves:
        move = partial(bob.patch, "Job", "bobs", SPACE, change=_relabeled(labels))
        assert "user bob may not submit to root.a" in refusal(move).message
    bob.patch("Job", "bobs", SPACE, change=_relabeled({"mine": "yes"}))
    scene.admin.delete_all("Job", SPACE)


def _relabeled(labels: Any) -> Any:
    return {"spec": {"template": {"metadata": {"labels": labels}}}}


def test_a_forged_user_in_a_template_opens_no_queue(scene: IntegrationScene, speaking: As) -> None:
    follow(scene, queue("a", 4, submitacl="ann"))
    bob = speaking("bob")
    made = _deployment(pod("", "a"))
    stamp = {"yunikorn.apache.org/user.info": '{"user":"ann","groups":[]}'}
    made["spec"]["template"]["metadata"]["annotations"] = stamp
    labels = made["spec"]["template"]["metadata"]["labels"]
    replicated = {"spec": {"selector": labels, "template": made["spec"]["template"]}}
    kinds = (made, {**made, "apiVersion": "v1", "kind": "ReplicationController", **replicated})
    for each in kinds:
        found = refusal(partial(bob.create, each))
        assert "[EQ1108]" in found.message


def _job(name: str, where: str) -> Any:
    """A Job in root.a, which it, its template's quota or its template's queue names.

    It is suspended where it is queued: the queue of its pods alone makes no queue of the job.
    """
    template = pod("", "a") if where == "queue" else pod("", quota="root-a")
    labels = template["metadata"]["labels"]
    own = {"labels": labels} if where == "job" else {}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": SPACE, **own},
        "spec": {
            "suspend": where != "queue",
            "template": {
                "metadata": {} if own else {"labels": labels},
                "spec": {**template["spec"], "restartPolicy": "Never"},
            },
        },
    }


def _deployment(template: Any) -> Any:
    labels = {"app": "d", **template["metadata"]["labels"]}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "d", "namespace": SPACE},
        "spec": {
            "selector": {"matchLabels": {"app": "d"}},
            "template": {"metadata": {"labels": labels}, "spec": template["spec"]},
        },
    }


def _failures(scene: IntegrationScene) -> str:
    found = scene.admin.get("Deployment", "d", SPACE)["status"].get("conditions", ())
    return " ".join(each.get("message", "") for each in found)
