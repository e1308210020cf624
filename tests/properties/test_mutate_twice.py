"""Law: admission fills in each value once; asked again, it changes nothing.

Admission.md, Mutations. The API server does ask again when another webhook changes a pod.
"""

import asyncio
import json
from typing import Any

import jsonpatch
import msgspec
from hypothesis import given
from hypothesis import strategies as st

import webhook_fixture as fixture
from elasticquota import names
from elasticquota.wire.admission import review
from elasticquota.wire.admission.review import AdmissionRequest
from elasticquota.wire.quota import profiles, quotas
from elasticquota_webhooks.cache.caches import Caches
from elasticquota_webhooks.handlers.pod_admission import PodAdmission


Document = dict[str, Any]

_TERMS = "nodeSelectorTerms"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_EXPRESSIONS = st.sampled_from(
    (
        {"key": "pool", "operator": "In", "values": ["gpu"]},
        {"key": "zone", "operator": "In", "values": ["b", "a"]},
        {"key": "zone", "operator": "Exists"},
        {"key": "cores", "operator": "Gt", "values": ["8"]},
    )
)
_TERM = st.fixed_dictionaries(
    {},
    optional={
        "matchExpressions": st.lists(_EXPRESSIONS, max_size=3),
        "matchFields": st.just([{"key": "metadata.name", "operator": "In", "values": ["node-1"]}]),
    },
)
_AFFINITY = st.one_of(
    st.just({}),
    st.just({"nodeAffinity": {}}),
    st.just({"podAffinity": {}}),
    st.builds(
        lambda terms: {"nodeAffinity": {_REQUIRED: {_TERMS: terms}}}, st.lists(_TERM, max_size=3)
    ),
)
_PODS = st.builds(
    lambda label, namespace, spec: fixture.pod(label, namespace, **spec),
    st.sampled_from(("", "team", "gpu-team", "ghost")),
    st.sampled_from(("team", "elsewhere")),
    st.fixed_dictionaries(
        {},
        optional={
            "affinity": _AFFINITY,
            "schedulingGates": st.lists(
                st.sampled_from(({"name": "other/gate"}, {"name": names.GATE})),
                max_size=2,
                unique_by=lambda gate: gate["name"],
            ),
            "nodeName": st.just("node-1"),
        },
    ),
)


def caches() -> Caches:
    """A quota of the default tree, and one of a tree whose nodes have two labels."""
    found = Caches(fixture.ACCOUNTING)
    for manifest in (
        fixture.quota("team", namespace="team", spec={"access": {"pods": ["elsewhere"]}}),
        fixture.parent("gpu-root", is_root="true", tree="7"),
        fixture.quota(
            "gpu-team",
            parent="gpu-root",
            spec={"access": {"pods": [names.EVERY_NAMESPACE]}},
        ),
    ):
        found.quotas.upsert(msgspec.convert(manifest, quotas.QuotaManifest))
    selector = {
        "matchLabels": {"pool": "gpu"},
        "matchExpressions": [{"key": "zone", "operator": "In", "values": ["a", "b"]}],
    }
    profile = {
        "metadata": {"name": "gpu", "namespace": "pools", "labels": {names.TREE_ID: "7"}},
        "spec": {"quotaName": "gpu-root", "nodeSelector": selector},
    }
    found.profiles.upsert(msgspec.convert(profile, profiles.ProfileManifest))
    for store in (found.quotas, found.profiles, found.namespaces):
        store.synced()
    return found


ADMISSION = PodAdmission(caches())


def mutated(pod: Document) -> tuple[Document, list[review.Operation]]:
    """The pod as it would be stored, and the patch."""
    request = AdmissionRequest("uid", "CREATE", object=msgspec.Raw(json.dumps(pod).encode()))
    response = asyncio.run(ADMISSION.default(request))
    assert response.allowed
    patched: Document = jsonpatch.apply_patch(pod, response.patch)
    return patched, response.patch


@given(_PODS)
def test_a_pod_is_completed_once(pod: Document) -> None:
    once, _ = mutated(pod)
    twice, again = mutated(once)
    assert (twice, again) == (once, [])


@given(_PODS)
def test_values_written_by_a_user_stay(pod: Document) -> None:
    once, operations = mutated(pod)
    assert {operation["op"] for operation in operations} <= {"add"}
    assert pod["metadata"].get("labels", {}).items() <= once["metadata"].get("labels", {}).items()
    gates = pod["spec"].get("schedulingGates", [])
    assert once["spec"].get("schedulingGates", [])[: len(gates)] == gates
    for old, new in zip(_terms(pod), _terms(once), strict=False):
        written = old.get("matchExpressions", [])
        assert new.get("matchExpressions", [])[: len(written)] == written
        assert new.get("matchFields") == old.get("matchFields")


def _terms(pod: Document) -> list[Document]:
    found: Any = pod["spec"].get("affinity") or {}
    for step in ("nodeAffinity", _REQUIRED, _TERMS):
        found = (found or {}).get(step)
    return found or []
