"""Devices that pods claim (DRA), on the real API server with the scheduler's own allocator."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

import served
import tenants
import users
from installation import CONTROLLER, Installation, Kubectl
from integration_scenes import IntegrationScene
from scenes import condition, refusal
from users import Document, RefusedError, User
from waiting import eventually, stays


pytestmark = [pytest.mark.cluster, served.since(36)]

A100 = "a100.example.com.deviceclass.resource.k8s.io/devices"
T4 = "t4.example.com.deviceclass.resource.k8s.io/devices"
EXTENDED = "example.com/t4"
DRIVER = "parts.example.com"
VISION, SPEECH = "dra-vision", "dra-speech"
GENEROUS = 90
MOST, BEYOND = 2**31 - 1, 2**63 - 1


@pytest.fixture(scope="module")
def values() -> Document:
    """Jobs are queued."""
    return {"dialects": {"jobs": True}, "crds": {"dialects": {"jobs": True}}}


@pytest.fixture(scope="module")
def spaces(admin: User) -> Iterator[set[str]]:
    """The namespaces of the example. All tests share them: one with claims takes 15 s to go."""
    found: set[str] = set()
    yield found
    for name in found:
        admin.delete("Namespace", name)


@pytest.fixture
def scene(
    admin: User, kubectl: Kubectl, admission: None, spaces: set[str]
) -> Iterator[IntegrationScene]:
    """Eight A100 and eight T4 on two nodes, and the quotas of two teams."""
    found = IntegrationScene(admin, kubectl, "dra", spaces)
    root = partial(admin.find, "ElasticQuota", "dra-root", "dra-platform")
    found.play("1-nodes.yaml")
    space, profile, *quotas = found.documents("2-quotas.yaml")
    found.apply(space, profile)
    eventually(root, bool)
    found.apply(*quotas)
    eventually(partial(accepted, admin), {VISION, SPEECH}, within=60)
    yield found
    for name in spaces:
        admin.delete_all("Deployment", name)
        eventually(partial(gone, admin, name), True, within=GENEROUS)
    for name in (VISION, SPEECH):
        admin.delete("ElasticQuota", name, name)
    for name in spaces:
        for kind in ("ResourceClaim", "ResourceClaimTemplate", "ElasticQuotaProfile"):
            admin.delete_all(kind, name)
    for document in found.documents("1-nodes.yaml"):
        admin.delete(document["kind"], document["metadata"]["name"])
    for name in spaces:
        eventually(partial(admin.list, "ResourceClaim", name), [], within=GENEROUS)
    eventually(partial(without_root, admin, root), None, within=GENEROUS)


def without_root(admin: User, root: Callable[[], object]) -> object:
    """Delete the root quota, which stays for a while; return what is left of it."""
    admin.delete_all("ElasticQuota", "dra-platform")
    return root()


def gone(admin: User, name: str) -> bool:
    """Delete the pods of a namespace; return whether none is left."""
    admin.delete_all("Pod", name)
    return admin.list("Pod", name) == []


def accepted(admin: User) -> set[str]:
    """The teams whose quota is accepted and whose tree offers all devices."""
    least = admin.get("ElasticQuota", "dra-root", "dra-platform")["spec"]["min"]
    assert least[A100] == "8", least
    return {
        name
        for name in (VISION, SPEECH)
        if condition(admin.get("ElasticQuota", name, name), "Accepted")["status"] == "True"
    }


def used(admin: User, name: str, *keys: str) -> tuple[str, ...]:
    return tuple((status(admin, name).get("used") or {}).get(key, "0") for key in keys)


def status(admin: User, name: str, namespace: str = "") -> Document:
    """The status of a quota, by default of the namespace that has its name."""
    found = admin.get("ElasticQuota", name, namespace or name)
    return dict(found.get("status") or {})


def says(admin: User, name: str, pod: str) -> str:
    return str(condition(admin.get("Pod", pod, name), "PodScheduled")["message"])


def template(space: str, name: str, *requests: Document) -> Document:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": name, "namespace": space},
        "spec": {"spec": {"devices": {"requests": list(requests)}}},
    }


def pod(space: str, name: str, **claim: str) -> Document:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": space},
        "spec": {
            "terminationGracePeriodSeconds": 0,
            "resourceClaims": [{"name": "gpu", **claim}],
            "containers": [
                {
                    "name": "main",
                    "image": "example.com/main:1.0",
                    "resources": {"requests": {"cpu": "1"}, "claims": [{"name": "gpu"}]},
                }
            ],
        },
    }


def exactly(count: int = 1, **more: Any) -> Document:
    return {
        "name": "gpu",
        "exactly": {"deviceClassName": "a100.example.com", "count": count, **more},
    }


def test_the_example_two_teams_share_sixteen_devices_borrow_and_reclaim(
    scene: IntegrationScene, admin: User
) -> None:
    scene.play("3-notebooks.yaml")
    eventually(partial(scene.names, VISION), {"notebook-1", "notebook-2"}, within=GENEROUS)
    eventually(partial(used, admin, VISION, A100), ("2",))
    scene.play("4-vision.yaml")
    eventually(lambda: len(scene.names(VISION)), 9, within=GENEROUS)
    eventually(partial(used, admin, VISION, A100, T4, EXTENDED), ("8", "2", "2"), within=GENEROUS)
    scene.play("5-speech.yaml")
    eventually(lambda: len(scene.names(SPEECH)), 4, within=GENEROUS)
    eventually(partial(used, admin, SPEECH, A100), ("4",), within=GENEROUS)
    eventually(partial(used, admin, VISION, A100), ("4",), within=GENEROUS)
    assert {"notebook-1", "notebook-2", "extended"} <= scene.names(VISION)
    stays(partial(used, admin, VISION, A100), ("4",))


def test_a_shared_claim_stays_counted_until_its_last_pod_is_gone(
    scene: IntegrationScene, admin: User
) -> None:
    scene.play("3-notebooks.yaml")
    eventually(partial(scene.names, VISION), {"notebook-1", "notebook-2"}, within=GENEROUS)
    eventually(partial(used, admin, VISION, A100, "cpu"), ("2", "2"))
    admin.delete("Pod", "notebook-1", VISION)
    eventually(partial(used, admin, VISION, A100, "cpu"), ("2", "1"))
    admin.delete("Pod", "notebook-2", VISION)
    eventually(partial(used, admin, VISION, A100, "cpu"), ("0", "0"))


def test_a_pod_waits_for_its_claim_and_then_for_devices(
    scene: IntegrationScene, admin: User
) -> None:
    scene.apply(pod(VISION, "early", resourceClaimName="later"))
    missing = ": spec.resourceClaims[gpu]: ResourceClaim dra-vision/later"
    eventually(partial(says, admin, VISION, "early"), lambda said: missing in said)
    scene.apply(template(VISION, "four", exactly(4)))
    for name in ("one", "two"):
        scene.apply(pod(VISION, name, resourceClaimTemplateName="four"))
    eventually(partial(scene.names, VISION), {"one", "two"}, within=GENEROUS)
    scene.apply(
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceClaim",
            "metadata": {"name": "later", "namespace": VISION},
            "spec": {"devices": {"requests": [exactly()]}},
        }
    )
    eventually(
        partial(says, admin, VISION, "early"), lambda said: f"needs 1 {A100}" in said, within=30
    )
    admin.delete("Pod", "one", VISION)
    eventually(partial(scene.names, VISION), {"early", "two"}, within=GENEROUS)


@pytest.mark.long
def test_claims_of_absurd_counts_and_forged_allocations_take_nothing_of_another_team(
    scene: IntegrationScene, admin: User, product: Installation
) -> None:
    """The tenant may edit its own namespace, claims included."""
    before = restarts(product)
    tenant = users.tenant(admin, VISION)
    tenants.await_rights(tenant, VISION, "Pod")
    absurd = [exactly(MOST) | {"name": f"r{number}"} for number in range(32)]
    greedy = claim(VISION, "greedy", *absurd)
    eventually(lambda: created(tenant, greedy), True)
    for name in ("sly", "slyer"):
        tenant.create(pod(VISION, name, resourceClaimName="greedy"))
    tenant.create(template(VISION, "absurd", *absurd))
    tenant.create(pod(VISION, "slyest", resourceClaimTemplateName="absurd"))
    eventually(partial(says, admin, VISION, "slyest"), lambda said: "ExceedsMax" in said)
    # The claim that two pods share counts in one of them, and the other waits for that one.
    shared = ("sly", "slyer")
    eventually(lambda: sum("ExceedsMax" in says(admin, VISION, name) for name in shared), 1)
    tenant.create(claim(VISION, "beyond", exactly(BEYOND)))
    tenant.create(pod(VISION, "beyond", resourceClaimName="beyond"))
    eventually(partial(says, admin, VISION, "beyond"), lambda said: f"from 1 to {MOST}" in said)
    device = {"request": "r0", "driver": DRIVER, "pool": "x", "device": "x"}
    forged: Document = {"status": {"allocation": {"devices": {"results": [device]}}}}
    patch = partial(tenant.patch, "ResourceClaim", "greedy", VISION, change=forged)
    assert refusal(lambda: patch(subresource="status")).code == 403
    # A claim that says of itself that it is another pod's, and a pod that says so of a claim.
    owned = claim(VISION, "owned", exactly(8))
    owned["metadata"]["ownerReferences"] = [owner(admin, VISION, "sly")]
    tenant.create(owned)
    tenant.create(pod(VISION, "heir", resourceClaimName="owned"))
    # The other team gets all of its min, and its figures are its own.
    scene.apply(
        template(SPEECH, "four", exactly(4)), pod(SPEECH, "four", resourceClaimTemplateName="four")
    )
    eventually(partial(scene.names, SPEECH), {"four"}, within=GENEROUS)
    eventually(partial(used, admin, SPEECH, A100), ("4",))
    root = partial(status, admin, "dra-root", "dra-platform")
    # The heir may have its 8; what exceeds max is no part of a request.
    eventually(lambda: root()["used"].get(A100), lambda held: held in ("4", "12"))
    eventually(lambda: root()["request"].get(A100), lambda asked: asked in ("4", "12"))
    assert not {"sly", "slyer", "slyest", "beyond"} & scene.names(VISION)
    assert restarts(product) == before
    tenant.close()


def restarts(product: Installation) -> dict[str, int]:
    return {
        name: pod["status"]["containerStatuses"][0]["restartCount"]
        for name, pod in product.pods(CONTROLLER).items()
    }


def claim(space: str, name: str, *requests: Document) -> Document:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": name, "namespace": space},
        "spec": {"devices": {"requests": list(requests)}},
    }


def owner(admin: User, space: str, name: str) -> Document:
    uid = admin.get("Pod", name, space)["metadata"]["uid"]
    return {"apiVersion": "v1", "kind": "Pod", "name": name, "uid": uid, "controller": True}


def created(user: User, manifest: Document) -> bool:
    """Whether the API server already knows of the user's rights, and did it."""
    try:
        user.create(manifest)
    except RefusedError as refused:
        if refused.code != 403:
            raise
        return False
    return True


