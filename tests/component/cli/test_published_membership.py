"""What a tenant reads of the quota of a pod is what the controller counts: with two quotas that
bind, and for pods of the system.
"""

from typing import Any

import msgspec
import pytest

from elasticquota import names
from elasticquota.forest import acceptance
from elasticquota.forest.membership import Membership
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.wire.kubernetes import pods
from elasticquota.wire.quota import quotas
from elasticquota_cli.live.tenant_view import TenantView
from elasticquota_cli.why.published import statuses


POD = msgspec.convert(
    {
        "metadata": {"name": "p", "namespace": "shop", "uid": "p"},
        "spec": {"containers": []},
    },
    pods.PodManifest,
)


def quota(name: str, namespace: str, month: int, binds: list[str] | None = None) -> dict[str, Any]:
    created = f"2026-{month:02}-01T00:00:00Z"
    metadata = {"name": name, "namespace": namespace, "uid": name, "creationTimestamp": created}
    spec = {"max": {"cpu": "4"}} | ({"namespaces": binds} if binds else {})
    return {
        "apiVersion": "scheduling.sigs.k8s.io/v1alpha1",
        "kind": "ElasticQuota",
        "metadata": metadata,
        "spec": spec,
    }


@pytest.mark.parametrize(
    "stored",
    [
        [quota("dept", "teams", 1, ["shop"]), quota("shop", "shop", 2)],
        [quota("dept", "teams", 2, ["shop"]), quota("shop", "shop", 1)],
        [quota("young", "teams", 2, ["shop"]), quota("old", "teams", 1, ["shop"])],
    ],
)
def test_of_two_quotas_that_bind_a_namespace_a_tenant_reads_of_the_older(
    stored: list[dict[str, Any]],
) -> None:
    (belongs, *_) = statuses.path_of(TenantView(tuple(stored), (POD,), (), True), pods.read(POD))
    forest = acceptance.build(
        [quotas.read(msgspec.convert(each, quotas.StoredQuota)) for each in stored]
    )
    assert belongs == Membership(forest).quota_of(pods.read(POD))


def pod(namespace: str, **facts: Any) -> pods.PodManifest:
    """It names the quota team."""
    labels = {names.QUOTA_NAME: "team"} if facts.pop("labeled", True) else {}
    owner = [{"kind": facts.pop("owner", "Job"), "name": "o", "uid": "o", "controller": True}]
    metadata = {"name": "p", "namespace": namespace, "uid": "p", "labels": labels}
    spec = {"containers": [], **facts}
    document = {"metadata": {**metadata, "ownerReferences": owner}, "spec": spec}
    return msgspec.convert(document, pods.PodManifest)


@pytest.mark.parametrize(
    ("manifest", "why"),
    [
        (pod("kube-system", nodeName="n"), "namespace kube-system belongs to the system"),
        (
            pod("shop", owner="DaemonSet", labeled=False),
            "a DaemonSet made it, and it names no quota",
        ),
    ],
)
def test_a_pod_of_the_system_is_said_to_be_unlimited_whatever_quota_has_its_namespace(
    manifest: pods.PodManifest, why: str
) -> None:
    stored = quota("team", "shop", 1, ["shop"])
    view = TenantView((stored,), (manifest,), (), True)
    said = statuses.pod(view, manifest.metadata.key).pod
    assert (said.state, said.quota, said.rule_message) == ("Unlimited", names.SYSTEM_QUOTA, why)
    assert said.message == "it belongs to the system quota, so it is neither limited nor reclaimed"
    assert said.path == []
    forest = acceptance.build([quotas.read(msgspec.convert(stored, quotas.StoredQuota))])
    counted = Accounting().membership(forest).quota_of(pods.read(manifest))
    assert counted == names.SYSTEM_QUOTA


def test_a_pod_of_kube_system_that_our_gate_holds_is_of_the_quota_that_its_label_names() -> None:
    """So the configuration does not call that namespace one of the system."""
    held = pod("kube-system", schedulingGates=[{"name": names.GATE}])
    view = TenantView((quota("team", "shop", 1),), (held,), (), True)
    said = statuses.pod(view, held.metadata.key).pod
    assert (said.state, said.quota) == ("Waiting", "team")
