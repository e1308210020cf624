"""The three built-in quotas have objects in the release's namespace, which the controller keeps."""

import json
from collections.abc import Iterator
from functools import partial

import pytest

import namespaces
import tenants
from elasticquota import names
from installation import CONTROLLER_USER, NAMESPACE, Installation, Kubectl
from scenes import Pool, condition, refusal
from users import Document, User
from waiting import eventually, stays


pytestmark = pytest.mark.cluster

ALL = sorted(names.RESERVED_QUOTAS)


def stored(admin: User, name: str = names.ROOT_QUOTA) -> Document:
    return admin.get("ElasticQuota", name, NAMESPACE)


def kept(admin: User) -> list[str]:
    found = [quota["metadata"]["name"] for quota in admin.list("ElasticQuota", NAMESPACE)]
    return sorted(set(found) & set(ALL))


def total(admin: User) -> dict[str, str]:
    found: dict[str, str] = json.loads(
        stored(admin)["metadata"]["annotations"][names.TOTAL_RESOURCE]
    )
    return found


def delete_all_three(admin: User) -> None:
    """Behind our back: no user may, so the trial speaks as the controller."""
    with tenants.speaking_as(admin, CONTROLLER_USER) as controller:
        for name in ALL:
            controller.delete("ElasticQuota", name, NAMESPACE)


@pytest.fixture
def free_node(admin: User) -> Iterator[str]:
    """A node of 3 cpu that belongs to no pool, so to the default tree."""
    name = namespaces.new(admin)
    offered = {"cpu": "3", "memory": "1Gi", "pods": "10"}
    admin.create(
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "annotations": {"kwok.x-k8s.io/node": "fake"}},
            "status": {"capacity": offered, "allocatable": offered},
        }
    )
    yield name
    admin.delete("Node", name)
    admin.delete("Namespace", name)


def test_the_three_have_rows_and_the_root_has_the_total_of_the_default_tree(
    pool: Pool, admin: User, kubectl: Kubectl, free_node: str
) -> None:
    eventually(lambda: kept(admin), ALL)
    eventually(lambda: int(total(admin)["cpu"]) >= 3, True)
    eventually(lambda: stored(admin)["status"]["tree"], names.ROOT_QUOTA)
    eventually(
        lambda: (
            stored(admin)["status"]["runtime"].get("cpu", "0") != "0"
            or not stored(admin)["status"]["runtime"]
        ),
        True,
    )
    for name in ALL:
        accepted = eventually(
            lambda name=name: condition(stored(admin, name), "Accepted"),  # type: ignore[misc]
            lambda found: found.get("status") == "True",
        )
        assert accepted["reason"] == "Accepted"
    rows = kubectl("get", "elasticquotas", "-n", NAMESPACE).splitlines()
    assert {row.split()[0] for row in rows} >= set(ALL)


def test_what_is_deleted_behind_our_back_is_made_again_also_after_a_kill(
    pool: Pool, admin: User, product: Installation
) -> None:
    eventually(lambda: kept(admin), ALL)
    uid = stored(admin)["metadata"]["uid"]
    delete_all_three(admin)
    eventually(lambda: kept(admin), ALL, within=60)
    assert stored(admin)["metadata"]["uid"] != uid
    leader = product.leader()
    with product.restarted(leader):
        delete_all_three(admin)
        product.kill(leader)
    eventually(lambda: kept(admin), ALL, within=60)
    eventually(lambda: stored(admin)["status"]["tree"], names.ROOT_QUOTA)


def test_an_administrator_sets_the_mode_of_the_default_tree_on_the_root_and_no_other_user_may(
    pool: Pool, admin: User
) -> None:
    eventually(lambda: kept(admin), ALL)
    observe = {"spec": {"tree": {"enforcement": "Observe"}}}
    planner = tenants.planner(admin, pool.namespace)
    try:
        tenants.grant(admin, NAMESPACE, "elastic-quota-view", "planner", home=pool.namespace)
        refusal(lambda: planner.patch("ElasticQuota", ALL[1], NAMESPACE, change=observe))
    finally:
        admin.delete("RoleBinding", "elastic-quota-view-planner", NAMESPACE)
        planner.close()

    admin.patch("ElasticQuota", names.ROOT_QUOTA, NAMESPACE, change=observe)
    try:
        said = eventually(
            lambda: condition(stored(admin), "Observed"), lambda found: found["status"] == "True"
        )
        assert names.ROOT_QUOTA in said["message"]
        stays(lambda: stored(admin)["spec"]["tree"], observe["spec"]["tree"])
        patch = partial(admin.patch, "ElasticQuota", names.ROOT_QUOTA, NAMESPACE)
        patch(change={"spec": {"paused": True}})
        eventually(lambda: condition(stored(admin), "Paused")["status"], "True")
        patch(change={"spec": {"paused": None}})
        more = {"spec": {"max": {"cpu": "1"}}}
        refused = refusal(
            lambda: admin.patch("ElasticQuota", names.ROOT_QUOTA, NAMESPACE, change=more)
        )
        assert refused.message.endswith("Leave it as it is. [EQ1110]")
        relabel = {"metadata": {"labels": {names.IS_PARENT: "false"}}}
        refusal(lambda: admin.patch("ElasticQuota", names.ROOT_QUOTA, NAMESPACE, change=relabel))
    finally:
        undo = {"spec": {"tree": None}}
        admin.patch("ElasticQuota", names.ROOT_QUOTA, NAMESPACE, change=undo)
    eventually(lambda: condition(stored(admin), "Observed")["status"], "")
