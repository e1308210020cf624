"""The API server goes and comes back under the operator, which goes on as if nothing had been."""

import pytest

from installation import CONTROLLER, WEBHOOK, Installation
from local_cluster import cluster as local
from scenes import Pool
from waiting import eventually


pytestmark = pytest.mark.cluster


def test_everything_goes_on_after_a_restart_of_the_api_server(
    pool: Pool, product: Installation, cluster: local.Cluster
) -> None:
    pool.quota("team", min=4, max=4)
    pool.pods("team", 6)
    eventually(lambda: len(pool.running("team")), 4)
    cluster.restart("kube-apiserver")
    product.settle()
    assert len(pool.running("team")) == 4
    pool.delete_pods(*sorted(pool.running("team"))[:2])
    eventually(lambda: (len(pool.running("team")), pool.gated("team")), (4, set()), within=30)
    pool.quota("late", min=2, max=2)
    late = pool.pods("late", 2)
    eventually(lambda: pool.running("late"), set(late), within=30)
    eventually(lambda: pool.used("late"), "2")
    pool.add_node(cpu=8)
    eventually(lambda: pool.root_quota()["spec"]["min"]["cpu"], "24", within=30)
    assert (product.ready(CONTROLLER), product.ready(WEBHOOK)) == (2, 2)