def test_all_devices_of_a_node_count_as_what_a_node_has(
    scene: IntegrationScene, admin: User
) -> None:
    request = {
        "name": "gpu",
        "exactly": {"deviceClassName": "a100.example.com", "allocationMode": "All"},
    }
    scene.apply(template(SPEECH, "all", request))
    scene.apply(pod(SPEECH, "whole", resourceClaimTemplateName="all"))
    eventually(partial(scene.names, SPEECH), {"whole"}, within=GENEROUS)
    eventually(partial(used, admin, SPEECH, A100), ("4",))


def suspended(admin: User, name: str) -> bool:
    return bool(admin.get("Job", name, SPEECH)["spec"]["suspend"])


def unit_says(admin: User, name: str) -> str:
    units = admin.list("QueueUnit", SPEECH)
    found = [each for each in units if each["spec"]["consumerRef"]["name"] == name]
    return str((found[0].get("status") or {}).get("message", "")) if found else ""


def test_a_queued_job_counts_its_devices_before_its_pods_exist(
    scene: IntegrationScene, admin: User
) -> None:
    scene.apply(template(SPEECH, "one-a100", exactly()))
    scene.apply(template(VISION, "one-a100", exactly()))
    for index in range(5):
        scene.apply(pod(VISION, f"train-{index}", resourceClaimTemplateName="one-a100"))
    eventually(lambda: len(scene.names(VISION)), 5, within=GENEROUS)
    eventually(partial(used, admin, VISION, A100), ("5",))
    scene.play("6-queued-job.yaml")
    # Six are more than the 3 that are idle, and than the min of 4: it stays suspended.
    eventually(partial(unit_says, admin, "sweep"), lambda said: f"needs 6 {A100}" in said)
    stays(partial(suspended, admin, "sweep"), True)
    assert scene.names(SPEECH) == set()
    for index in range(3):
        admin.delete("Pod", f"train-{index}", VISION)
    eventually(partial(suspended, admin, "sweep"), False, within=GENEROUS)
    eventually(lambda: len(scene.names(SPEECH)), 6, within=GENEROUS)
    # Neither the job and its pods nor the pods and their claims count twice.
    eventually(partial(used, admin, SPEECH, A100, "pods"), ("6", "6"), within=30)
    stays(partial(used, admin, SPEECH, A100, "pods"), ("6", "6"))
    admin.delete("Job", "sweep", SPEECH)
    eventually(partial(used, admin, SPEECH, A100), ("0",), within=GENEROUS)


