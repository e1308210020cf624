"""What is asked at a pod's creation, and what is written about a quota.

The peer may refuse a pod that its quota has no room for (gate EnableQuotaAdmission). Here such a
pod is created and held at the gate, so ``allowed`` is: released at once, on nodes without end.
"""

from collections.abc import Iterator

from elasticquota import resources
from tests.vectors import quota_store
from tests.vectors.figures import Figure, NotBuiltError
from tests.vectors.product import Cluster
from tests.vectors.reading import Fields, Row


_SCHEMA = "gate EnableQuotaAdmission on; quota kube-system/quota1"
_QUOTA = "quota1"


def pod_admission(row: Row, fields: Fields) -> Iterator[Figure]:
    """A pod for a quota that holds so much already."""
    if "max_retries" in fields or "updates" in fields:
        raise NotBuiltError("hard admission at creation and update of pods (K 4.5)")
    if "quota_label" in fields:
        raise NotBuiltError("unknownQuota: deny (semantics 2, rule PD1306)")
    fields.said("reason_gist")
    limit, held = fields.amounts("max"), fields.amounts("child_request")
    asked = fields.amounts("pod_request")
    cluster = Cluster()
    cluster.node("node", dict.fromkeys((*limit, *held, *asked), 2**62))
    said = {"admission": fields["admission"]} if fields["admission"] else {}
    cluster.quota(
        quota_store.read(quota_store.manifest(_QUOTA, max=fields["max"], annotations=said))
    )
    cluster.pod("held", _QUOTA, held, node="node")
    cluster.pod("pod", _QUOTA, asked, waiting=True)
    released = any(release.pod.name == "pod" for release in cluster.decide().releases)
    yield Figure("allowed", released, fields["allowed"])
    if "expected_child_request_after" in fields:
        # The peer counts only what max names.
        found = resources.masked(cluster.requested(_QUOTA), limit)
        yield Figure("child_request_after", found, fields.amounts("expected_child_request_after"))


def status_writer(row: Row, fields: Fields) -> Iterator[Figure]:
    """Published annotations and metrics."""
    fields.said("existing_annotations", "summary", "changed", "expected", "expected_series")
    raise NotBuiltError("the peer's annotations and metrics (semantics 7, compatAnnotations)")


TABLES = {
    ("pod_admission", "vectors"): pod_admission,
    ("status_writer", "vectors"): status_writer,
}
