"""A queue that a placement rule of YuniKorn makes appears with its first pod and goes with its
last.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from typing import Any

import pytest

import queue_config_maps
import tenants
from elasticquota.integrations.translation import naming
from installation import CONTROLLER, Installation, Kubectl
from integration_scenes import IntegrationScene
from scenes import PREFIX
from users import Document, User
from waiting import eventually


pytestmark = pytest.mark.cluster

SPACE = "lab-made"
ONE_CPU = {"requests": {"cpu": "1"}}
TEMPLATE = {"resources": {"max": {"vcore": 2}}}
USERS = {"name": "users", "parent": True, "childtemplate": TEMPLATE}
BY_USER = {"name": "user", "create": True, "parent": {"name": "fixed", "value": "users"}}
ANN, BOB = (naming.own(("root", "users", user)) for user in ("ann", "bob"))


def configured(*rules: Any) -> Document:
    """The queue of users, and rules; without any of these it is an empty configuration."""
    root = {"name": "root", "queues": [USERS] if rules else []}
    return queue_config_maps.of(root, rules)


def pod(name: str) -> Document:
    container = {"name": "main", "image": "example.com/main:1.0", "resources": ONE_CPU}
    tolerant = [{"key": "kwok.x-k8s.io/node", "operator": "Exists"}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": SPACE},
        "spec": {"containers": [container], "tolerations": tolerant},
    }


@pytest.fixture
def scene(
    admission: None, admin: User, kubectl: Kubectl, spaces: set[str]
) -> Iterator[IntegrationScene]:
    """Nodes with more room than any queue, and a rule that makes a queue for each user."""
    found = IntegrationScene(admin, kubectl, "yunikorn", spaces)
    found.play("1-nodes.yaml")
    found.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SPACE}})
    found.apply(configured(BY_USER))
    eventually(found.accepted, {"root-users"}, within=30)
    yield found
    found.apply(configured())
    found.close()


@pytest.fixture
def people(scene: IntegrationScene) -> Iterator[tuple[User, User]]:
    """Ann and Bob, with the usual rights of a user in the namespace."""
    with ExitStack() as stack:

        def speaking(name: str) -> User:
            tenants.grant_user(scene.admin, SPACE, "edit", name)
            stack.callback(scene.admin.delete, "RoleBinding", f"edit-{name}", SPACE)
            speaks = tenants.speaking_as(scene.admin, name, "system:authenticated")
            user = stack.enter_context(speaks)
            tenants.await_rights(user, SPACE, "Pod")
            return user

        asked = partial(_quota_of, scene.admin)
        # The webhook follows the configuration by a watch of its own.
        eventually(asked, lambda quota: quota != "", within=30)
        yield speaking("ann"), speaking("bob")


def _quota_of(who: User) -> str:
    """The quota of a new pod of the user."""
    made = who.create(pod("asking"), dry_run=True)
    return str(made["metadata"].get("labels", {}).get(f"{PREFIX}name", ""))


def test_each_user_has_a_queue_by_the_template_as_long_as_its_pods_are_there(
    scene: IntegrationScene, people: tuple[User, User], product: Installation
) -> None:
    ann, bob = people
    for number in range(3):
        ann.create(pod(f"ann-{number}"))
    bob.create(pod("bob-0"))
    eventually(scene.accepted, {"root-users", ANN, BOB}, within=30)
    assert scene.kept()[ANN]["spec"]["max"] == {"cpu": "2"}
    assert scene.kept()[ANN]["metadata"]["labels"][f"{PREFIX}parent"] == "root-users"
    eventually(lambda: (scene.running(SPACE), scene.waiting(SPACE)), (3, 1), within=60)
    assert "bob-0" in scene.names(SPACE)
    before = scene.kept()[ANN]["metadata"]["uid"]
    scene.admin.delete("Pod", "bob-0", SPACE)
    for controller in product.pods(CONTROLLER):
        product.kill(controller)
    product.settle()
    eventually(lambda: scene.kept().keys(), {"root-users", ANN}, within=90)
    assert scene.kept()[ANN]["metadata"]["uid"] == before
    scene.admin.delete_all("Pod", SPACE)
    eventually(lambda: scene.kept().keys(), {"root-users"}, within=90)
