"""``kubectl describe`` says why pods wait and who reclaimed them, on all that users look at.

The owners are the real controllers of kube-controller-manager. Events are written again after some
seconds here instead of after most of an hour.
"""

import uuid
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import described
import grants
import workloads
from described import Row
from elasticquota.jobs.kinds import table
from elasticquota.reporting import kinds
from installation import CONTROLLER_USER, Installation, Kubectl
from local_cluster import cluster as local
from operators import definitions
from scenes import Pool
from users import Document, User
from waiting import eventually, stays


pytestmark = pytest.mark.cluster

REFRESH = 5

Describe = Callable[[str, str], dict[str, Row]]


@pytest.fixture(scope="module")
def values() -> Document:
    """Events of what waits are written again after ``REFRESH`` seconds."""
    return {"controller": {"eventRefreshSeconds": REFRESH}}


@pytest.fixture
def describe(pool: Pool, kubectl: Kubectl) -> Describe:
    """Kind and name -> the newest of our events by reason."""
    return lambda kind, name: described.ours(kubectl, kind, name, pool.namespace)


@pytest.fixture
def team(pool: Pool) -> Pool:
    """The quota team may have 2 cpu."""
    pool.quota("team", min=0, max=2)
    return pool


def says(describe: Describe, kind: str, name: str, reason: str, text: str) -> Row:
    """Wait until an event of that reason has the text, and return it."""
    found = eventually(
        lambda: describe(kind, name).get(reason),
        lambda row: row is not None and text in row.message,
        within=40,
    )
    assert found is not None
    return found


def reclaims(kubectl: Kubectl, quota: str, namespace: str) -> list[str]:
    """The messages of the reclaims that a quota shows."""
    found = described.rows(kubectl, "elasticquota", quota, namespace)
    return [row.message for row in found if row.reason == "QuotaReclaim"]


def job_of(pool: Pool, name: str, owner: Document, count: int) -> Document:
    """A Job of ``count`` pods that belongs to another object."""
    spec = workloads.job_spec(workloads.template(pool, "team", name), count)
    manifest = workloads.manifest(pool, "Job", name, spec)
    manifest["metadata"]["ownerReferences"] = [reference(owner)]
    return pool.admin.create(manifest)


def reference(owner: Document, **fields: Any) -> Document:
    return {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        "controller": True,
        **fields,
    }


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet", "Job"])
def test_the_object_that_owns_the_pods_says_how_many_wait_and_where(
    team: Pool, describe: Describe, kind: str
) -> None:
    parallel = {"podManagementPolicy": "Parallel"} if kind == "StatefulSet" else None
    if kind == "Job":
        workloads.job(team, "team", "work", 5)
    else:
        workloads.replicated(team, kind, "team", "work", 5, spec=parallel)
    eventually(lambda: len(team.running("team")), 2)
    row = says(describe, kind, "work", "QuotaWait", "3 of 5 pods wait for quota")
    assert team.name("team") in row.message
    first = row.message.partition("first in line is pod ")[2].split()[0]
    assert first in team.gated("team")
    assert "at position 1 [QuotaExhausted]" in row.message


def test_pods_of_a_cron_job_are_reported_on_it(
    team: Pool, describe: Describe, kubectl: Kubectl
) -> None:
    spec = workloads.job_spec(workloads.template(team, "team", "nightly"), 3)
    cron = {"schedule": "0 0 1 1 *", "jobTemplate": {"spec": spec}}
    team.admin.create(workloads.manifest(team, "CronJob", "nightly", cron))
    kubectl("create", "job", "run-1", "--from=cronjob/nightly", "-n", team.namespace)
    says(describe, "CronJob", "nightly", "QuotaWait", "1 of 3 pods waits for quota")


def test_pods_of_an_object_of_a_custom_kind_are_reported_on_it(
    team: Pool, describe: Describe, admin: User
) -> None:
    definitions.install(admin)
    owner = admin.create(
        {
            "apiVersion": "jobset.x-k8s.io/v1alpha2",
            "kind": "JobSet",
            "metadata": {"name": "train", "namespace": team.namespace},
            "spec": {"replicatedJobs": []},
        }
    )
    for number in range(2):
        job_of(team, f"train-w-{number}", owner, 3)
    says(describe, "JobSet", "train", "QuotaWait", "4 of 6 pods wait for quota")
    assert describe("Job", "train-w-0").keys() & {"QuotaWait"} == set()


def test_an_owner_of_each_kind_is_read_with_the_rights_of_the_chart(
    team: Pool, cluster: local.Cluster
) -> None:
    """Kinds that this cluster does not serve are asked for as well. It collects pods of the others
    at once, as their owner does not exist; tests before this one may have left definitions.
    """
    team.pods("team", 2)
    eventually(lambda: len(team.running("team")), 2)
    workloads.daemons(team, "agents", "team")
    expected = {("apps", "daemonsets")}
    for kind, served in kinds.table(table.table()).items():
        if kind.group in ("", "apps", "batch"):
            continue
        if team.admin.find("CustomResourceDefinition", f"{served.plural}.{kind.group}") is not None:
            continue
        expected.add((kind.group, served.plural))
        pod = team.pod_manifest(kind.kind.lower(), "team")
        pod["metadata"]["ownerReferences"] = [
            {
                "apiVersion": f"{kind.group}/{served.versions[0]}",
                "kind": kind.kind,
                "name": "gone",
                "uid": str(uuid.uuid4()),
                "controller": True,
            }
        ]
        team.admin.create(pod)
    eventually(
        lambda: expected - grants.reads_of(cluster.audit_log, CONTROLLER_USER), set(), within=30
    )


