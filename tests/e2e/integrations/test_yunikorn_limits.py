"""Limits of YuniKorn's queues on a live cluster: of users, of groups, and of applications."""

from collections import Counter
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
from scenes import PREFIX, gates, refusal
from users import User
from waiting import eventually


pytestmark = pytest.mark.cluster

SPACE = "lab-work"
STAMP = "yunikorn.apache.org/user.info"
ONE_CPU = [
    {
        "name": "main",
        "image": "example.com/main:1.0",
        "resources": {"requests": {"cpu": "1"}},
    }
]
TOLERANT = [{"key": "kwok.x-k8s.io/node", "operator": "Exists"}]
EACH = {"limit": "two cores each", "users": ["*"], "maxresources": {"vcore": 2}}
TOGETHER = {"groups": ["class"], "maxresources": {"vcore": 2}, "users": []}
QUEUES = [
    {"name": "lab", "limits": [EACH]},
    {"name": "school", "limits": [TOGETHER]},
    {"name": "single", "maxapplications": 1},
]
As = Callable[..., User]


def configured(queues: list[Any], **root_says: Any) -> Any:
    return queue_config_maps.of({"name": "root", "queues": queues, **root_says})


def pod(name: str, queue: str, application: str = "", **annotations: str) -> Any:
    labels = {"queue": f"root.{queue}"} | ({"applicationId": application} if application else {})
    meta = {"name": name, "namespace": SPACE, "labels": labels, "annotations": annotations}
    spec = {"containers": ONE_CPU, "tolerations": TOLERANT}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec}


@pytest.fixture
def scene(
    admission: None, admin: User, kubectl: Kubectl, spaces: set[str]
) -> Iterator[IntegrationScene]:
    """Three queues with a limit each, and nodes with more room than any limit."""
    found = IntegrationScene(admin, kubectl, "yunikorn", spaces)
    found.play("1-nodes.yaml")
    found.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SPACE}})
    found.apply(configured(QUEUES))
    there = {"root-lab", "root-school", "root-single"}
    eventually(found.accepted, lambda kept: kept >= there, within=30)
    for queue in ("lab", "school", "single"):
        asked = partial(_quota_of, admin, queue)
        eventually(asked, f"root-{queue}", within=30)
    yield found
    found.apply(configured([]))
    found.close()


def _quota_of(admin: User, queue: str) -> str:
    """The quota of a new pod that names this queue."""
    made = admin.create(pod("asking", queue), dry_run=True)
    return str(made["metadata"]["labels"].get("quota.scheduling.koordinator.sh/name", ""))


@pytest.fixture
def speaking(scene: IntegrationScene) -> Iterator[As]:
    """Users of a name and a group, with the usual rights of a user in the namespace."""
    with ExitStack() as stack:
        granted: set[str] = set()

        def speak(name: str, group: str = "system:authenticated") -> User:
            user = stack.enter_context(tenants.speaking_as(scene.admin, name, group))
            if name not in granted:
                tenants.grant_user(scene.admin, SPACE, "edit", name)
                granted.add(name)
                tenants.await_rights(user, SPACE, "Pod")
            return user

        yield speak
        for name in granted:
            scene.admin.delete("RoleBinding", f"edit-{name}", SPACE)


def waits(scene: IntegrationScene) -> dict[str, str]:
    """The messages of the pods that wait at our gate."""
    found = {}
    for each in scene.admin.list("Pod", SPACE):
        if gates(each):
            told = {c["type"]: c.get("message", "") for c in each["status"].get("conditions", ())}
            found[each["metadata"]["name"]] = told.get("PodScheduled", "")
    return found


def running(scene: IntegrationScene) -> Counter[str]:
    """How many pods of each user run, by the first part of their names."""
    return Counter(name.partition("-")[0] for name in scene.names(SPACE))


def test_each_user_waits_for_its_own_limit_and_is_admitted_when_its_own_pods_are_gone(
    scene: IntegrationScene, speaking: As
) -> None:
    ann, bob = speaking("ann"), speaking("bob")
    for number in range(3):
        ann.create(pod(f"ann-{number}", "lab"))
    for number in range(2):
        bob.create(pod(f"bob-{number}", "lab"))
    eventually(partial(running, scene), {"ann": 2, "bob": 2}, within=60)
    said = "needs 1 cpu; user ann holds 2 of 2 in quota root-lab"
    eventually(partial(waits, scene), lambda found: said in "".join(found.values()))
    bob.delete("Pod", "bob-0", SPACE)
    eventually(partial(running, scene), {"ann": 2, "bob": 1})
    (waiting,) = waits(scene)
    # Of pods created in the same second, any may have been the last.
    ann.delete("Pod", next(name for name in scene.names(SPACE) if name.startswith("ann")), SPACE)
    eventually(partial(scene.names, SPACE), lambda found: waiting in found, within=60)
    assert running(scene) == {"ann": 2, "bob": 1}


