"""A pod that may preempt is told, or refused, when it asks for what only the scheduler sees."""

from collections.abc import Iterator, Mapping
from functools import partial

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


def refusal(pool: Pool, priority: str, asked: Mapping[str, object]) -> str:
    """What the API server says to such a pod; empty when it takes it."""
    manifest = pool.pod_manifest("asking", None, priority=priority)
    main = manifest["spec"]["containers"][0] if "ports" in asked else manifest["spec"]
    main.update(asked)
    try:
        pool.admin.create(manifest, dry_run=True)
    except RefusedError as refused:
        return refused.message
    return ""


@pytest.fixture
def quiet(admin: User, namespace: str) -> Iterator[str]:
    """A PriorityClass whose pods preempt nobody."""
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


def test_it_is_refused_where_the_value_says_so_and_nothing_else_is(
    pool: Pool, product: Installation, quiet: str
) -> None:
    assert {refusal(pool, HIGH, asked) for asked in ASKED.values()} == {""}
    with product.upgraded({"policy": {"preemption": "deny"}}):
        for field, asked in ASKED.items():
            eventually(partial(refusal, pool, HIGH, asked), lambda said: "[PD1309]" in said)
            assert f"spec.{field}" in refusal(pool, HIGH, asked)
            assert refusal(pool, "", asked) == "", "who has priority 0 preempts nobody"
            assert refusal(pool, quiet, asked) == ""
        assert refusal(pool, HIGH, {}) == ""
    for asked in ASKED.values():
        eventually(partial(refusal, pool, HIGH, asked), "")