def test_a_queued_job_waits_for_its_template_and_says_so(
    scene: IntegrationScene, admin: User
) -> None:
    scene.play("6-queued-job.yaml")
    missing = (
        "spec.template.spec.resourceClaims[gpu]: ResourceClaimTemplate dra-speech/one-a100 does "
        "not exist. Create it"
    )
    eventually(partial(unit_says, admin, "sweep"), lambda said: missing in said, within=30)
    stays(partial(suspended, admin, "sweep"), True)
    scene.apply(template(SPEECH, "one-a100", exactly()))
    eventually(lambda: len(scene.names(SPEECH)), 6, within=GENEROUS)
    admin.delete("Job", "sweep", SPEECH)


def device_class(name: str, kind: str) -> Document:
    expression = f'device.driver == "{DRIVER}" && device.attributes["{DRIVER}"].kind == "{kind}"'
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": name},
        "spec": {"selectors": [{"cel": {"expression": expression}}]},
    }


def resource_slice(name: str, pool: str, slices: int, **spec: Any) -> Document:
    made = {"name": pool, "generation": 1, "resourceSliceCount": slices}
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": name},
        "spec": {"driver": DRIVER, "pool": made, **spec},
    }


def part(name: str, kind: str, slots: int) -> Document:
    taken = [{"counterSet": "board", "counters": {"slots": {"value": str(slots)}}}]
    return {"name": name, "attributes": {"kind": {"string": kind}}, "consumesCounters": taken}


