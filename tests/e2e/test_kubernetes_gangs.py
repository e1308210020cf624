"""Kubernetes' own PodGroup: gangs are admitted as a whole, and the scheduler places them as one.

The test has its own cluster, whose API server and scheduler have the features, which are off by
default, and serve their versions.
"""

from collections.abc import Iterator
from functools import partial

import pytest

import gangs
import namespaces
import served
import users
from installation import Kubectl, documents
from local_cluster import cluster as local
from local_cluster import product
from scenes import Pool
from users import Document, RefusedError
from waiting import eventually, stays


pytestmark = [pytest.mark.cluster, pytest.mark.long, served.since(36)]

HOST = "kubernetes.io/hostname"
GATES, VERSION = (
    (
        (
            "GenericWorkload",
            "PodGroupPreemptionPolicy",
            "TopologyAwareWorkloadScheduling",
            "CompositePodGroup",
        ),
        "v1beta1",
    )
    if served.minor() >= 37
    else (("GenericWorkload", "GangScheduling", "WorkloadAwarePreemption"), "v1alpha2")
)


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[local.Cluster]:
    folder = tmp_path_factory.mktemp("gangs") / "local"
    with local.start(folder, feature_gates=GATES, say=print) as running:
        yield running


@pytest.fixture(scope="module")
def kubectl(own: local.Cluster) -> Kubectl:
    values = {
        "podAdmission": "webhook",
        "config": {"podGroups": {"kinds": ["kubernetes"]}},
        "policy": {"preemption": "deny"},
    }
    product.install(own, values)
    return Kubectl(own.binary("kubectl"), own.kubeconfig)


@pytest.fixture
def team(own: local.Cluster, kubectl: Kubectl) -> Iterator[Pool]:
    """A quota of all 16 cpu of a pool."""
    admin = users.admin(own.kubeconfig)
    pool = Pool(admin, namespaces.new(admin))
    pool.open(2, cpu=8)
    pool.quota("team", min=0, max=16)
    yield pool
    pool.close()
    admin.close()


def group(pool: Pool, name: str, policy: Document) -> Document:
    return {
        "apiVersion": f"scheduling.k8s.io/{VERSION}",
        "kind": "PodGroup",
        "metadata": {"name": name, "namespace": pool.namespace},
        "spec": {"schedulingPolicy": policy},
    }


def pods(pool: Pool, kubectl: Kubectl, prefix: str, numbers: range, of: str) -> set[str]:
    group = {"podGroupName": of}
    made = [
        pool.pod_manifest(f"{prefix}-{number}", "team", schedulingGroup=group) for number in numbers
    ]
    kubectl("create", "-f", "-", stdin=documents(made))
    return {pod["metadata"]["name"] for pod in made}


def test_the_pods_of_a_gang_wait_for_their_object_and_for_each_other(
    team: Pool, kubectl: Kubectl
) -> None:
    two = pods(team, kubectl, "train", range(2), "train")
    missing = f"WaitingForGroup: the kubernetes object {team.namespace}/train does not exist"
    eventually(lambda: gangs.why(team, "train-1").startswith(missing), True)
    gangs.apply(kubectl, group(team, "train", {"gang": {"minCount": 3}}))
    waits = (
        "WaitingForGroup: 2 of 3 pods of group kubernetes/train are there. It starts when its "
        "group is complete."
    )
    eventually(partial(gangs.why, team, "train-0"), waits)
    stays(lambda: team.running("team"), set())
    three = two | pods(team, kubectl, "train", range(2, 3), "train")
    eventually(lambda: team.running("team"), three)


def test_pods_of_a_basic_group_start_one_by_one(team: Pool, kubectl: Kubectl) -> None:
    gangs.apply(kubectl, group(team, "web", {"basic": {}}))
    one = pods(team, kubectl, "web", range(1), "web")
    eventually(lambda: team.running("team"), one)


def test_a_pod_group_of_high_priority_takes_no_guaranteed_pod_where_it_is_refused(
    team: Pool, kubectl: Kubectl
) -> None:
    team.quota("owner", min=16)
    kept = {f"kept-{number}" for number in range(16)}
    for each in sorted(kept):
        team.pod(each, "owner")
    eventually(lambda: team.running("owner"), kept)
    name = f"important-{team.namespace}"
    important = {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": 1000,
    }
    gangs.apply(kubectl, important)
    asked = group(team, "rival", {"gang": {"minCount": 2}})
    asked["spec"]["priorityClassName"] = name
    made = kubectl.attempt("create", "-f", "-", stdin=documents([asked]))
    # Where the API server knows no policy of a group, that of its pods counts, and they are judged.
    if served.minor() >= 37:
        assert "[PD1309]" in made.stderr
    else:
        assert made.returncode == 0, made.stderr
    apart = {"labelSelector": {"matchLabels": {"app": "rival"}}, "topologyKey": HOST}
    anti = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [apart]}}
    pod = team.pod_manifest(
        "rival-0",
        "team",
        labels={"app": "rival"},
        affinity=anti,
        schedulingGroup={"podGroupName": "rival"},
    )
    with pytest.raises(RefusedError, match="PD1309"):
        team.admin.create(pod)
    stays(lambda: team.running("owner"), kept)


@served.since(37)
def test_groups_below_a_composite_group_wait_for_each_other(team: Pool, kubectl: Kubectl) -> None:
    both = group(team, "both", {"gang": {"minGroupCount": 2}})
    both |= {"apiVersion": "scheduling.k8s.io/v1alpha3", "kind": "CompositePodGroup"}
    both["spec"]["workloadRef"] = {"workloadName": "train", "templateName": "both"}
    gangs.apply(kubectl, both)
    put_below(team, kubectl, "a")
    first = pods(team, kubectl, "a", range(2), "a")
    alone = f"1 of 2 groups of CompositePodGroup {team.namespace}/both are there"
    eventually(lambda: alone in gangs.why(team, "a-0"), True)
    put_below(team, kubectl, "b")
    other = f"starts with group {team.namespace}/kubernetes/b, but no pod of that group is there"
    eventually(lambda: other in gangs.why(team, "a-0"), True)
    stays(lambda: team.running("team"), set())
    all_pods = first | pods(team, kubectl, "b", range(2), "b")
    eventually(lambda: team.running("team"), all_pods)


def put_below(pool: Pool, kubectl: Kubectl, name: str) -> None:
    """A group of two below the composite group ``both``."""
    found = group(pool, name, {"gang": {"minCount": 2}})
    found["spec"]["parentCompositePodGroupName"] = "both"
    found["spec"]["workloadRef"] = {"workloadName": "train", "templateName": name}
    gangs.apply(kubectl, found)
