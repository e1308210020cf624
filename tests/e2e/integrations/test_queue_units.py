"""Queues and units on the real API server: what their definitions accept, and who may change a
unit.

Items Q16 to Q19 of docs/compat/ack.md.
"""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

import tenants
import workloads
from installation import Installation, Kubectl
from scenes import Pool
from users import User
from waiting import eventually, stays


pytestmark = pytest.mark.cluster

API = "scheduling.x-k8s.io/v1alpha1"
ONLY_PRIORITY = (
    "only spec.priority of a QueueUnit may be changed: the controller keeps the rest in step with "
    "the job; edit that instead [EQ1108]"
)


@pytest.fixture
def unit(product: Installation, namespace: str, kubectl: Kubectl) -> Iterator[str]:
    """A unit without a job, as kube-queue writes it."""
    kubectl("create", "-n", namespace, "-f", "-", stdin=json.dumps(_unit()))
    yield namespace
    kubectl("delete", "-n", namespace, "queueunit", "unit1")


def _unit(**spec: Any) -> dict[str, Any]:
    """The example of kube-queue's own page on units."""
    return {
        "apiVersion": API,
        "kind": "QueueUnit",
        "metadata": {"name": "unit1"},
        "spec": {
            "consumerRef": {
                "apiVersion": "kubeflow.org/v1",
                "kind": "TFJob",
                "name": "job1",
                "namespace": "default",
            },
            "queue": "default",
            "priority": 100,
            "priorityClassName": "high-priority",
            "resource": {"cpu": 40},
            "podSets": [{"name": "worker", "count": 4, "resource": {"cpu": "10"}}],
            **spec,
        },
    }


def _queue(**spec: Any) -> dict[str, Any]:
    """The example of kube-queue's own page on queues."""
    return {
        "apiVersion": API,
        "kind": "Queue",
        "metadata": {"name": "queue"},
        "spec": {
            "queuePolicy": "Priority",
            "priority": 100,
            "priorityClassName": "high-priority",
            **spec,
        },
    }


TAKEN = [
    _queue(),
    _queue(queuePolicy="FIFO", priority=None),
    _queue(admissionChecks=[{"name": "a", "labelSelector": {"matchLabels": {"x": "y"}}}]),
    _unit(),
    _unit(podSet=[{"name": "main", "count": 1, "template": {"spec": {"containers": []}}}]),
]

REFUSED = [
    (
        _queue(queuePolicy="Lifo"),
        'spec.queuePolicy: Unsupported value: "Lifo": supported values: '
        '"FIFO", "Priority", "Block", "Intelligent"',
    ),
    (
        _queue(priority=2**31),
        "spec.priority in body should be less than or equal to 2147483647",
    ),
    (_unit(resource={"cpu": "much"}), 'spec.resource.cpu: Invalid value: "much"'),
    (_unit(resource={"cpu": "-4"}), 'spec.resource.cpu: Invalid value: "-4"'),
    (
        _unit(podSets=[{"name": "a", "count": 2, "minCount": 3}]),
        "minCount must not be above count",
    ),
    (_queue(admissionChecks=[{"labelSelector": {}}]), "spec.admissionChecks[0].name: Required"),
    (
        _unit(podSets=[{"name": "a", "count": -1}]),
        "spec.podSets[0].count: Invalid value: -1",
    ),
    (
        _unit(podSets=[{"name": "a"}, {"name": "a"}]),
        "spec.podSets[1]: Duplicate value",
    ),
]


def _tried(kubectl: Kubectl, namespace: str, manifest: dict[str, Any]) -> tuple[int, str]:
    words = ("create", "--dry-run=server", "-n", namespace, "-f", "-")
    done = kubectl.attempt(*words, stdin=json.dumps(manifest))
    return done.returncode, done.stderr


def test_queues_and_units_of_kube_queue_are_accepted_and_meaningless_ones_refused(
    product: Installation, namespace: str, kubectl: Kubectl
) -> None:
    for manifest in TAKEN:
        assert _tried(kubectl, namespace, manifest) == (0, "")
    for manifest, sentence in REFUSED:
        code, said = _tried(kubectl, namespace, manifest)
        assert (code, said) != (0, ""), manifest
        assert sentence in said, said


def test_people_see_phase_priority_queue_and_kind(unit: str, kubectl: Kubectl) -> None:
    _advance(kubectl, unit, "Running")
    shown = kubectl("get", "qu", "-n", unit).splitlines()
    assert shown[0].split() == ["NAME", "PHASE", "PRIORITY", "QUEUE", "JOBTYPE", "AGE"]
    assert shown[1].split()[:5] == ["unit1", "Running", "100", "default", "TFJob"]