def offers(admin: User, *names: str) -> tuple[str, ...]:
    least = admin.get("ElasticQuota", "dra-root", "dra-platform")["spec"]["min"]
    return tuple(least.get(f"{name}.deviceclass.resource.k8s.io/devices", "0") for name in names)


@pytest.fixture
def parts(scene: IntegrationScene, admin: User) -> Iterator[None]:
    """A board that is used whole or in halves, and three devices that all nodes can use."""
    halves = [part("half-0", "half", 4), part("half-1", "half", 4), part("whole", "whole", 8)]
    counters = [{"name": "board", "counters": {"slots": {"value": "8"}}}]
    links = [
        {"name": f"link-{index}", "attributes": {"kind": {"string": "link"}}} for index in range(3)
    ]
    made = [
        *(device_class(f"{kind}.example.com", kind) for kind in ("half", "whole", "link")),
        resource_slice("dra-board-devices", "board", 2, nodeName="dra-0", devices=halves),
        resource_slice("dra-links", "links", 1, allNodes=True, devices=links),
        # Last, so that an incomplete pool is seen before.
        resource_slice("dra-board", "board", 2, nodeName="dra-0", sharedCounters=counters),
    ]
    for document in made:
        admin.create(document)
    yield
    for document in made:
        admin.delete(document["kind"], document["metadata"]["name"])


