"""``doctor`` on the operator: the leader, the calls of the webhook, messages on pods."""

import pytest

from doctor_fixture import StoredCluster
from elasticquota_cli.doctor.report import Finding


LEASES = "coordination.k8s.io/v1"
HOOKS = "admissionregistration.k8s.io/v1"
LOOK = (
    "kubectl get pods -A -l app.kubernetes.io/part-of=elastic-quota-operator,"
    "app.kubernetes.io/component=controller shows its pods; their logs say why none leads"
)
QUEUES = "scheduling.x-k8s.io/v1alpha1"


@pytest.fixture
def cluster() -> StoredCluster:
    cluster = StoredCluster()
    cluster.configuration()
    return cluster


def lease(
    cluster: StoredCluster, holder: str = "eq-0", renewed: str = "2026-11-20T07:00:00"
) -> None:
    spec = {
        "holderIdentity": holder,
        "renewTime": f"{renewed}.123456Z",
        "leaseDurationSeconds": 15,
    }
    cluster.add(LEASES, "Lease", "eq", "eq-controller", spec=spec)


def passes(cluster: StoredCluster, to: str) -> None:
    """The latest time in the file."""
    cluster.add("v1", "Pod", "lab", "later", spec={})
    cluster.documents[-1]["metadata"]["creationTimestamp"] = f"2026-11-20T{to}Z"


def test_a_renewed_lease_is_fine(cluster: StoredCluster) -> None:
    lease(cluster)
    passes(cluster, "07:00:15")
    assert cluster.findings() == []


def test_an_expired_lease_is_reported_with_the_number_of_waiting_pods(
    cluster: StoredCluster,
) -> None:
    lease(cluster)
    cluster.waits("web", 1)
    passes(cluster, "07:00:40")
    assert cluster.findings() == [
        Finding(
            "error",
            "Lease eq/eq-controller",
            "eq-0 renewed it 40 s ago by the clock here, and it is good for 15 s: no controller "
            "leads; 1 pod at the gate",
            LOOK,
            (),
        )
    ]


def test_a_released_lease_and_one_that_was_never_renewed(cluster: StoredCluster) -> None:
    lease(cluster, holder="")
    (free,) = cluster.findings()
    assert free.message == ("its last holder released it: no controller leads")
    cluster.documents[-1]["spec"] = {"holderIdentity": "eq-0"}
    (never,) = cluster.findings()
    assert never.message == "eq-0 holds it and has never renewed it"


def test_pods_without_a_reason_to_wait_are_reported(cluster: StoredCluster) -> None:
    lease(cluster, renewed="2026-11-20T07:02:00")
    cluster.waits("web", 1)
    blocked = "Scheduling is blocked due to non-empty scheduling gates"
    told = {"type": "PodScheduled", "status": "False", "message": blocked}
    cluster.documents[-1]["status"] = {"conditions": [told]}
    (found,) = cluster.findings()
    assert found.level == "error"
    assert found.message == (
        "1 pod at the gate for more than 60 s without a message from the controller: team-a/web"
    )
    told["message"] = "Waiting for quota team-a: needs 1 cpu. [QuotaExhausted]"
    assert cluster.findings() == []


def test_a_terminating_pod_needs_no_message(cluster: StoredCluster) -> None:
    lease(cluster, renewed="2026-11-20T07:02:00")
    cluster.waits("web", 1, metadata={"deletionTimestamp": "2026-11-20T07:01:00Z"})
    assert cluster.findings() == []


def test_a_new_pod_needs_no_message_yet(cluster: StoredCluster) -> None:
    lease(cluster)
    cluster.waits("web", 1)
    passes(cluster, "07:00:10")
    assert cluster.findings() == []


def deployment(cluster: StoredCluster, component: str, wanted: int, ready: int) -> None:
    parts = {"spec": {"replicas": wanted}, "status": {"readyReplicas": ready}}
    cluster.ours("Deployment", "apps/v1", f"eq-{component}", "eq", **parts)
    cluster.documents[-1]["metadata"]["labels"]["app.kubernetes.io/component"] = component


def test_ready_replicas_are_fine(cluster: StoredCluster) -> None:
    deployment(cluster, "controller", 2, 2)
    cluster.add("apps/v1", "Deployment", "lab", "theirs", spec={"replicas": 1})
    assert cluster.findings() == []


def test_a_deployment_without_a_ready_replica_is_reported(cluster: StoredCluster) -> None:
    deployment(cluster, "webhook", 2, 0)
    deployment(cluster, "controller", 2, 1)
    assert cluster.findings() == [
        Finding(
            "error",
            "Deployment eq/eq-webhook",
            "0 of 2 replicas are ready: the API server gets no answer, and each failurePolicy "
            "decides: with Fail quotas cannot be written",
            "kubectl describe pods -n eq -l app.kubernetes.io/component=webhook shows what they "
            "wait for",
            (),
        ),
        Finding(
            "warning",
            "Deployment eq/eq-controller",
            "1 of 2 replicas are ready",
            "kubectl describe pods -n eq -l app.kubernetes.io/component=controller shows what they "
            "wait for",
            (),
        ),
    ]


def test_a_deployment_scaled_to_zero_is_reported(cluster: StoredCluster) -> None:
    deployment(cluster, "controller", 0, 0)
    (found,) = cluster.findings()
    assert found.level == "error"
    assert found.message == "is scaled to 0: no pod is admitted, and none is reclaimed"
    assert found.remedy == "kubectl scale -n eq deployment/eq-controller --replicas 2"


