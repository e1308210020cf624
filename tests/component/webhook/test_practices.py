"""Good practices for webhooks that a replica can be tested for.

The list is docs/contributing/webhook-practices.md.

The reviews are those that a real API server sent; the replica would change the object of each.
"""

import base64
import copy
import json
import re
from collections.abc import Iterator
from typing import Any, Final

import pytest

import webhook_fixture as fixture
from api_double import ApiDouble
from elasticquota import names
from elasticquota_kube import access_review
from review_trials import RECORDED
from webhook_fixture import Document, WebhookReplica, parent, quota


PODS: Final = [name for name, each in RECORDED.items() if each["path"] == "/mutate/pod"]
QUOTAS: Final = [name for name, each in RECORDED.items() if each["path"] == "/mutate/elasticquota"]

REQUIRED: Final = (
    "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms"
)
MAY_BE_ADDED: Final = {
    "/mutate/pod": [
        r"/metadata/labels",
        r"/metadata/labels/quota\.scheduling\.koordinator\.sh~1name",
        r"/spec/schedulingGates(/-)?",
        r"/spec/affinity(/nodeAffinity(/required[A-Za-z]+(/nodeSelectorTerms)?)?)?",
        rf"{REQUIRED}/\d+/matchExpressions(/-)?",
    ],
    "/mutate/elasticquota": [
        r"/metadata/labels",
        r"/metadata/labels/quota\.scheduling\.koordinator\.sh~1(parent|tree-id)",
    ],
}

MIRROR: Final = "kubernetes.io/config.mirror"

MAPS: Final = {"labels", "annotations", "requests", "limits", "min", "max", "matchLabels", "extra"}
"""Their keys are the user's, so an unknown key in them is data and not a field."""


@pytest.fixture
def filled(webhook: WebhookReplica) -> WebhookReplica:
    """The quotas of the recorded reviews, in a tree with its own nodes."""
    profile = fixture.profile("gpu", "root", pool="gpu")
    profile["metadata"]["labels"] = {names.TREE_ID: "7"}
    webhook.fill(
        parent("root", {"cpu": "1000"}, is_root="true", tree="7"),
        parent("dept", {"cpu": "900", "memory": "900Gi"}, parent="root", tree="7"),
        quota("team-a", parent="dept", tree="7", namespace="team"),
        quota("team-b", parent="dept", tree="7", annotations={names.NAMESPACES: '["team"]'}),
        profiles=(profile,),
    )
    return webhook


def question(name: str, trial: bool = True) -> Document:
    """A recorded review, as a dry run unless the replica should remember it."""
    asked: Document = copy.deepcopy(RECORDED[name]["review"])
    asked["request"]["dryRun"] = trial
    return asked


def operations(response: Document) -> list[Document]:
    """The patch of a response."""
    found: list[Document] = json.loads(base64.b64decode(response.get("patch", "W10=")))
    return found


def fields(document: Any, key: str = "") -> Iterator[Document]:
    """Every object in a document whose keys are fields of the API."""
    if isinstance(document, dict):
        if key not in MAPS and not key.startswith("fieldsV1"):
            yield document
            for name, value in document.items():
                yield from fields(value, name)
    elif isinstance(document, list):
        for value in document:
            yield from fields(value, key)


@pytest.mark.parametrize("name", PODS + QUOTAS)
async def test_a_patch_only_adds_at_known_places(filled: WebhookReplica, name: str) -> None:
    path = RECORDED[name]["path"]
    asked = question(name)
    patch = operations(await filled.ask(path, asked))
    assert patch or path == "/mutate/elasticquota"
    for operation in patch:
        assert operation["op"] == "add"
        assert any(re.fullmatch(place, operation["path"]) for place in MAY_BE_ADDED[path])


@pytest.mark.parametrize("name", RECORDED)
async def test_a_field_of_a_later_version_changes_no_answer(
    filled: WebhookReplica, name: str
) -> None:
    """Kubernetes and our own CRDs grow; an unknown field is added at every place."""
    path = RECORDED[name]["path"]
    plain = await filled.ask(path, question(name))
    assert "cannot be read" not in str(plain)
    asked = question(name)
    places = list(fields(asked))
    assert len(places) > 10
    for place in places:
        place["brandNewField"] = {"brandNew": [{"field": 1}]}
    assert await filled.ask(path, asked) == plain


