"""The controller's own token allows only those writes to pods that the controller makes."""

from collections.abc import Iterator

import pytest

import users
from installation import CONTROLLER, NAMESPACE, Installation
from scenes import GATE, Pool, condition, gates, refusal
from users import Document, User
from waiting import eventually


pytestmark = pytest.mark.cluster

BY_POLICY = "ValidatingAdmissionPolicy 'elastic-quota-controller-pods'"


@pytest.fixture
def stolen(admin: User, product: Installation) -> Iterator[User]:
    """A user who has the controller's token."""
    user = users.account(admin, NAMESPACE, CONTROLLER)
    yield user
    user.close()


@pytest.fixture
def system_pod(admin: User) -> Iterator[str]:
    """A pod in kube-system."""
    made = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "stolen-from",
            "namespace": "kube-system",
            "labels": {"app": "dns"},
            "annotations": {"a": "b"},
        },
        "spec": {
            "schedulingGates": [{"name": "example.com/other"}],
            "containers": [{"name": "main", "image": "registry.example/main:1"}],
        },
    }
    eventually(lambda: admin.find("ServiceAccount", "default", "kube-system"), bool)
    admin.create(made)
    yield "stolen-from"
    admin.delete("Pod", "stolen-from", "kube-system", grace=0)


MAIN: dict[str, Document | list[Document]] = {
    "an image": [
        {"op": "replace", "path": "/spec/containers/0/image", "value": "evil.example/x:1"}
    ],
    "a label": {"metadata": {"labels": {"app": "other"}}},
    "no label": {"metadata": {"labels": {"app": None}}},
    "an annotation": {"metadata": {"annotations": {"a": "c"}}},
    "a finalizer": {"metadata": {"finalizers": ["example.com/hold"]}},
    "a deadline": {"spec": {"activeDeadlineSeconds": 1}},
    "a toleration": [{"op": "add", "path": "/spec/tolerations/-", "value": {"operator": "Exists"}}],
    "a node selector": {"spec": {"nodeSelector": {"a": "b"}}},
    "another's gate": {"spec": {"schedulingGates": None}},
}
STATUS: dict[str, Document] = {
    "a phase": {"status": {"phase": "Failed"}},
    "a reason": {"status": {"reason": "Evicted"}},
    "an address": {"status": {"podIP": "10.9.9.9", "podIPs": [{"ip": "10.9.9.9"}]}},
    "another condition": {"status": {"conditions": [{"type": "Ready", "status": "True"}]}},
    "a verdict": {"status": {"conditions": [{"type": "PodScheduled", "status": "True"}]}},
    "a label through the subresource": {"metadata": {"labels": {"app": "other"}}},
}


@pytest.mark.parametrize("change", MAIN.values(), ids=MAIN)
def test_the_token_changes_no_pod(
    admin: User, stolen: User, system_pod: str, change: Document | list[Document]
) -> None:
    admin.patch("Pod", system_pod, "kube-system", change=change, dry_run=True)
    refused = refusal(lambda: stolen.patch("Pod", system_pod, "kube-system", change=change))
    assert (refused.code, BY_POLICY in refused.message) == (403, True)


@pytest.mark.parametrize("change", STATUS.values(), ids=STATUS)
def test_the_token_changes_nothing_of_a_pod_status_but_a_message(
    admin: User, stolen: User, system_pod: str, change: Document
) -> None:
    admin.patch("Pod", system_pod, "kube-system", change=change, dry_run=True, subresource="status")
    refused = refusal(
        lambda: stolen.patch("Pod", system_pod, "kube-system", change=change, subresource="status")
    )
    assert (refused.code, BY_POLICY in refused.message) == (403, True)


@pytest.mark.parametrize(
    ("change", "subresource"),
    [
        ({"status": {"phase": "Failed"}}, ""),
        ({"spec": {"activeDeadlineSeconds": 1}}, "status"),
    ],
    ids=["its status by a write of the pod", "its spec by a write of the status"],
)
def test_a_write_of_the_pod_leaves_its_status_and_a_write_of_its_status_the_spec(
    admin: User, stolen: User, system_pod: str, change: Document, subresource: str
) -> None:
    before = admin.get("Pod", system_pod, "kube-system")
    stolen.patch("Pod", system_pod, "kube-system", change=change, subresource=subresource)
    after = admin.get("Pod", system_pod, "kube-system")
    assert (after["spec"], after["status"]) == (before["spec"], before["status"])


def test_the_token_ungates_pods_and_writes_why_they_wait(pool: Pool) -> None:
    """In a tree of some nodes, so that the release narrows the nodes of the pod."""
    pool.quota("team", min=1, max=1)
    pool.pods("team", 2)
    eventually(lambda: len(pool.running("team")), 1)
    (waiting,) = pool.gated("team")
    told = eventually(
        lambda: condition(pool.get_pod(waiting), "PodScheduled")["message"],
        lambda message: pool.name("team") in message,
    )
    assert told
    assert gates(pool.get_pod(waiting)) == [GATE]
    pool.delete_pods(*pool.running("team"))
    eventually(lambda: pool.running("team"), {waiting})
    assert "affinity" in pool.get_pod(waiting)["spec"]
