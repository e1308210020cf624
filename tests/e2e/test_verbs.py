"""The verbs of the command line on the real API server, as an administrator and as a tenant.

What ``plan`` foretells is compared with what the controller then does.
"""

from pathlib import Path

import pytest

import workloads
from command_line import answer, run
from installation import Kubectl
from local_cluster import cluster as local
from operators import definitions
from scenes import Pool, condition, written
from users import Document, User
from waiting import eventually


pytestmark = pytest.mark.cluster


@pytest.fixture
def tenants_kubeconfig(tenants: Kubectl, tmp_path: Path) -> Path:
    return tmp_path / "kubeconfig"


def test_what_a_plan_foretells_is_what_the_controller_does(
    lent: Pool, cluster: local.Cluster, tmp_path: Path, admin: User
) -> None:
    edit = lent.quota_manifest("mine", min=10, max=16)
    plan = answer(cluster.kubeconfig, "plan", "-f", written(tmp_path, edit), code=3)
    (evicted,) = plan["evicted"]
    assert (evicted["quota"], evicted["pods"]) == (lent.name("theirs"), 1)
    assert evicted["forQuotas"] == [lent.name("mine")]
    shares = {each["name"]: (each["before"], each["after"]) for each in plan["shares"]}
    assert shares == {lent.name("mine"): ("8", "9"), lent.name("theirs"): ("8", "7")}
    (pod,) = plan["evictions"]
    (sooner,) = plan["startsSooner"]
    admin.patch("ElasticQuota", lent.name("mine"), lent.namespace, change={"spec": edit["spec"]})
    eventually(lambda: sooner["name"] in lent.running("mine"), wanted=True)
    assert pod["name"] not in lent.running("theirs")
    assert (len(lent.running("mine")), len(lent.running("theirs"))) == (9, 7)


def test_a_plan_of_a_refused_edit_breaks_the_rule_that_the_api_server_names(
    lent: Pool, cluster: local.Cluster, kubectl: Kubectl, tmp_path: Path
) -> None:
    file = written(tmp_path, lent.quota_manifest("mine", min=20, max=16))
    (refused,) = answer(cluster.kubeconfig, "plan", "-f", file, code=1)["refused"]
    said = kubectl.attempt("apply", "--dry-run=server", "-f", file)
    assert said.returncode != 0
    assert "[EQ1002]" in refused["message"]
    assert "[EQ1002]" in said.stderr


def test_kubectl_shows_the_summary_of_an_edit_and_names_no_other_quota(
    lent: Pool, kubectl: Kubectl, tmp_path: Path
) -> None:
    file = written(tmp_path, lent.quota_manifest("mine", min=10, max=16))
    done = kubectl.attempt("apply", "--dry-run=server", "-f", file)
    assert done.returncode == 0, done.stderr
    assert (
        f"Warning: The share of {lent.name('mine')} grows from 8 to 9 cpu; up to 1 cpu may be "
        "reclaimed for its waiting pods from 1 other quota with 8 pods, within 1 s. "
        "More: kubectl elastic-quota plan -f FILE"
    ) in done.stderr
    assert "theirs" not in done.stderr


def test_a_tenant_asks_why_a_deployment_waits(lent: Pool, tenants_kubeconfig: Path) -> None:
    lent.deployment("web", "mine", 2)
    waiting = eventually(lambda: lent.gated("mine"), lambda found: len(found) == 3)
    names = [name for name in waiting if name.startswith("web-")]
    eventually(
        lambda: [condition(lent.get_pod(name), "PodScheduled").get("message") for name in names],
        all,
    )
    found = answer(tenants_kubeconfig, "why", "deploy/web", "-n", lent.namespace)
    assert found["pods"] == {"total": 2, "waiting": 2, "running": 0}
    assert found["summary"] == (
        f"Deployment {lent.namespace}/web: 2 of 2 pods wait for quota {lent.name('mine')}."
    )
    first = found["pod"]
    assert first["name"] in names
    said = condition(lent.get_pod(first["name"]), "PodScheduled")["message"]
    more = f" More: kubectl elastic-quota explain pod {lent.namespace}/{first['name']}"
    assert first["message"] == said.replace(more, "")
    assert (first["reason"], first["line"]["place"] > 0) == ("QuotaExhausted", True)
    assert first["canDo"]