def door(
    cluster: StoredCluster, kind: str, *hooks: tuple[str, str, str], path: str = "/token/x"
) -> None:
    found = [
        {
            "name": name,
            "failurePolicy": policy,
            "clientConfig": {"caBundle": bundle, "service": {"path": path}},
        }
        for name, policy, bundle in hooks
    ]
    cluster.ours(f"{kind}WebhookConfiguration", HOOKS, "eq-webhook", webhooks=found)


def test_webhooks_that_can_be_called_are_fine(cluster: StoredCluster) -> None:
    door(cluster, "Mutating", ("pod", "Ignore", "Q0E="))
    door(cluster, "Validating", ("quota", "Fail", "Q0E="))
    assert cluster.findings() == []


def test_a_missing_ca_bundle_is_reported_with_its_effect(cluster: StoredCluster) -> None:
    door(cluster, "Mutating", ("pod", "Ignore", ""), ("quota", "Fail", ""), ("tree", "Fail", "Q"))
    door(cluster, "Validating", ("quota", "Fail", "Q0E="))
    assert cluster.findings() == [
        Finding(
            "error",
            "MutatingWebhookConfiguration eq-webhook",
            "2 of 3 webhooks have no caBundle: requests for quota are refused (failurePolicy Fail)"
            "; requests for pod are not checked (failurePolicy Ignore)",
            "the webhook fills it in, or cert-manager where that was chosen: look at the logs of "
            "the webhook's pods, or at the Certificate (docs/certificates.md)",
            (),
        )
    ]


@pytest.mark.parametrize("path", ["", "/"])
def test_a_missing_path_is_reported(cluster: StoredCluster, path: str) -> None:
    door(cluster, "Mutating", ("pod", "Ignore", "Q0E="), path=path)
    door(cluster, "Validating", ("quota", "Fail", "Q0E="))
    (found,) = cluster.findings()
    assert (found.level, found.object) == ("error", "MutatingWebhookConfiguration eq-webhook")
    assert found.message == (
        "1 of 1 webhooks have no path: requests for pod are not checked (failurePolicy Ignore)"
    )
    assert "webhook.pathToken" in found.remedy


def test_a_missing_webhook_configuration_is_reported(cluster: StoredCluster) -> None:
    door(cluster, "Mutating", ("pod", "Ignore", "Q0E="))
    (found,) = cluster.findings()
    assert (found.level, found.object) == ("error", "ValidatingWebhookConfiguration")
    assert found.message == (
        "there is none of the chart (app.kubernetes.io/part-of=elastic-quota-operator): quotas and "
        "profiles are not validated when they are written"
    )


def test_webhook_configurations_of_others_are_ignored(cluster: StoredCluster) -> None:
    cluster.add(HOOKS, "MutatingWebhookConfiguration", "", "theirs", webhooks=[{"name": "x"}])
    assert cluster.findings() == []


def test_units_and_queues_left_over_after_queueing_are_reported(cluster: StoredCluster) -> None:
    cluster.add(QUEUES, "QueueUnit", "team-a", "train-job-qu", spec={})
    cluster.add(QUEUES, "Queue", "kube-queue", "root-video", spec={})
    cluster.documents[-1]["metadata"]["annotations"] = {"elasticquota.dev/source": "ack:root/video"}
    cluster.add(QUEUES, "Queue", "kube-queue", "theirs", spec={})
    units, queues = cluster.findings()
    assert (units.level, queues.level) == ("warning", "info")
    assert units.message == (
        "1 QueueUnit (team-a/train-job-qu) left with dialects.jobs off: explain still counts "
        "their jobs"
    )
    assert units.remedy == (
        "unless another queue controller uses them: kubectl delete queueunits -A --all"
    )
    assert queues.message == "1 Queue (kube-queue/root-video) left with dialects.jobs off"
    assert queues.remedy == ("kubectl delete queues.scheduling.x-k8s.io -n kube-queue root-video")


def test_units_are_fine_while_jobs_are_queued() -> None:
    cluster = StoredCluster()
    cluster.configuration("dialects: {jobs: true}")
    cluster.add(QUEUES, "QueueUnit", "team-a", "train-job-qu", spec={})
    assert cluster.findings() == []


def test_a_missing_built_in_quota_is_reported(cluster: StoredCluster) -> None:
    cluster.documents = [
        each
        for each in cluster.documents
        if each["metadata"]["name"] not in ("koordinator-root-quota", "koordinator-system-quota")
    ]
    assert [found for found in cluster.findings() if found.object == "Built-in quotas"] == [
        Finding(
            "warning",
            "Built-in quotas",
            "koordinator-root-quota, koordinator-system-quota missing in namespace eq: what the "
            "default tree, pods without a quota and the system use is not visible",
            "check that the controller leads, and read its log",
            ("eq",),
        )
    ]


def test_beside_koordinator_no_built_in_quota_is_missed_and_the_switch_is_named() -> None:
    cluster = StoredCluster()
    cluster.configuration("{lease: {name: eq-controller}, besideKoordinator: true}")
    cluster.documents = [
        each
        for each in cluster.documents
        if not each["metadata"]["name"].startswith("koordinator-")
    ]
    (found,) = cluster.findings("info")
    assert (
        found.message == "besideKoordinator is true: every tree observes, and Koordinator decides"
    )
    assert "Built-in quotas" not in {each.object for each in cluster.findings()}