@pytest.mark.parametrize("name", PODS)
async def test_a_mirror_pod_is_never_changed(filled: WebhookReplica, name: str) -> None:
    asked = question(name)
    meta = asked["request"]["object"]["metadata"]
    assert operations(await filled.ask("/mutate/pod", asked))
    meta["annotations"] = {**(meta.get("annotations") or {}), MIRROR: "hash"}
    response = await filled.ask("/mutate/pod", asked)
    assert response["allowed"]
    assert "patch" not in response


SIDECAR: Final[Document] = {"name": "mesh", "resources": {"requests": {"cpu": "1"}}}
ZONE: Final[Document] = {"key": "zone", "operator": "In", "values": ["a"]}


def changed_by_another(pod: Document) -> Document:
    """What another mutating webhook does: adds a sidecar, a gate, a label, an alternative."""
    new = copy.deepcopy(pod)
    spec = new["spec"]
    spec["containers"].append(SIDECAR)
    spec.setdefault("schedulingGates", []).append({"name": "example.com/gate"})
    new["metadata"].setdefault("labels", {})["example.com/mesh"] = "on"
    affinity = spec.setdefault("affinity", {}).setdefault("nodeAffinity", {})
    required = affinity.setdefault(REQUIRED.split("/")[-2], {"nodeSelectorTerms": []})
    required["nodeSelectorTerms"].append({"matchExpressions": [ZONE]})
    return new


@pytest.mark.parametrize("name", PODS)
@pytest.mark.parametrize("ours_first", [False, True], ids=["before us", "after us"])
async def test_another_webhook_may_change_the_pod_before_or_after_us(
    filled: WebhookReplica, name: str, ours_first: bool
) -> None:
    pod: Document = question(name)["request"]["object"]
    if ours_first:
        pod, _ = await filled.mutate("/mutate/pod", pod)
    # After another webhook has changed the pod, the API server calls again (reinvocationPolicy).
    patched, _ = await filled.mutate("/mutate/pod", changed_by_another(pod))
    assert patched["spec"]["containers"][-1] == SIDECAR
    assert patched["metadata"]["labels"]["example.com/mesh"] == "on"
    gates = [gate["name"] for gate in patched["spec"]["schedulingGates"]]
    assert {names.GATE, "example.com/gate"} <= set(gates)
    assert len(gates) == len(set(gates))
    required = patched["spec"]["affinity"]["nodeAffinity"][REQUIRED.split("/")[-2]]
    for term in required["nodeSelectorTerms"]:
        assert {"key": "pool", "operator": "In", "values": ["gpu"]} in term["matchExpressions"]
    assert ZONE in required["nodeSelectorTerms"][-1]["matchExpressions"]


@pytest.mark.parametrize("name", PODS + QUOTAS)
async def test_the_same_review_twice_has_the_same_answer(filled: WebhookReplica, name: str) -> None:
    path = RECORDED[name]["path"]
    assert await filled.ask(path, question(name)) == await filled.ask(path, question(name))


async def test_a_15_no_call_is_made_for_pods_and_for_permitted_quotas(
    filled: WebhookReplica, double: ApiDouble
) -> None:
    for name, each in RECORDED.items():
        if name.startswith("validate-elasticquota-delete"):
            continue
        before = len(double.calls)
        answer = await filled.ask(each["path"], question(name))
        refused_quota = not answer["allowed"] and each["path"] == "/validate/elasticquota"
        # To be as new as the API server: one reading of the quotas, one of the profiles. Whether
        # the user may place a quota is asked where no list says it.
        reads = [call for call in double.calls[before:] if call.method == "GET"]
        assert len(reads) == 2 * refused_quota
        assert {call.path for call in double.calls[before:]} - {call.path for call in reads} <= {
            access_review.ACCESS_REVIEWS.list(None)
        }


async def test_a_deletion_reads_the_pods_of_the_quota_and_writes_nothing(
    filled: WebhookReplica, double: ApiDouble
) -> None:
    await filled.validate(None, quota("team-a", parent="dept", tree="7", namespace="team"))
    assert 1 <= len(double.calls) <= 2
    assert {call.method for call in double.calls} == {"GET"}
    assert all("/pods" in call.path for call in double.calls)


async def test_a_thousand_dry_runs_leave_no_trace(filled: WebhookReplica) -> None:
    before = filled.caches.membership()
    asked = fixture.review(quota("new", {"cpu": "1"}, parent="dept"), dry_run=True)
    first = await filled.ask("/validate/elasticquota", asked)
    assert first["allowed"]
    for _ in range(1000):
        assert await filled.ask("/validate/elasticquota", asked) == first
    assert filled.caches.membership() is before