def test_a_tenant_may_not_ask_about_pods_of_others(tenants_kubeconfig: Path) -> None:
    done = run("why", "pod/any", "-n", "kube-system", kubeconfig=tenants_kubeconfig)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "elastic-quota: you may not list the pods of namespace kube-system\n"


def test_a_tenant_plans_a_job_by_published_figures(
    lent: Pool, tenants_kubeconfig: Path, tmp_path: Path
) -> None:
    file = written(tmp_path, lent.pod_manifest("next", "mine"))
    plan = answer(tenants_kubeconfig, "plan", "-f", file)
    (found,) = plan["submitted"]
    assert (plan["basis"], found["quota"]) == ("published", lent.name("mine"))
    assert (found["starts"], found["waits"], found["place"]) == (0, 1, 2)
    edit = written(tmp_path, lent.quota_manifest("mine", min=10, max=16))
    done = run("plan", "-f", edit, kubeconfig=tenants_kubeconfig)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("elastic-quota: you may not read all elasticquotas, ")


def test_pending_lists_the_quota_for_its_tenant_and_for_all(
    lent: Pool, tenants_kubeconfig: Path, cluster: local.Cluster
) -> None:
    (own,) = answer(tenants_kubeconfig, "pending", "-n", lent.namespace)["items"]
    assert (own["quota"], own["waiting"], own["needs"]) == (lent.name("mine"), 1, {"cpu": "1"})
    everywhere = answer(cluster.kubeconfig, "pending", "-A")["items"]
    assert own in everywhere
    done = run("pending", "-A", kubeconfig=tenants_kubeconfig)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(
        "elastic-quota: you may not list elasticquotas in all namespaces; without -A"
    )


def test_top_shows_who_borrows(lent: Pool, tenants_kubeconfig: Path) -> None:
    found = answer(tenants_kubeconfig, "top", "-n", lent.namespace)["items"]
    borrowed = {each["quota"]: each["borrowed"] for each in found}
    assert borrowed == {lent.name("mine"): {"cpu": "4"}, lent.name("theirs"): {"cpu": "4"}}


@pytest.fixture
def reclaimed(pool: Pool) -> Pool:
    """``borrower`` has borrowed 8 cpu, and ``lender`` has reclaimed 4 of them for 4 pods."""
    pool.quota("borrower", min=4, max=16)
    pool.quota("lender", min=8, max=16)
    pool.pods("borrower", 12)
    eventually(lambda: len(pool.running("borrower")), 12)
    pool.pods("lender", 8, prefix="owed")
    eventually(lambda: (len(pool.running("borrower")), len(pool.running("lender"))), (8, 8))
    return pool


def test_history_names_from_whom_was_reclaimed_and_for_which_pod(
    reclaimed: Pool, tenants_kubeconfig: Path
) -> None:
    lender, borrower = reclaimed.name("lender"), reclaimed.name("borrower")

    def causes(*quota: str) -> list[Document]:
        words = ("history", *quota, "-n", reclaimed.namespace)
        found: list[Document] = answer(tenants_kubeconfig, *words)["items"]
        return found

    found = eventually(causes, lambda those: sum(each["pods"] for each in those) == 4)
    for each in found:
        assert (each["evictedFrom"], each["reclaimedFor"]) == (borrower, lender)
        kind, _, name = each["workload"].partition(" ")
        assert (kind, name.partition("/")[0]) == ("pod", reclaimed.namespace)
        assert name.partition("/")[2] in reclaimed.running("lender")
        assert (each["right"], each["amounts"]["cpu"]) == ("Guarantee", str(each["pods"]))
    assert causes(lender) == found
    assert causes(borrower) == found
    shown = run(
        "history", "-n", reclaimed.namespace, kubeconfig=tenants_kubeconfig
    ).stdout.splitlines()
    assert shown[0].split() == ["TIME", "FROM", "FOR", "WORKLOAD", "RIGHT", "PODS", "HELD"]
    assert len(shown) == 1 + len(found)
    named = run("history", "-n", reclaimed.namespace, "-o", "name", kubeconfig=tenants_kubeconfig)
    assert named.stdout == f"elasticquota.scheduling.sigs.k8s.io/{borrower}\n"


