"""The cluster accepts what ``import`` prints for the examples of the other systems, unchanged.

The namespaces of the examples are made first, as their owners have them.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

import command_line
from installation import Installation, Kubectl
from scenes import condition
from users import Document, User
from waiting import eventually


pytestmark = pytest.mark.cluster

EXAMPLES = Path(__file__).parents[2] / "examples" / "import"


@pytest.fixture(scope="module")
def values() -> Document:
    """As the chart is installed: no namespace is listed, and an administrator may place quotas."""
    return {"config": {"defaultTree": {"childNamespaces": []}}}


def imported(dialect: str, file: str) -> str:
    """What the command prints."""
    return command_line.printed("import", dialect, "-f", str(EXAMPLES / file))


@pytest.fixture
def applied(kubectl: Kubectl, product: Installation) -> Iterator[list[str]]:
    """Apply the manifests inside the test, and delete them at its end, children first."""
    texts: list[str] = []
    yield texts
    for text in texts:
        documents = list(yaml.safe_load_all(text))
        backwards = yaml.safe_dump_all(reversed(documents))
        kubectl("delete", "--wait=false", "-f", "-", stdin=backwards)
    for name in sorted({name for text in texts for name in _namespaces(text)}):
        kubectl("delete", "namespace", name, "--wait=false")


@pytest.mark.parametrize(
    ("dialect", "file"),
    [
        ("ack", "elasticquotatree.yaml"),
        ("capacity", "capacity.yaml"),
        ("yunikorn", "queues.yaml"),
        ("yunikorn", "namespaces-in-queues.yaml"),
        ("resourcequota", "resourcequota.yaml"),
    ],
)
def test_imported_quotas_are_applied_and_accepted(
    kubectl: Kubectl, admin: User, applied: list[str], dialect: str, file: str
) -> None:
    text = imported(dialect, file)
    for name in _namespaces(text):
        kubectl("create", "namespace", name)
    applied.append(text)
    kubectl("apply", "-f", "-", stdin=text)
    for quota in yaml.safe_load_all(text):
        meta = quota["metadata"]
        eventually(partial(_accepted, admin, meta["name"], meta["namespace"]), "True", within=30)


def _accepted(admin: User, name: str, namespace: str) -> str:
    return str(condition(admin.get("ElasticQuota", name, namespace), "Accepted")["status"])


def _namespaces(text: str) -> set[str]:
    documents: list[dict[str, Any]] = list(yaml.safe_load_all(text))
    return {each["metadata"]["namespace"] for each in documents} - {"kube-system"}
