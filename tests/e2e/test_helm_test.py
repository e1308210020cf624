"""``helm test`` says whether the installation works, and leaves nothing behind."""

import pytest

from helm_program import Helm
from installation import NAMESPACE, Installation
from local_cluster import cluster as local
from local_cluster import product as chart
from users import User


pytestmark = pytest.mark.cluster

TEST = (chart.RELEASE, "-n", NAMESPACE, "--logs", "--timeout", "60s")
RIGHTS = ("ClusterRole", "Role", "RoleBinding", "ServiceAccount")


@pytest.fixture
def helm(cluster: local.Cluster) -> Helm:
    """The real helm."""
    return Helm(cluster)


def left(admin: User) -> list[str]:
    """Rights of the test that are still there."""
    name = f"{chart.RELEASE}-test"
    places = {"ClusterRole": ""}
    return [kind for kind in RIGHTS if admin.find(kind, name, places.get(kind, NAMESPACE))]


def test_an_installation_that_works_passes(helm: Helm, product: Installation, admin: User) -> None:
    done = helm.attempt("test", *TEST)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 errors" in done.stdout
    assert "not checked" not in done.stdout, "it asks only what it may read"
    assert left(admin) == []


def test_an_installation_without_a_webhook_fails_and_the_log_says_why(
    helm: Helm, product: Installation, admin: User
) -> None:
    with product.without_webhook():
        done = helm.attempt("test", *TEST)
    assert done.returncode != 0
    assert f"Deployment {NAMESPACE}/{chart.RELEASE}-webhook" in done.stdout
    assert left(admin) == []
    assert helm.attempt("test", *TEST).returncode == 0