def test_partitions_and_shared_devices_count_as_often_as_they_can_be_had(
    parts: None, scene: IntegrationScene, admin: User
) -> None:
    classes = ("half.example.com", "whole.example.com", "link.example.com")
    eventually(partial(offers, admin, *classes), ("2", "1", "3"), within=30)
    for kind, count in (("half", 3), ("link", 4)):
        request = {"name": "gpu", "exactly": {"deviceClassName": f"{kind}.example.com"}}
        scene.apply(template(VISION, kind, request))
        for index in range(count):
            scene.apply(pod(VISION, f"{kind}-{index}", resourceClaimTemplateName=kind))
    running = {"half-0", "half-1", "link-0", "link-1", "link-2"}
    eventually(partial(scene.names, VISION), running, within=GENEROUS)
    for name in ("half-2", "link-3"):
        said = partial(says, admin, VISION, name)
        eventually(said, lambda text: "QuotaExhausted" in text or "NoNodeFitsNow" in text)


def _restore(admin: User, documents: list[Document]) -> None:
    for each in documents:
        if admin.find(each["kind"], each["metadata"]["name"]) is None:
            admin.create(each)


def test_slices_and_classes_that_vanish_cost_no_pod_and_count_again_when_they_return(
    scene: IntegrationScene, admin: User, request: pytest.FixtureRequest
) -> None:
    scene.apply(template(VISION, "one", exactly()))
    for index in range(6):
        scene.apply(pod(VISION, f"train-{index}", resourceClaimTemplateName="one"))
    running = {f"train-{index}" for index in range(6)}
    eventually(partial(scene.names, VISION), running, within=GENEROUS)
    documents = scene.documents("1-nodes.yaml")
    slices = [each for each in documents if each["kind"] == "ResourceSlice"]
    classes = [each for each in documents if each["kind"] == "DeviceClass"]
    for each in slices:
        admin.delete("ResourceSlice", each["metadata"]["name"])
    request.addfinalizer(partial(_restore, admin, [*classes, *slices]))
    eventually(partial(offers, admin, "a100.example.com"), ("0",), within=30)
    scene.apply(template(SPEECH, "one", exactly()))
    scene.apply(pod(SPEECH, "late", resourceClaimTemplateName="one"))
    eventually(partial(says, admin, SPEECH, "late"), lambda text: "NoNodeFits" in text, within=30)
    # Although it is within the min of speech. In tests the delay of reclaim is a few seconds.
    stays(partial(scene.names, VISION), running, seconds=8)
    for each in classes:
        admin.delete("DeviceClass", each["metadata"]["name"])
    missing = "DeviceClass a100.example.com does not exist"
    eventually(partial(says, admin, SPEECH, "late"), lambda text: missing in text, within=30)
    stays(partial(scene.names, VISION), running)
    eventually(partial(used, admin, VISION, A100), ("6",))
    patient = {"spec": {"reclaim": {"grace": "1h"}}}
    admin.patch("ElasticQuota", SPEECH, SPEECH, change=patient)
    first, *others = slices
    for each in (*classes, first):
        admin.create(each)
    # Grace and delay begin now; the second node offers its devices again before they end.
    eventually(partial(offers, admin, "a100.example.com"), ("4",), within=30)
    for each in others:
        admin.create(each)
    eventually(partial(offers, admin, "a100.example.com"), ("8",), within=30)
    eventually(partial(scene.names, SPEECH), {"late"}, within=GENEROUS)
    assert scene.names(VISION) == running
