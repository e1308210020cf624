"""The chart is installed and decides on the oldest Kubernetes that it accepts.

On a cluster of its own, with the servers of that version. `make test-oldest` runs all tests there;
this one is in each run, because a definition that only old API servers refuse is easily written.
"""

import json
from collections.abc import Iterator

import pytest

import served
import users
from installation import Kubectl
from local_cluster import build, product
from local_cluster import cluster as local
from scenes import HIGH, PRIORITIES, Pool
from users import RefusedError
from waiting import eventually


OLDEST = int(build.OLDEST.kubernetes.split(".")[1])

pytestmark = [pytest.mark.cluster, served.since(OLDEST + 1)]


@pytest.fixture
def own(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[local.Cluster]:
    servers = build.ensure(build.OLDEST.packages, print, build.OLDEST)
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(servers["kube-apiserver"].parent))
    with local.start(tmp_path_factory.mktemp("oldest") / "local", say=print) as running:
        yield running


def test_the_oldest_api_server_takes_every_object_of_the_chart_and_a_quota_is_kept(
    own: local.Cluster,
) -> None:
    product.install(own, {"policy": {"preemption": "deny"}})
    admin = users.admin(own.kubeconfig)
    assert served.version_of(own.binary("kube-apiserver")) == build.OLDEST.kubernetes
    admin.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "oldest"}})
    pool = Pool(admin, "oldest")
    pool.open(nodes=1, cpu=8)
    pool.quota("team", min=2, max=2)
    pool.pods("team", 3)
    eventually(lambda: (len(pool.running("team")), len(pool.gated("team"))), (2, 1), within=30)
    with pytest.raises(RefusedError, match=r"\[EQ1002\]"):
        pool.quota("wrong", min=3, max=2)
    important = {"metadata": {"name": HIGH}, "value": PRIORITIES[HIGH]}
    admin.create({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", **important})
    preempting = pool.pod_manifest("preempting", "team", priority=HIGH)
    preempting["spec"]["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": 80}]
    with pytest.raises(RefusedError, match=r"\[PD1309\]"):
        admin.create(preempting)
    kubectl = Kubectl(own.binary("kubectl"), own.kubeconfig)
    groups = kubectl("get", "--raw", "/apis/scheduling.k8s.io")
    assert [each["version"] for each in json.loads(groups)["versions"]] == ["v1"], "no PodGroup"
    admin.close()
