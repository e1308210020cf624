"""``explain`` reads the real cluster with the rights of its user, and says what it may not read."""

from pathlib import Path

import pytest

from command_line import answer
from installation import Kubectl
from local_cluster import cluster as local
from scenes import Pool, condition
from users import User
from waiting import eventually


pytestmark = pytest.mark.cluster


@pytest.fixture
def tenants_kubeconfig(tenant: User, kubectl: Kubectl, tmp_path: Path) -> Path:
    """The kubeconfig of a user who may edit one namespace."""
    kubectl.of(tenant, tmp_path)
    return tmp_path / "kubeconfig"


@pytest.fixture
def waiting(pool: Pool) -> str:
    """A pod of a full quota; the controller has written so in its condition."""
    pool.department("dept", min=8, max=12)
    pool.quota("team", parent="dept", min=4, max=6)
    pool.pods("team", 7)
    eventually(lambda: len(pool.running("team")), 6)
    (name,) = eventually(lambda: pool.gated("team"), lambda found: len(found) == 1)
    wanted = (
        "needs 1 cpu; all 6 of its current share are in use (guaranteed 4, limit 6). Position 1"
    )
    eventually(
        lambda: condition(pool.get_pod(name), "PodScheduled")["message"],
        lambda message: wanted in message,
    )
    both, pods = ("team", "dept"), {"admitted": 6, "gated": 1}
    eventually(lambda: [pool.used(each) for each in both], ["6", "6"])
    eventually(lambda: [pool.status(each)["pods"] for each in both], [pods, pods])
    return name


def test_an_administrator_sees_what_the_pods_condition_says_with_the_sums(
    pool: Pool, waiting: str, cluster: local.Cluster
) -> None:
    whole = answer(cluster.kubeconfig, "explain", "pod", f"{pool.namespace}/{waiting}")
    assert whole["basis"] == "computed"
    found = whole["pod"]
    said = condition(pool.get_pod(waiting), "PodScheduled")["message"]
    more = f" More: kubectl elastic-quota explain pod {pool.namespace}/{waiting}"
    assert found["message"] == said.replace(more, "")
    assert whole["notes"] == []
    assert [(step["quota"], step["resource"]) for step in found["path"]] == [
        (pool.name("team"), "cpu"),
        (pool.name("dept"), "cpu"),
        (pool.root, "cpu"),
    ]
    assert {key: found["path"][0][key] for key in ("admitted", "asked", "runtime", "fits")} == {
        "admitted": "6",
        "asked": "1",
        "runtime": "6",
        "fits": False,
    }
    assert found["edits"] == [f"max of {pool.name('team')} raised to 7 cpu"]


def test_the_change_that_explain_proposes_admits_the_pod(
    pool: Pool, waiting: str, cluster: local.Cluster, admin: User
) -> None:
    (proposed,) = answer(cluster.kubeconfig, "explain", "pod", f"{pool.namespace}/{waiting}")[
        "pod"
    ]["edits"]
    most = proposed.removeprefix(f"max of {pool.name('team')} raised to ").removesuffix(" cpu")
    admin.patch(
        "ElasticQuota",
        pool.name("team"),
        pool.namespace,
        change={"spec": {"max": {"cpu": most}}},
    )
    eventually(lambda: waiting in pool.running("team"), wanted=True)
    found = answer(cluster.kubeconfig, "explain", "pod", f"{pool.namespace}/{waiting}")["pod"]
    assert (found["state"], found["reclaim"]["beyond"]) == ("Running", {})
    assert found["reclaim"]["why"].endswith("; no pod would gain from it now")


def test_the_figures_of_a_quota_are_those_of_its_status(
    pool: Pool, waiting: str, cluster: local.Cluster
) -> None:
    found = answer(cluster.kubeconfig, "explain", "quota", pool.name("team"))["quota"]
    status = pool.status("team")
    (figures,) = (row for row in found["figures"] if row["resource"] == "cpu")
    for side in ("request", "used", "admitted", "runtime", "min"):
        assert figures[side] == status[side]["cpu"]
    assert found["path"] == [pool.name("team"), pool.name("dept"), pool.root]
    assert [pod["name"] for pod in found["waiting"]] == [waiting]


def test_a_tenant_sees_what_is_published_and_what_it_may_not_read(
    pool: Pool, waiting: str, tenants_kubeconfig: Path
) -> None:
    whole = answer(tenants_kubeconfig, "explain", "pod", f"{pool.namespace}/{waiting}")
    assert whole["basis"] == "published"
    found = whole["pod"]
    said = condition(pool.get_pod(waiting), "PodScheduled")["message"]
    more = f" More: kubectl elastic-quota explain pod {pool.namespace}/{waiting}"
    assert more in said
    assert found["message"] == said.replace(more, "")
    assert (found["quota"], found["reason"]) == (pool.name("team"), "QuotaExhausted")
    assert found["path"], whole["notes"]
    own = found["path"][0]
    assert (own["admitted"], own["asked"], own["runtime"]) == ("6", "1", "6")
    assert found["edits"] == []
    (closed,) = whole["notes"]
    assert closed.startswith(
        "you may not read: elasticquotas of all namespaces, elasticquotaprofiles of all "
        "namespaces, nodes, namespaces, pods of all namespaces. So nothing is computed here"
    )
    quota = answer(tenants_kubeconfig, "explain", "quota", f"{pool.namespace}/{pool.name('team')}")[
        "quota"
    ]
    (figures,) = (row for row in quota["figures"] if row["resource"] == "cpu")
    assert (figures["admitted"], figures["runtime"], figures["max"]) == ("6", "6", "6")
    assert quota["levels"] == []