def test_limits_of_the_root_hold_over_all_queues(scene: IntegrationScene, speaking: As) -> None:
    ann = speaking("ann")
    ann.create(pod("ann-0", "lab"))
    eventually(partial(scene.names, SPACE), {"ann-0"}, within=60)
    three = {"limit": "three cores each", "users": ["*"], "maxresources": {"vcore": 3}}
    scene.apply(configured(QUEUES, limits=[three]))
    below = {"root-lab", "root-school", "root-single"}
    eventually(partial(_below, scene, "yunikorn"), below, within=30)
    eventually(scene.accepted, lambda kept: kept >= {"yunikorn", *below})
    for number in range(1, 4):
        ann.create(pod(f"ann-{number}", "school"))
    said = "needs 1 cpu; user ann holds 3 of 3 in quota yunikorn"
    eventually(partial(waits, scene), lambda found: said in "".join(found.values()), within=60)
    eventually(partial(running, scene), {"ann": 3}, within=60)
    scene.apply(configured(QUEUES))
    eventually(partial(scene.names, SPACE), lambda found: len(found) == 4, within=60)
    eventually(partial(_below, scene, names.ROOT_QUOTA), lambda found: found >= below)
    eventually(scene.kept, lambda kept: "yunikorn" not in kept)


def _below(scene: IntegrationScene, parent: str) -> set[str]:
    """Names of the kept quotas of which this one is the parent."""
    return {
        name
        for name, quota in scene.kept().items()
        if quota["metadata"]["labels"].get(f"{PREFIX}parent", names.ROOT_QUOTA) == parent
    }


def test_the_members_of_a_group_share_its_limit(scene: IntegrationScene, speaking: As) -> None:
    ann, bob, eve = speaking("ann", "class"), speaking("bob", "class"), speaking("eve")
    for number in range(2):
        ann.create(pod(f"ann-{number}", "school"))
    eventually(partial(scene.names, SPACE), {"ann-0", "ann-1"}, within=60)
    bob.create(pod("bob-0", "school"))
    eve.create(pod("eve-0", "school"))
    eventually(partial(scene.names, SPACE), {"ann-0", "ann-1", "eve-0"}, within=60)
    said = "needs 1 cpu; group class holds 2 of 2 in quota root-school"
    eventually(partial(waits, scene), lambda found: said in found.get("bob-0", ""))
    ann.delete("Pod", "ann-0", SPACE)
    eventually(partial(scene.names, SPACE), {"ann-1", "bob-0", "eve-0"}, within=60)


def test_the_second_application_waits_until_the_first_has_ended(
    scene: IntegrationScene, speaking: As
) -> None:
    ann = speaking("ann")
    ann.create(pod("first-0", "single", "first"))
    eventually(partial(scene.names, SPACE), {"first-0"}, within=60)
    ann.create(pod("second-0", "single", "second"))
    ann.create(pod("first-1", "single", "first"))
    eventually(partial(scene.names, SPACE), {"first-0", "first-1"}, within=60)
    said = "application second is new, and 1 of 1 application runs in quota root-single"
    eventually(partial(waits, scene), lambda found: said in found.get("second-0", ""))
    for name in ("first-0", "first-1"):
        ann.delete("Pod", name, SPACE)
    eventually(partial(scene.names, SPACE), {"second-0"}, within=60)


def test_pods_of_a_deployment_count_for_the_user_who_created_it(
    scene: IntegrationScene, speaking: As
) -> None:
    ann = speaking("ann")
    template = pod("", "lab")
    template["metadata"] = {"labels": {**template["metadata"]["labels"], "app": "w"}}
    ann.create(
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "work", "namespace": SPACE},
            "spec": {
                "replicas": 3,
                "selector": {"matchLabels": {"app": "w"}},
                "template": {"metadata": template["metadata"], "spec": template["spec"]},
            },
        }
    )
    eventually(lambda: (scene.running(SPACE), scene.waiting(SPACE)), (2, 1), within=60)
    stamps = {each["metadata"]["annotations"][STAMP] for each in scene.admin.list("Pod", SPACE)}
    assert stamps == {'{"user":"ann","groups":["system:authenticated"]}'}
    eventually(
        lambda: [*waits(scene).values()],
        lambda told: len(told) == 1 and "user ann holds 2 of 2" in told[0],
    )


def test_no_user_may_write_another_user_on_a_pod_or_a_template(
    scene: IntegrationScene, speaking: As
) -> None:
    ann = speaking("ann")
    forged = '{"user":"bob","groups":["system:authenticated"]}'
    found = refusal(lambda: ann.create(pod("p", "lab", **{STAMP: forged})))
    assert (
        f"metadata.annotations[{STAMP}] says who created the pods, which admission writes. "
        "Leave it out. [EQ1108]"
    ) in found.message
    ann.create(pod("p", "lab"))
    for text in (forged, None):
        change = {"metadata": {"annotations": {STAMP: text}}}
        found = refusal(partial(ann.patch, "Pod", "p", SPACE, change=change))
        assert "Leave it as it is. [EQ1108]" in found.message
    with tenants.without_webhooks(scene.admin):
        found = refusal(lambda: ann.create(pod("q", "lab", **{STAMP: forged})))
        assert "[EQ1108]" in found.message


def test_an_admitted_pod_stays_in_its_application(scene: IntegrationScene, speaking: As) -> None:
    ann = speaking("ann")
    ann.create(pod("p", "single", "first"))
    eventually(partial(scene.names, SPACE), {"p"}, within=60)
    change = {"metadata": {"labels": {"applicationId": "second"}}}
    found = refusal(partial(ann.patch, "Pod", "p", SPACE, change=change))
    assert (
        "metadata.labels[applicationId] must not change after the pod was admitted: it counts as "
        "one of its application. Delete the pod and create it again. [PD1302]"
    ) in found.message
