"""The API server's own admission takes our pods where it enforces the standard ``restricted``."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import namespaces
from helm_program import Helm
from installation import Kubectl
from local_cluster import cluster as local
from local_cluster import product as chart
from users import User


pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("product")]

FILES = sorted((chart.CHART / "ci").glob("*-values.yaml"))
RESTRICTED = {"pod-security.kubernetes.io/enforce": "restricted"}


@pytest.fixture(scope="module")
def restricted(admin: User) -> Iterator[str]:
    """A namespace in which the standard is enforced."""
    name = namespaces.new(admin)
    admin.patch("Namespace", name, change={"metadata": {"labels": RESTRICTED}})
    yield name
    admin.delete("Namespace", name)


def pods(cluster: local.Cluster, *words: str) -> list[dict[str, Any]]:
    """The pods of a rendering: those of the Deployments, and that of `helm test`."""
    text = Helm(cluster)("template", "eq", str(chart.CHART), *words)
    found = []
    for each in filter(None, yaml.safe_load_all(text)):
        if each["kind"] == "Deployment":
            template = each["spec"]["template"]
            template["metadata"]["name"] = each["metadata"]["name"]
            found.append({"apiVersion": "v1", "kind": "Pod", **template})
        elif each["kind"] == "Pod":
            found.append(each)
    for each in found:
        each["metadata"].pop("namespace", None)
        each["spec"]["serviceAccountName"] = "default"
    return found


def answers(kubectl: Kubectl, namespace: str, found: list[dict[str, Any]]) -> str:
    """What the API server says of these pods, which it does not store."""
    listed = json.dumps({"apiVersion": "v1", "kind": "List", "items": found})
    words = ("create", "-n", namespace, "--dry-run=server", "-f", "-")
    return kubectl.attempt(*words, stdin=listed).stderr


@pytest.mark.parametrize("file", FILES, ids=[path.stem for path in FILES])
def test_every_pod_is_taken_where_the_restricted_standard_is_enforced(
    cluster: local.Cluster, kubectl: Kubectl, restricted: str, file: Path
) -> None:
    found = pods(cluster, "-f", str(file))
    assert len(found) >= 2
    said = answers(kubectl, restricted, found).splitlines()
    # Our own policy warns of pods that may preempt and have constraints of spread.
    assert [line for line in said if "[PD1309]" not in line] == []


def test_the_network_of_the_node_is_refused_there(
    cluster: local.Cluster, kubectl: Kubectl, restricted: str
) -> None:
    """As the page says of hostNetwork; and so the standard is enforced here."""
    found = pods(cluster, "--set", "webhook.hostNetwork=true")
    said = answers(kubectl, restricted, found)
    assert 'pods "eq-webhook" is forbidden: violates PodSecurity "restricted' in said
    assert "eq-controller" not in said
