"""The examples of the rules' pages, typed as printed, get the printed answers."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

import rule_examples
import served
import tenants
from installation import Installation, Kubectl
from rule_examples import Example
from users import Document, User
from waiting import eventually


pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("admission")]

BY_SCHEMA = {"EQ1001", "EQ1002"}
"""The schema says more of these since 1.34."""


_OFFERED = {"cpu": "8", "memory": "32Gi", "pods": "110"}
A_NODE: Document = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "rule-pages", "annotations": {"kwok.x-k8s.io/node": "fake"}},
    "status": {"capacity": _OFFERED, "allocatable": _OFFERED},
}
"""A node for pods of the examples: a pod is admitted only when a node can take it."""


@pytest.fixture(scope="module", autouse=True)
def _ground(product: Installation, kubectl: Kubectl, admin: User) -> Iterator[None]:
    for namespace in rule_examples.NAMESPACES:
        kubectl("create", "namespace", namespace)
        eventually(lambda: admin.find("ServiceAccount", "default", namespace), bool)  # noqa: B023 - before the next
    admin.create(A_NODE)
    yield
    for namespace in rule_examples.NAMESPACES:
        kubectl("delete", "namespace", namespace, "--wait=false")
    for namespace in rule_examples.NAMESPACES:
        eventually(partial(admin.find, "Namespace", namespace), None, within=60)
    # Deleted last: without their node, pods would wait for the garbage collector.
    admin.delete("Node", A_NODE["metadata"]["name"])


@pytest.fixture(scope="module")
def of_tenant(
    _ground: None, kubectl: Kubectl, admin: User, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Kubectl]:
    """Kubectl as a tenant who may edit ``teams`` and its quotas."""
    planner = tenants.planner(admin, "teams")
    yield kubectl.of(planner, tmp_path_factory.mktemp("tenant"))
    planner.close()


@pytest.mark.parametrize(
    "example",
    [
        pytest.param(each, id=each.name, marks=served.since(34 if each.name in BY_SCHEMA else 30))
        for each in rule_examples.examples()
    ],
)
def test_kubectl_prints_what_the_page_says(
    example: Example, kubectl: Kubectl, of_tenant: Kubectl, admin: User, tmp_path: Path
) -> None:
    example.store(kubectl, admin)
    typed_by = of_tenant if example.by_tenant else kubectl
    words = example.words(tmp_path)

    def printed() -> str:
        done = typed_by.attempt(*words)
        said = (done.stderr + done.stdout).replace(f"{tmp_path}/", "").strip()
        return served.without_values(said)

    # The other replica of the webhook learns a moment later what was stored.
    eventually(printed, served.without_values(example.printed))
