"""Groups and jobs start when the autoscaler has all of their nodes (docs/provisioning.md).

The definition of the kind has the fields that its documentation names; the autoscaler is a
simulation of ours. The rest is real.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest

import gangs
import served
import tenants
import users
import workloads
from autoscaled import AutoscaledPool
from installation import CONTROLLER, Installation
from operators import definitions
from scenes import condition, refusal
from users import Document, User
from waiting import eventually, stays


pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("admission")]

ATOMIC = "best-effort-atomic-scale-up.autoscaling.x-k8s.io"
CONSUME = "autoscaling.x-k8s.io/consume-provisioning-request"


@pytest.fixture(scope="module")
def values(admin: User) -> Document:
    """Nodes are asked for, and jobs are queued."""
    definitions.serve(
        admin,
        "autoscaling.x-k8s.io",
        "v1",
        "ProvisioningRequest",
        definitions.PROVISIONING_REQUEST,
    )
    provisioning = {"className": ATOMIC, "timeoutSeconds": 60, "backoffSeconds": 2}
    jobs = {"backoffSeconds": 2}
    return {
        "crds": {"dialects": {"jobs": True}},
        "dialects": {"jobs": True},
        "config": {"provisioning": provisioning, "jobs": jobs},
    }


@pytest.fixture
def team(elastic: AutoscaledPool) -> AutoscaledPool:
    """A tree of up to 4 nodes of 4 cpu, with a quota that may have all and binds the namespace."""
    elastic.open_group(4)
    bound = {"quota.scheduling.koordinator.sh/namespaces": f'["{elastic.namespace}"]'}
    elastic.quota("team", min=0, max=16, annotations=bound)
    return elastic


def gang(pool: AutoscaledPool, name: str, size: int, **facts: Any) -> list[str]:
    of = gangs.gang("own", name, size)
    return gangs.pods(pool, name, "team", of, range(size), **facts)


def requests(pool: AutoscaledPool) -> dict[str, Document]:
    found = pool.admin.list("ProvisioningRequest", pool.namespace)
    return {each["metadata"]["name"]: each for each in found}


def test_a_group_starts_when_all_of_its_nodes_are_there(team: AutoscaledPool) -> None:
    train = gang(team, "train", 6, cpu=2)
    eventually(lambda: team.running("team"), set(train), within=30)
    assert len(team.nodes()) == 3
    assert team.triggers() == set()  # the nodes came by the request
    ((name, request),) = requests(team).items()
    assert condition(request, "Provisioned")["status"] == "True"
    pod = team.get_pod(train[0])
    assert pod["metadata"]["annotations"][CONSUME] == name
    eventually(
        lambda: team.events(train[0])["QuotaAdmitted"],
        lambda said: "CapacityIsProvisioned" in said,
    )


def test_a_group_that_is_refused_waits_with_the_answer_and_starts_when_there_are_machines(
    team: AutoscaledPool,
) -> None:
    team.has_no_machines()
    train = gang(team, "train", 8, cpu=2)
    said = eventually(
        lambda: gangs.why(team, train[0]), lambda text: "CapacityIsNotFound" in text, within=30
    )
    assert said.startswith("WaitingForProvisioning: admitted, and holds its room")
    # Its room is held: no other workload gets it.
    (other,) = team.pods("team", 1, prefix="other", cpu=2)
    eventually(lambda: "QuotaExhausted" in gangs.why(team, other), True)
    assert team.gated("team") == {*train, other}
    assert team.nodes() == set()
    team.has_machines()
    eventually(lambda: team.running("team"), set(train), within=30)


def test_an_owner_within_its_min_does_not_wait_for_a_group_that_runs_on_nothing(
    team: AutoscaledPool,
) -> None:
    team.has_no_machines()
    train = gang(team, "train", 8, cpu=2)
    eventually(lambda: len(requests(team)), 1)
    team.quota("owner", min=4, max=4, access={"pods": [team.namespace]})
    own = team.pods("owner", 2, cpu=2)
    eventually(lambda: team.unschedulable("owner"), set(own), within=45)
    assert team.gated("team") == set(train)
    eventually(lambda: requests(team), {})
    told = eventually(
        lambda: [team.events(pod).get("ProvisioningWithdrawn", "") for pod in train], any
    )
    assert "no pod of it has started, and it asks for its nodes no longer" in "".join(told)
    team.has_machines()
    eventually(lambda: team.running("owner"), set(own), within=30)


def test_a_profile_chooses_the_class_of_its_tree(team: AutoscaledPool) -> None:
    team.has_no_machines()
    choose(team, {"className": "check-capacity.autoscaling.x-k8s.io"})
    gang(team, "train", 2, cpu=2)
    eventually(
        lambda: [each["spec"]["provisioningClassName"] for each in requests(team).values()],
        ["check-capacity.autoscaling.x-k8s.io"],
    )
    refused = refusal(lambda: choose(team, {"timeout": "30"}))
    said = (
        'spec.provisioning.timeout: Invalid value: "30": must be a duration such as 30s or 1m30s, '
        "from 1s to 24h [EP1201]"
    )
    assert served.without_values(said) in served.without_values(refused.message)


def test_a_refusal_returns_the_room_and_the_group_is_asked_for_again(team: AutoscaledPool) -> None:
    team.has_no_machines()
    train = gang(team, "train", 8, cpu=2)
    first = eventually(lambda: sorted(requests(team)), lambda names: len(names) == 1)
    eventually(lambda: condition(requests(team)[first[0]], "Provisioned")["status"], "False")
    failed = {
        "type": "Failed",
        "status": "True",
        "reason": "OutOfStock",
        "message": "no machine of this kind",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }

    def refusals() -> list[str]:
        # Each time, because the autoscaler writes the conditions too, as it read them before.
        change = {"status": {"conditions": [failed]}}
        kind = "ProvisioningRequest"
        if first[0] in requests(team):
            team.admin.patch(kind, first[0], team.namespace, change=change, subresource="status")
        return [team.events(pod).get("ProvisioningRefused", "") for pod in train]

    told = eventually(refusals, any, within=40)
    assert "OutOfStock: no machine of this kind" in "".join(told)
    second = [f"{first[0].rpartition('-')[0]}-2"]
    eventually(lambda: sorted(requests(team)), second, within=30)
    team.has_machines()
    eventually(lambda: team.running("team"), set(train), within=30)


def test_a_job_stays_suspended_until_its_nodes_are_there(team: AutoscaledPool) -> None:
    team.has_no_machines()
    workloads.job(team, "team", "train", 4, cpu=2, job={"suspend": True})
    (name,) = eventually(lambda: sorted(requests(team)), lambda names: len(names) == 1)
    stays(lambda: team.admin.get("Job", "train", team.namespace)["spec"]["suspend"], True)
    team.has_machines()
    eventually(lambda: len(team.running("team")), 4, within=30)
    pod = team.get_pod(next(iter(team.running("team"))))
    assert pod["metadata"]["annotations"][CONSUME] == name
    assert len(team.nodes()) == 2
    # What was made for the job goes with it.
    team.admin.delete("Job", "train", team.namespace)
    eventually(lambda: requests(team), {}, within=30)
    templates = (team.admin.list, "PodTemplate", team.namespace)
    eventually(lambda: templates[0](*templates[1:]), [], within=30)


def test_a_controller_that_is_killed_goes_on_with_the_same_request(
    team: AutoscaledPool, product: Installation
) -> None:
    team.has_no_machines()
    train = gang(team, "train", 4, cpu=2)
    first = eventually(lambda: sorted(requests(team)), lambda names: len(names) == 1)
    leader = product.leader()
    with product.restarted(leader):
        product.kill(leader)
    eventually(product.leader, bool, within=30)
    stays(lambda: sorted(requests(team)), first)
    assert team.gated("team") == set(train)
    team.has_machines()
    eventually(lambda: team.running("team"), set(train), within=60)
    assert sorted(requests(team)) == first
    assert len(product.pods(CONTROLLER)) == 2


def test_a_controller_that_is_killed_while_it_asks_leaves_no_request_behind(
    team: AutoscaledPool, product: Installation
) -> None:
    team.has_no_machines()
    with no_request_is_stored(team):
        gang(team, "train", 4, cpu=2)
        eventually(lambda: len(templates(team)), 1)
        leader = product.leader()
        with product.restarted(leader):
            product.kill(leader)
        eventually(product.leader, bool, within=30)
    eventually(lambda: len(requests(team)), 1, within=60)
    # Each refusal is followed by a request of another name; nothing else stays.
    eventually(lambda: templates(team) == [f"{name}-0" for name in sorted(requests(team))], True)


@pytest.mark.long
def test_a_group_that_starts_while_its_request_is_being_made_leaves_none_behind(
    team: AutoscaledPool,
) -> None:
    with no_request_is_stored(team):
        train = gang(team, "train", 4, cpu=2)
        eventually(lambda: len(templates(team)), 1)
        choose(team, {"className": ""})
        eventually(lambda: team.running("team"), set(train), within=30)
    # The writer tries again by itself, after 30 s at most; what it makes is not needed any more.
    eventually(lambda: templates(team), [], within=120)
    stays(lambda: requests(team), {})


def test_a_group_that_is_deleted_while_its_request_is_being_made_leaves_none_behind(
    team: AutoscaledPool,
) -> None:
    with no_request_is_stored(team):
        gang(team, "train", 8, cpu=2)
        eventually(lambda: len(templates(team)), 1)
        team.admin.delete_all("Pod", team.namespace)
        eventually(lambda: team.gated("team"), set())
    eventually(lambda: (requests(team), templates(team)), ({}, []), within=60)
    # Its room is free again: 16 cpu for a group of the same size.
    following = gang(team, "next", 8, cpu=2)
    eventually(lambda: team.running("team"), set(following), within=60)


def templates(pool: AutoscaledPool) -> list[str]:
    found = pool.admin.list("PodTemplate", pool.namespace)
    return sorted(each["metadata"]["name"] for each in found)


def choose(pool: AutoscaledPool, provisioning: Document) -> None:
    change = {"spec": {"provisioning": provisioning}}
    pool.admin.patch("ElasticQuotaProfile", "pool", pool.namespace, change=change)


@contextlib.contextmanager
def no_request_is_stored(pool: AutoscaledPool) -> Iterator[None]:
    """The API server asks a webhook that does not answer, so it can store no request meanwhile."""
    webhook = {
        "name": "closed.example.com",
        "clientConfig": {"url": "https://127.0.0.1:9/"},
        "rules": [
            {
                "apiGroups": ["autoscaling.x-k8s.io"],
                "apiVersions": ["v1"],
                "operations": ["CREATE"],
                "resources": ["provisioningrequests"],
            }
        ],
        "failurePolicy": "Fail",
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "timeoutSeconds": 1,
    }
    pool.admin.create(
        {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingWebhookConfiguration",
            "metadata": {"name": "closed"},
            "webhooks": [webhook],
        }
    )
    try:
        eventually(lambda: refusal(lambda: _trial(pool)).message, lambda text: "closed" in text)
        yield
    finally:
        pool.admin.delete("ValidatingWebhookConfiguration", "closed")


def _trial(pool: AutoscaledPool) -> None:
    pool.admin.create(
        {
            "apiVersion": "autoscaling.x-k8s.io/v1",
            "kind": "ProvisioningRequest",
            "metadata": {"name": "trial", "namespace": pool.namespace},
            "spec": {
                "provisioningClassName": "check.example.com",
                "podSets": [{"count": 1, "podTemplateRef": {"name": "x"}}],
            },
        },
        dry_run=True,
    )


def test_a_tenant_cannot_answer_a_request(team: AutoscaledPool, admin: User) -> None:
    team.has_no_machines()
    gang(team, "train", 4, cpu=2)
    (name,) = eventually(lambda: sorted(requests(team)), lambda names: len(names) == 1)
    tenant = users.tenant(admin, team.namespace)
    try:
        tenants.await_rights(tenant, team.namespace, "Pod")
        done = {"type": "Provisioned", "status": "True", "reason": "x", "message": "x"}
        refused = refusal(
            lambda: tenant.patch(
                "ProvisioningRequest",
                name,
                team.namespace,
                change={"status": {"conditions": [done]}},
                subresource="status",
            )
        )
        assert refused.code == 403
    finally:
        tenant.close()


def test_a_forged_request_of_the_same_name_starts_no_group_and_is_left_alone(
    team: AutoscaledPool, product: Installation
) -> None:
    team.has_no_machines()
    train = gang(team, "train", 4, cpu=2)
    (name,) = eventually(lambda: sorted(requests(team)), lambda names: len(names) == 1)
    forged = {
        "provisioningClassName": "check.example.com",
        "podSets": [{"count": 1, "podTemplateRef": {"name": "x"}}],
    }
    with product.without(CONTROLLER):
        team.admin.delete("ProvisioningRequest", name, team.namespace)
        team.admin.create(
            {
                "apiVersion": "autoscaling.x-k8s.io/v1",
                "kind": "ProvisioningRequest",
                "metadata": {"name": name, "namespace": team.namespace},
                "spec": forged,
            }
        )
        done = {"type": "Provisioned", "status": "True", "reason": "x", "message": "x"}
        team.admin.patch(
            "ProvisioningRequest",
            name,
            team.namespace,
            change={"status": {"conditions": [done]}},
            subresource="status",
        )
    second = f"{name.rpartition('-')[0]}-2"
    eventually(lambda: sorted(requests(team)), [name, second], within=30)
    assert team.gated("team") == set(train)
    team.has_machines()
    eventually(lambda: team.running("team"), set(train), within=30)
    assert requests(team)[name]["spec"] == forged
