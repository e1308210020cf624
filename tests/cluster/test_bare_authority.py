"""A cluster whose authority says nothing about itself, as those of EKS and MicroK8s.

A cluster of its own, because an authority is there for the whole life of a cluster.
"""

from collections.abc import Iterator

import pytest

from installation import CONTROLLER, NAMESPACE, Kubectl
from local_cluster import cluster as local
from local_cluster import product
from waiting import eventually


pytestmark = pytest.mark.cluster


@pytest.fixture
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[local.Cluster]:
    folder = tmp_path_factory.mktemp("bare") / "local"
    with local.start(folder, bare_authority=True, say=print) as running:
        yield running


def test_both_processes_become_ready_and_one_leads(own: local.Cluster) -> None:
    product.install(own)  # helm waits until all are ready
    kubectl = Kubectl(own.binary("kubectl"), own.kubeconfig)
    holder = ("get", "lease", CONTROLLER, "-n", NAMESPACE, "-o", "jsonpath={.spec.holderIdentity}")
    eventually(lambda: kubectl(*holder), lambda name: name.startswith(f"{CONTROLLER}-"), within=30)
