"""A cluster has one release of the chart: a second one is refused before any object is created."""

import pytest

from helm_program import Helm
from installation import NAMESPACE, Installation
from local_cluster import cluster as local
from local_cluster import product as chart
from users import User


pytestmark = pytest.mark.cluster


@pytest.mark.parametrize(
    ("name", "settings"),
    [("second", ()), (chart.RELEASE, ("--set", "fullnameOverride=second"))],
    ids=["another name", "the same name"],
)
def test_a_second_release_is_refused_with_a_sentence(
    cluster: local.Cluster, admin: User, product: Installation, name: str, settings: tuple[str, ...]
) -> None:
    place = ("-n", "elsewhere", "--create-namespace")
    told = Helm(cluster).attempt("install", name, str(chart.CHART), *place, *settings)
    assert told.returncode != 0
    assert (
        "this cluster has a release of elastic-quota-operator already: "
        f"{chart.RELEASE} in namespace {NAMESPACE}. A cluster has one, whose quotas are for all "
        "namespaces: upgrade that one, or uninstall it first."
    ) in told.stderr
    found = [each["metadata"]["name"] for each in admin.list("ValidatingWebhookConfiguration")]
    assert [each for each in found if each.startswith("second")] == []


def test_the_release_itself_is_upgraded(cluster: local.Cluster, product: Installation) -> None:
    words = ("upgrade", chart.RELEASE, str(chart.CHART), "-n", NAMESPACE, "--reuse-values")
    told = Helm(cluster).attempt(*words, "--dry-run=server")
    assert told.returncode == 0, told.stderr
