"""A pod that may preempt is warned, or refused, when it requests what only the scheduler sees."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import pytest

from installation import Installation
from scenes import HIGH, Pool
from users import RefusedError, User
from waiting import eventually


pytestmark = pytest.mark.cluster

HOST_PORT: dict[str, object] = {"ports": [{"containerPort": 80, "hostPort": 80}]}
PEERS = {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "kubernetes.io/hostname"}
APART = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [PEERS]}}
SPREAD = [{**PEERS, "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}]
ASKED: Mapping[str, dict[str, object]] = {
    "containers.ports.hostPort": HOST_PORT,
    "affinity.podAntiAffinity": {"affinity": APART},
    "topologySpreadConstraints": {"topologySpreadConstraints": SPREAD},
}


def refusal(pool: Pool, priority: str, asked: Mapping[str, object], **facts: Any) -> str:
    """The API server's refusal of such a pod; empty when it accepts it."""
    manifest = pool.pod_manifest("asking", None, priority=priority, **facts)
    main = manifest["spec"]["containers"][0] if "ports" in asked else manifest["spec"]
    main.update(asked)
    try:
        pool.admin.create(manifest, dry_run=True)
    except RefusedError as refused:
        return refused.message
    return ""


@pytest.fixture
def quiet(admin: User, namespace: str) -> Iterator[str]:
    """A PriorityClass whose pods never preempt."""
    name = f"quiet-{namespace}"
    admin.create(
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": name},
            "value": 1000,
            "preemptionPolicy": "Never",
        }
    )
    yield name
    admin.delete("PriorityClass", name)


def test_kube_scheduler_may_read_no_pod_group_but_that_of_kubernetes(admin: User) -> None:
    """So no other has a part in preemption: a pod in one preempts by its own priority."""
    rules = admin.get("ClusterRole", "system:kube-scheduler")["rules"]
    readable = [rule for rule in rules if {"podgroups", "*"} & {*rule.get("resources", ())}]
    assert {group for rule in readable for group in rule["apiGroups"]} <= {"scheduling.k8s.io"}


def test_it_is_refused_only_where_the_value_says_so(
    pool: Pool, product: Installation, quiet: str
) -> None:
    assert {refusal(pool, HIGH, asked) for asked in ASKED.values()} == {""}
    with product.upgraded({"policy": {"preemption": "deny"}}):
        for field, asked in ASKED.items():
            eventually(partial(refusal, pool, HIGH, asked), lambda said: "[PD1309]" in said)
            assert f"spec.{field}" in refusal(pool, HIGH, asked)
            assert refusal(pool, "", asked) == "", "a pod of priority 0 preempts no pod"
            assert refusal(pool, quiet, asked) == ""
        assert refusal(pool, HIGH, {}) == ""
        grouped = {"labels": {"pod-group.scheduling.sigs.k8s.io": "group"}}
        assert "[PD1309]" in refusal(pool, HIGH, HOST_PORT, **grouped), "a pod of another's group"
    for asked in ASKED.values():
        eventually(partial(refusal, pool, HIGH, asked), "")