def test_top_counts_what_was_reclaimed_from_whom_and_for_whom(
    reclaimed: Pool, tenants_kubeconfig: Path
) -> None:
    lender, borrower = reclaimed.name("lender"), reclaimed.name("borrower")

    def counts() -> dict[str, tuple[int, int]]:
        found = answer(tenants_kubeconfig, "top", "-n", reclaimed.namespace)
        return {each["quota"]: (each["evicted"], each["reclaimed"]) for each in found["items"]}

    eventually(counts, {borrower: (4, 0), lender: (0, 4)})
    found = answer(tenants_kubeconfig, "top", "-n", reclaimed.namespace)
    assert sum(hour["evicted"] for hour in found["hours"]) == 4
    assert all(hour["gainers"] == {lender: hour["evicted"]} for hour in found["hours"])
    (borrowed,) = (each["borrowed"] for each in found["items"] if each["quota"] == borrower)
    assert borrowed == {"cpu": "4"}


def test_a_tenant_asks_why_a_cron_job_and_a_job_set_wait(
    pool: Pool, kubectl: Kubectl, tenants_kubeconfig: Path, admin: User
) -> None:
    pool.quota("team", min=0, max=2)
    template = workloads.template(pool, "team", "nightly")
    spec = {"schedule": "0 0 1 1 *", "jobTemplate": {"spec": workloads.job_spec(template, 3)}}
    admin.create(workloads.manifest(pool, "CronJob", "nightly", spec))
    kubectl("create", "job", "run-1", "--from=cronjob/nightly", "-n", pool.namespace)
    definitions.install(admin)
    top = admin.create(
        {
            "apiVersion": "jobset.x-k8s.io/v1alpha2",
            "kind": "JobSet",
            "metadata": {"name": "train", "namespace": pool.namespace},
            "spec": {"replicatedJobs": []},
        }
    )
    job = workloads.manifest(
        pool, "Job", "train-0", workloads.job_spec(workloads.template(pool, "team", "train"), 2)
    )
    owner = {key: top[key] for key in ("apiVersion", "kind")}
    owner |= {key: top["metadata"][key] for key in ("name", "uid")}
    job["metadata"]["ownerReferences"] = [{**owner, "controller": True}]
    admin.create(job)

    def summary(word: str) -> str:
        done = run("why", word, "-n", pool.namespace, kubeconfig=tenants_kubeconfig)
        return (done.stdout or done.stderr).partition("\n")[0]

    of = f"for quota {pool.name('team')}."
    eventually(lambda: (len(pool.running("team")), len(pool.gated("team"))), (2, 3))
    cron = eventually(lambda: summary("cronjob/nightly"), lambda said: said.endswith(of))
    assert cron.startswith(f"CronJob {pool.namespace}/nightly: ")
    assert " of 3 pods wait" in cron
    assert summary("cj/nightly") == cron
    assert summary("job/run-1") == cron.replace("CronJob", "Job").replace("nightly", "run-1")
    inner = summary("job/train-0")
    assert inner.startswith(f"Job {pool.namespace}/train-0: ")
    # A tenant may not read JobSets; the Job names its one, and that is enough.
    assert summary("jobset/train") == inner.replace("Job ", "JobSet ").replace("train-0", "train")
