"""What a tenant reads of the quota of a pod is what the controller counts, with two that bind."""

from typing import Any

import msgspec
import pytest

from elasticquota.forest import acceptance
from elasticquota.forest.membership import Membership
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
    assert belongs == Membership(forest, frozenset()).quota_of(pods.read(POD))
