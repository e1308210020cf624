"""The references of a pod to claims."""

from typing import Any

import msgspec

from elasticquota.model.claims import ClaimingPod, ClaimReference
from elasticquota.model.pod import Pod
from elasticquota.wire.kubernetes import pods


def read(claims: Any, statuses: Any = None) -> Any:
    manifest = {
        "metadata": {"namespace": "team", "name": "p", "uid": "u"},
        "spec": {
            "priority": 7,
            "resourceClaims": claims,
            "containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}],
        },
        "status": {"resourceClaimStatuses": statuses},
    }
    return pods.read(msgspec.convert(manifest, pods.PodManifest))


def test_a_pod_names_claims_and_templates() -> None:
    found = read(
        [
            {"name": "a", "resourceClaimName": "shared"},
            {"name": "b", "resourceClaimTemplateName": "t"},
        ]
    )
    assert isinstance(found, ClaimingPod)
    assert found.claims == (ClaimReference("a", "shared"), ClaimReference("b", template="t"))
    assert (found.priority, found.request["cpu"], found.uid) == (7, 1000, "u")


def test_the_status_names_the_claim_that_was_generated() -> None:
    written = [{"name": name, "resourceClaimTemplateName": "t"} for name in "ab"]
    statuses = [{"name": "a", "resourceClaimName": "p-a-x"}, {"name": "b"}]
    assert read(written, statuses).claims == (
        ClaimReference("a", "p-a-x", "t"),
        ClaimReference("b", template="t", skipped=True),
    )


def test_a_pod_without_claims_is_a_plain_pod() -> None:
    assert type(read(None)) is Pod
    assert type(read([])) is Pod
