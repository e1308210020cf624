"""Kubernetes' own PodGroup: gangs are admitted as a whole, and the scheduler places them as one.

The test has its own cluster, whose API server and scheduler have the features, which are off by
default, and serve their versions.
"""

import subprocess
from collections.abc import Iterator
from functools import partial

import pytest

import gangs
import grants
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

DISRUPTION_MODES: dict[str, object] = (
    {"all": {"all": {}}, "single": {"single": {}}}
    if served.minor() >= 37
    else {"all": "PodGroup", "single": "Pod"}
)


@pytest.fixture(scope="module")
def own(
    tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> Iterator[local.Cluster]:
    """What the operator asks for here counts as used in a whole run: only this cluster serves the
    groups.
    """
    folder = tmp_path_factory.mktemp("gangs") / "local"
    with local.start(folder, feature_gates=GATES, say=print) as running:
        yield running
        grants.keep(pytestconfig, (), grants.allowed(running.audit_log))


def values(preemption: str) -> Document:
    return {
        "podAdmission": "webhook",
        "config": {"podGroups": {"kinds": ["kubernetes"]}},
        "policy": {"preemption": preemption},
    }


@pytest.fixture(scope="module")
def kubectl(own: local.Cluster) -> Kubectl:
    product.install(own, values("deny"))
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


@pytest.mark.parametrize(("mode", "left"), [("all", 0), ("single", 9)])
def test_all_running_pods_of_a_gang_are_reclaimed_together_where_its_object_says_so(
    team: Pool, kubectl: Kubectl, mode: str, left: int
) -> None:
    """Otherwise those beyond its minimum are reclaimed one by one, and first."""
    train = group(team, "train", {"gang": {"minCount": 2}})
    train["spec"]["disruptionMode"] = DISRUPTION_MODES[mode]
    gangs.apply(kubectl, train)
    ten = pods(team, kubectl, "train", range(10), "train")
    eventually(lambda: team.running("team"), ten)
    team.quota("owner", min=8)
    owned = set(team.pods("owner", 7))
    eventually(lambda: team.running("owner"), owned, within=30)
    eventually(lambda: len(team.running("team")), left)
    stays(lambda: len(team.running("team")), left)


def test_a_pod_group_of_high_priority_takes_no_guaranteed_pod_where_it_is_refused(
    team: Pool, kubectl: Kubectl
) -> None:
    team.quota("owner", min=16)
    kept = {f"kept-{number}" for number in range(16)}
    for each in sorted(kept):
        team.pod(each, "owner")
    eventually(lambda: team.running("owner"), kept)
    made = important_group(team, kubectl, "rival", 2)
    # Where the API server knows no policy of a group, that of its pods counts, and they are judged.
    if served.minor() >= 37:
        assert "[PD1309]" in made.stderr
    else:
        assert made.returncode == 0, made.stderr
    with pytest.raises(RefusedError, match="PD1309"):
        team.admin.create(apart_from(team, "rival", "rival-0", of="rival"))
    stays(lambda: team.running("owner"), kept)


DAEMON = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "a-tenants", "uid": "1"}
CLAIMS: dict[str, Document] = {
    "a daemon": {"ownerReferences": [DAEMON]},
    "a mirror": {"annotations": {"kubernetes.io/config.mirror": "1"}},
}


@served.since(37)
@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
def test_a_pod_group_that_claims_to_be_of_the_system_is_judged_like_others(
    team: Pool, kubectl: Kubectl, claim: Document
) -> None:
    """Only of pods another rule says who may make such claims."""
    assert "[PD1309]" in important_group(team, kubectl, "rival", 2, **claim).stderr


@pytest.fixture
def warns(own: local.Cluster, kubectl: Kubectl) -> Iterator[None]:
    """The policy only warns, which is the default."""
    product.upgrade(own, values("warn"))
    yield
    product.upgrade(own, values("deny"))


@served.since(37)
@pytest.mark.usefixtures("warns")
def test_where_it_only_warns_a_pod_group_takes_guaranteed_pods_again_and_again(
    team: Pool, kubectl: Kubectl
) -> None:
    """What was preempted starts again on the node that the scheduler cleared, before the group."""
    team.quota("owner", min=8)
    team.deployment("kept", "owner", 8)
    eventually(lambda: len(team.running("owner")), 8)
    important_group(team, kubectl, "rival", 1)
    # Since 1.37 kube-scheduler places no group whose pods have another priority than it has.
    priority = f"important-{team.namespace}"
    pod = documents([apart_from(team, "kept", "rival", of="rival", priority=priority)])
    create = partial(kubectl.attempt, "create", "-f", "-", stdin=pod)
    told = eventually(create, lambda done: done.returncode == 0)
    assert "Warning" in told.stderr
    assert "[PD1309]" in told.stderr
    eventually(lambda: preempted(team, "kept-"), lambda lost: len(lost) > 8, within=60)
    team.delete_pods("rival")
    eventually(lambda: len(team.running("owner")), 8, within=60)


def preempted(pool: Pool, prefix: str) -> set[str]:
    """Pods whose place the scheduler took."""
    found = pool.admin.list("Event", pool.namespace, fieldSelector="reason=Preempted")
    names = {event["involvedObject"]["name"] for event in found}
    return {name for name in names if name.startswith(prefix)}


def important_group(
    pool: Pool, kubectl: Kubectl, name: str, size: int, **metadata: object
) -> "subprocess.CompletedProcess[str]":
    """Ask for a group of a priority above all pods."""
    important: Document = {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": f"important-{pool.namespace}"},
        "value": 1000,
    }
    gangs.apply(kubectl, important)
    asked = group(pool, name, {"gang": {"minCount": size}})
    asked["metadata"] |= metadata
    asked["spec"]["priorityClassName"] = important["metadata"]["name"]
    return kubectl.attempt("create", "-f", "-", stdin=documents([asked]))


def apart_from(pool: Pool, app: str, name: str, *, of: str, priority: str = "") -> Document:
    """A pod of the group ``of`` that takes no node on which pods of an app are."""
    apart = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": HOST}
    anti = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [apart]}}
    return pool.pod_manifest(
        name,
        "team",
        labels={"app": of},
        priority=priority,
        affinity=anti,
        schedulingGroup={"podGroupName": of},
    )


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
