"""Every policy can be left out by its code, and a break-glass group is held by none about pods."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import pytest

import tenants
from installation import Installation
from scenes import GATE, PREFIX, Pool, gates
from users import Document, RefusedError, User
from waiting import eventually


pytestmark = pytest.mark.cluster

CODES = ("EQ1004", "EQ1107", "EQ1108", "EQ1109", "EQ1110", "PD1302", "PD1303", "PD1304", "PD1308")
FOREIGN = {"name": "example.com/other"}
OTHER_QUOTA: Document = {"metadata": {"labels": {f"{PREFIX}name": "other"}}}
OPEN: Document = {"spec": {"schedulingGates": [FOREIGN]}}


@contextmanager
def only_policies(product: Installation, admin: User, **policy: object) -> Iterator[None]:
    """These values of the chart under ``policy``, and no webhook, for the time of the block."""
    product.upgrade({"policy": policy})
    try:
        with tenants.without_webhooks(admin):
            yield
    finally:
        product.upgrade({"policy": {"disabled": [], "breakGlassGroups": []}})


@pytest.fixture
def home(pool: Pool) -> Pool:
    """A quota in a tree, a pod that was let in, and one that waits."""
    tree = pool.root_quota()["metadata"]["labels"][f"{PREFIX}tree-id"]
    pool.quota("rooted", min=1, max=1, labels={f"{PREFIX}tree-id": tree})
    pool.pod("settled", None)
    pool.pod("waiting", None, schedulingGates=[FOREIGN, {"name": GATE}])
    return pool


def attempts(home: Pool, planner: User) -> dict[str, Callable[[], object]]:
    """What breaks each rule and nothing else."""

    def quota(**metadata: Document) -> Callable[[], object]:
        manifest = home.quota_manifest("tried", min=1, max=1)
        for field, entries in metadata.items():
            manifest["metadata"][field] |= entries
        return partial(planner.create, manifest, dry_run=True)

    def patch(kind: str, name: str, change: Document) -> Callable[[], object]:
        return partial(planner.patch, kind, name, home.namespace, change=change)

    reserved = home.quota_manifest("tried", max=1)
    reserved["metadata"]["name"] = "koordinator-system-quota"
    placed = home.pod_manifest("tried", None, nodeName=min(home.nodes()))
    daemon = home.pod_manifest("tried", None)
    daemon["metadata"]["ownerReferences"] = [
        {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "agent", "uid": "1"}
    ]
    tree = {"metadata": {"labels": {f"{PREFIX}tree-id": "2"}}}
    return {
        "EQ1004": quota(annotations={f"{PREFIX}namespaces": '["kube-public"]'}),
        "EQ1107": patch("ElasticQuota", home.name("rooted"), tree),
        "EQ1108": quota(labels={f"{PREFIX}is-root": "true"}),
        "EQ1109": quota(labels={f"{PREFIX}allow-force-update": "true"}),
        "EQ1110": partial(planner.create, reserved, dry_run=True),
        "PD1302": patch("Pod", "settled", OTHER_QUOTA),
        "PD1303": patch("Pod", "waiting", OPEN),
        "PD1304": partial(planner.create, placed, dry_run=True),
        "PD1308": partial(planner.create, daemon, dry_run=True),
    }


def code(attempt: Callable[[], object]) -> str:
    """What the refusal ends with; empty when there was none."""
    try:
        attempt()
    except RefusedError as refused:
        return refused.message[-len("EQ1004]") : -1]
    return ""


def test_each_policy_holds_one_rule_and_can_be_left_out(
    home: Pool, admin: User, product: Installation
) -> None:
    planner = tenants.planner(admin, home.namespace)
    tried = attempts(home, planner)
    with tenants.without_webhooks(admin):
        assert {rule: code(attempt) for rule, attempt in tried.items()} == {c: c for c in CODES}
    with only_policies(product, admin, disabled=list(CODES)):
        for attempt in tried.values():
            eventually(partial(code, attempt), "")
    planner.close()


def test_a_break_glass_group_may_do_with_pods_what_it_must(
    home: Pool, admin: User, product: Installation
) -> None:
    tenants.grant_group(admin, home.namespace, "edit", "on-call")
    placed = home.pod_manifest("placed", None, nodeName=min(home.nodes()))
    with (
        only_policies(product, admin, breakGlassGroups=["on-call"]),
        tenants.speaking_as(admin, "alice", "on-call") as rescuer,
    ):
        eventually(
            lambda: rescuer.patch("Pod", "settled", home.namespace, change=OTHER_QUOTA), bool
        )
        rescuer.patch("Pod", "waiting", home.namespace, change=OPEN)
        assert gates(home.get_pod("waiting")) == [FOREIGN["name"]]
        rescuer.create(placed, dry_run=True)