def test_the_event_of_a_pod_that_waits_for_long_stays_young_and_is_one(
    team: Pool, describe: Describe, kubectl: Kubectl
) -> None:
    team.pods("team", 3)
    (waiting,) = eventually(lambda: team.gated("team"), lambda found: len(found) == 1)
    row = eventually(
        lambda: describe("pod", waiting).get("QuotaWait"),
        lambda row: row is not None and row.times >= 3,
        within=60,
    )
    assert row is not None
    found = described.rows(kubectl, "pod", waiting, team.namespace)
    assert [each.reason for each in found].count("QuotaWait") == 1


def test_when_no_pod_waits_the_owner_says_so_and_nothing_is_written_any_more(
    team: Pool, describe: Describe
) -> None:
    workloads.replicated(team, "Deployment", "team", "work", 3)
    says(describe, "Deployment", "work", "QuotaWait", "1 of 3 pods waits for quota")
    change = {"spec": {"max": {"cpu": "3"}}}
    team.admin.patch("ElasticQuota", team.name("team"), team.namespace, change=change)
    eventually(lambda: len(team.running()), 3)
    says(describe, "Deployment", "work", "QuotaAdmitted", "none of its 3 pods waits")

    def versions() -> dict[str, str]:
        return {
            event["metadata"]["name"]: event["metadata"]["resourceVersion"]
            for event in team.admin.list("Event", team.namespace)
            if event["reason"].startswith("Quota")
        }

    written = versions()
    stays(versions, written, seconds=2 * REFRESH)


def test_a_reclaim_is_one_event_on_both_quotas_and_on_the_owner_of_the_pods(
    pool: Pool, describe: Describe, kubectl: Kubectl
) -> None:
    pool.quota("borrower", min=0)
    pool.quota("lender", min=6)
    workloads.replicated(pool, "Deployment", "borrower", "work", 16)
    eventually(lambda: len(pool.running("borrower")), 16)
    pool.pods("lender", 6)
    eventually(lambda: len(pool.running("lender")), 6, within=40)
    borrower, lender = pool.name("borrower"), pool.name("lender")
    why = f"within the guarantee of {lender}"
    row = says(describe, "Deployment", "work", "QuotaReclaim", why)
    assert row.type == "Warning"
    assert f"from quota {borrower} for pod {pool.namespace}/lender-" in row.message
    for quota in (borrower, lender):
        says(describe, "elasticquota", quota, "QuotaReclaim", why)
        reports = eventually(
            partial(reclaims, kubectl, quota, pool.namespace),
            lambda found: sum(int(report.split()[0]) for report in found) == 6,
            within=60,
        )
        assert len(reports) <= 2
        assert all(f" of {borrower} " in report for report in reports)


def test_a_forged_owner_reference_writes_nothing_on_objects_of_others(
    team: Pool, describe: Describe, new_pool: Callable[..., Pool], kubectl: Kubectl
) -> None:
    other = new_pool()
    theirs = workloads.replicated(other, "Deployment", "", "theirs", 0)
    mine = workloads.replicated(team, "StatefulSet", "team", "mine", 0)
    by_hand = team.admin.create(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "by-hand", "namespace": team.namespace},
        }
    )
    team.pods("team", 2)
    eventually(lambda: len(team.running("team")), 2)
    for name, forged in (
        ("elsewhere", reference(theirs)),
        ("other-uid", reference(mine, uid=theirs["metadata"]["uid"])),
        ("no-kind", reference(by_hand)),
    ):
        pod = team.pod_manifest(name, "team")
        pod["metadata"]["ownerReferences"] = [forged]
        team.admin.create(pod)
    says(describe, "pod", "no-kind", "QuotaWait", "")

    def about_others() -> list[Document]:
        found = team.admin.list("Event", team.namespace) + other.admin.list(
            "Event", other.namespace
        )
        kinds = {"Deployment", "StatefulSet", "ConfigMap"}
        return [
            event
            for event in found
            if event["involvedObject"]["kind"] in kinds and event["reason"].startswith("Quota")
        ]

    stays(about_others, [], seconds=REFRESH + 12)
    assert described.ours(kubectl, "Deployment", "theirs", other.namespace) == {}


def test_a_killed_controller_leaves_a_series_that_the_next_one_continues(
    team: Pool, describe: Describe, product: Installation
) -> None:
    workloads.replicated(team, "Deployment", "team", "work", 5)
    says(describe, "Deployment", "work", "QuotaWait", "3 of 5 pods wait for quota")
    waiting = sorted(team.gated("team"))

    def counts(among: Callable[[str, str], dict[str, Row]]) -> list[int]:
        found = [among("Deployment", "work"), *map(partial(among, "pod"), waiting)]
        return [rows["QuotaWait"].times if "QuotaWait" in rows else 0 for rows in found]

    eventually(lambda: counts(describe), lambda found: min(found) >= 1, within=40)
    leader = product.leader()
    with product.restarted(leader):
        product.kill(leader)
    before = counts(describe)
    eventually(
        lambda: counts(describe),
        lambda found: all(now > then for now, then in zip(found, before, strict=True)),
        within=60,
    )
    events = [
        event
        for event in team.admin.list("Event", team.namespace)
        if event["reason"] == "QuotaWait" and event["involvedObject"]["kind"] == "Deployment"
    ]
    assert len(events) == 1