def test_q19_while_it_is_enqueued_only_the_priority_may_change(unit: str, kubectl: Kubectl) -> None:
    eventually(
        lambda: _changed(kubectl, unit, {"queue": "another"}),
        lambda said: said.endswith(f"{ONLY_PRIORITY}\n"),
    )
    for change in (
        {"resource": {"cpu": 1}},
        {"consumerRef": {"name": "job2"}},
        {"podSets": None},
        {"priorityClassName": None},
        {"priority": 200, "queue": "other"},
    ):
        assert _changed(kubectl, unit, change).endswith(f"{ONLY_PRIORITY}\n"), change
    assert _changed(kubectl, unit, {"priority": 200}) == ""
    _advance(kubectl, unit, "Enqueued")
    assert _changed(kubectl, unit, {"priority": 300}) == ""


def test_q19_afterwards_nothing_may_change(unit: str, kubectl: Kubectl) -> None:
    _advance(kubectl, unit, "Dequeued")
    sentence = (
        "spec.priority may be changed only while the unit is Enqueued; its job is Dequeued "
        "[EQ1108]\n"
    )
    eventually(
        lambda: _changed(kubectl, unit, {"priority": 200}), lambda said: said.endswith(sentence)
    )
    assert _changed(kubectl, unit, {"queue": "other"}).endswith(f"{ONLY_PRIORITY}\n")
    kubectl("label", "-n", unit, "queueunit", "unit1", "seen=yes")


@pytest.mark.long
def test_forged_units_start_no_job_and_move_none_of_others(
    pool: Pool, tenant: User, admin: User, namespace: str
) -> None:
    """A tenant writes units and their status, in its namespace and in one beside it."""
    may = tenants.role(
        admin,
        pool.name("units"),
        "scheduling.x-k8s.io",
        ["queueunits", "queueunits/status"],
        ["create", "get", "list", "patch"],
    )
    for space in (pool.namespace, namespace):
        tenants.grant(admin, space, may, "tenant", home=pool.namespace)
    tenants.await_rights(tenant, namespace, "QueueUnit")
    tenants.await_rights(tenant, pool.namespace, "QueueUnit")

    def forge(space: str, job: str, **spec: Any) -> None:
        consumer = {**_unit()["spec"]["consumerRef"], "namespace": pool.namespace, "name": job}
        unit = _unit(consumerRef=consumer, resource={"cpu": 0}, podSets=None, **spec)
        unit["metadata"] = {"name": f"{job}-job-qu", "namespace": space}
        tenant.create(unit)
        change = {"status": {"phase": "Dequeued", "position": 1}}
        tenant.patch("QueueUnit", f"{job}-job-qu", space, change=change, subresource="status")

    def suspended(*jobs: str) -> list[bool]:
        return [admin.get("Job", job, pool.namespace)["spec"]["suspend"] for job in jobs]

    pool.quota("team", max=2)
    pool.quota("small", max=1)
    forge(pool.namespace, "wide", priority=2**31 - 1)
    workloads.job(pool, "small", "wide", 2, job={"suspend": True})
    for job in ("first", "second", "third"):
        workloads.job(pool, "team", job, 2, job={"suspend": True})
        eventually(partial(admin.find, "QueueUnit", f"{job}-job-qu", pool.namespace), bool)
    eventually(lambda: suspended("first", "second", "third"), [False, True, True])

    def unit(job: str) -> Any:
        return admin.get("QueueUnit", f"{job}-job-qu", pool.namespace)

    def in_line() -> list[str]:
        """By age; jobs of one second have any order."""
        return sorted(("second", "third"), key=lambda job: unit(job)["status"]["position"])

    eventually(lambda: {unit(job)["status"]["position"] for job in ("second", "third")}, {1, 2})
    ahead, behind = in_line()
    forge(namespace, behind, priority=2**31 - 1)
    eventually(lambda: unit("wide")["spec"]["resource"]["cpu"], "2")
    eventually(lambda: unit("wide")["status"]["phase"], "Enqueued")
    assert suspended("wide") == [True]
    stays(in_line, [ahead, behind])
    admin.delete("Job", "first", pool.namespace)
    eventually(lambda: suspended(ahead, behind), [False, True])
    admin.delete_all("Job", pool.namespace)
    admin.delete("QueueUnit", f"{behind}-job-qu", namespace)
    admin.delete("ClusterRole", may)


def _changed(kubectl: Kubectl, namespace: str, spec: dict[str, Any]) -> str:
    """The refusal of the change; empty when it was done."""
    words = ("patch", "-n", namespace, "queueunit", "unit1", "--type=merge")
    done = kubectl.attempt(*words, "-p", json.dumps({"spec": spec}))
    return done.stderr


def _advance(kubectl: Kubectl, namespace: str, phase: str) -> None:
    patch = json.dumps({"status": {"phase": phase}})
    words = ("patch", "-n", namespace, "queueunit", "unit1", "--subresource=status")
    kubectl(*words, "--type=merge", "-p", patch)
