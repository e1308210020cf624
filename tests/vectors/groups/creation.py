"""What is asked when a pod is created or changes its quota.

The peer may refuse a pod that its quota has no room for (gate EnableQuotaAdmission). Here such a
pod is created and held at the gate, so ``allowed`` is: released at once, on nodes without end.
"""

import asyncio
from collections.abc import Iterator

from elasticquota import resources
from elasticquota.forest import acceptance
from elasticquota.forest.membership import Membership
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.validation import chains
from elasticquota.validation.severity import Validation
from elasticquota.wire.admission.review import AdmissionRequest
from elasticquota_webhooks.cache.caches import Caches
from elasticquota_webhooks.handlers.pod_admission import PodAdmission
from tests.vectors import figures, product, quota_store, reading
from tests.vectors.figures import Figure
from tests.vectors.product import Cluster
from tests.vectors.reading import Fields, Row


_QUOTA = "quota1"
_LIMIT = resources.parse({"cpu": "4", "memory": "8Gi"})
_MOVED = resources.parse({"cpu": "2", "memory": "4Gi"})


def pod_admission(row: Row, fields: Fields) -> Iterator[Figure]:
    """A pod for a quota that holds so much already."""
    if "updates" in fields:
        yield from _moves(fields)
        return
    if "max_retries" in fields:
        yield from _tries(fields)
        return
    if "quota_label" in fields:
        yield from _unknown(fields)
        return
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


def _unknown(fields: Fields) -> Iterator[Figure]:
    """A pod that names a quota other than the one there is, where such pods are refused."""
    label = fields["quota_label"]
    members = Membership(acceptance.build([product.make_quota(_QUOTA)]))
    pod = Pod(Key("ns", "pod"), "pod", "", quota_label=label)
    found = chains.judge_pod(pod, members, Validation(overrides={"PD1306": "deny"})).refused
    yield Figure("allowed", not found, fields["allowed"])
    if "reason_gist" in fields:
        (violation,) = found
        named = fields["reason_gist"].partition(" ")[0]
        yield Figure("reason_gist", f"'{named}'" in violation.message, True)


def _moves(fields: Fields) -> Iterator[Figure]:
    """A waiting pod takes the label of another quota, which may be full."""
    for update in fields.parts("updates"):
        update.said("gate_on_update")
        source, (target, _, state) = update["from"], update["to"].partition(" ")
        cluster = Cluster()
        for name in {source, target}:
            cluster.quota(product.make_quota(name, max=_LIMIT))
        if state == "(full 4/8Gi)":
            cluster.pod("held", target, _LIMIT, node="node")
        elif state not in ("", "(empty)"):
            raise reading.ReadingError(f"{update.where}.to: '{state}' is no state of a quota")
        cluster.pod("pod", source, _MOVED, waiting=True)
        cluster.pod("pod", target, _MOVED, waiting=True)
        question = AdmissionRequest("uid", "UPDATE")
        response = asyncio.run(PodAdmission(Caches(Accounting())).default(question))
        step = f"{source} to {update['to']}"
        yield Figure(f"allowed, {step}", response.allowed, update["allowed"])
        if "expected_child_request_after" in update:
            expected = update.amounts("expected_child_request_after")
            found = cluster.requested(target)
            yield from figures.of_amounts(f"child_request_after, {step},", found, expected)


def _tries(fields: Fields) -> Iterator[Figure]:
    """How often a batch of pods tries to write its counter; here there is none to be written."""
    fields.said("max_retries")
    for table in ("retries_for_batch_size", "with_max_5", "with_max_1"):
        for size, tries in fields.part(table).pairs().items():
            yield Figure(f"{table} {size}", 0, tries)


TABLES = {("pod_admission", "vectors"): pod_admission}
