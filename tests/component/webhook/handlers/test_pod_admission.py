"""Reviews of pods: which are gated, which get a node affinity, which are refused."""

import json
from typing import Any

import pytest

import webhook_fixture as fixture
from elasticquota import names
from elasticquota.structs import replace
from elasticquota_config.sections.admission import AdmissionSection
from elasticquota_config.sections.dialects import Dialects
from elasticquota_config.sections.sharing import AccountingSection
from elasticquota_kube.client.api import Api
from webhook_fixture import CONFIGURATION, WebhookReplica, parent, pod, quota, review, ruled


PATH = "/mutate/pod"
GATE = [{"name": names.GATE}]
PROFILE = fixture.profile("gpu", "gpu-root", pool="gpu")
PROFILE["metadata"]["labels"] = {names.TREE_ID: "7"}
GPU_TERMS = [{"matchExpressions": [{"key": "pool", "operator": "In", "values": ["gpu"]}]}]


@pytest.fixture
def filled(webhook: WebhookReplica) -> WebhookReplica:
    """Quotas: a below dept, g in the gpu tree, team for its namespace, bound for its namespaces."""
    return fill(webhook)


def open_to_all(manifest: dict[str, Any]) -> dict[str, Any]:
    manifest["spec"]["access"] = {"pods": ["*"]}
    return manifest


def fill(webhook: WebhookReplica) -> WebhookReplica:
    webhook.fill(
        open_to_all(parent("dept")),
        open_to_all(quota("a", parent="dept")),
        parent("gpu-root", is_root="true", tree="7"),
        open_to_all(quota("g", parent="gpu-root", tree="7")),
        quota("team", namespace="team"),
        quota("bound", annotations={names.NAMESPACES: '["theirs"]'}),
        profiles=(PROFILE,),
    )
    return webhook


async def test_a_labelled_pod_is_gated(filled: WebhookReplica) -> None:
    patched, response = await filled.mutate(PATH, pod("a"))
    assert patched["spec"]["schedulingGates"] == GATE
    assert patched["metadata"]["labels"] == {names.QUOTA_NAME: "a"}
    assert "affinity" not in patched["spec"]
    assert "warnings" not in response


@pytest.mark.parametrize(("namespace", "expected"), [("team", "team"), ("theirs", "bound")])
async def test_a_pod_without_label_gets_the_label_of_its_namespaces_quota(
    filled: WebhookReplica, namespace: str, expected: str
) -> None:
    patched, _ = await filled.mutate(PATH, pod(namespace=namespace))
    assert patched["metadata"]["labels"] == {names.QUOTA_NAME: expected}
    assert patched["spec"]["schedulingGates"] == GATE


async def test_a_pod_of_a_tree_gets_the_affinity_of_its_nodes(filled: WebhookReplica) -> None:
    patched, _ = await filled.mutate(PATH, pod("g"))
    required = patched["spec"]["affinity"]["nodeAffinity"]
    assert required == {
        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": GPU_TERMS}
    }


async def test_a_pod_of_a_quota_with_its_own_nodes_is_restricted_to_them(
    webhook: WebhookReplica,
) -> None:
    chosen = quota("g", parent="gpu-root", tree="7"), quota("plain")
    for each in chosen:
        each["spec"]["nodeSelector"] = {"model": ["v100", "a100"]}
    root = parent("gpu-root", is_root="true", tree="7")
    webhook.fill(root, *chosen, profiles=(PROFILE,))
    model = {"key": "model", "operator": "In", "values": ["a100", "v100"]}
    for name, expected in (("g", [model, *GPU_TERMS[0]["matchExpressions"]]), ("plain", [model])):
        patched, _ = await webhook.mutate(PATH, pod(name))
        required = patched["spec"]["affinity"]["nodeAffinity"]
        assert required == {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{"matchExpressions": expected}]
            }
        }


async def test_an_unknown_quota_warns_and_the_next_rule_decides(filled: WebhookReplica) -> None:
    patched, response = await filled.mutate(PATH, pod("misspelt"))
    assert response["warnings"] == [
        "metadata.labels[quota.scheduling.koordinator.sh/name]: there is no quota 'misspelt'; "
        "without one the pod belongs to 'team'. Correct the name, or create that quota. [PD1306]"
    ]
    assert patched["spec"]["schedulingGates"] == GATE
    assert patched["metadata"]["labels"] == {names.QUOTA_NAME: "misspelt"}


async def test_an_unknown_quota_is_refused_where_configured(api: Api) -> None:
    async with WebhookReplica(api, ruled({"PD1306": "deny"})) as webhook:
        fill(webhook)
        response = await webhook.ask(PATH, review(pod("misspelt")))
        assert (response["status"]["code"], response["status"]["message"]) == (
            422,
            "Pod team/p: metadata.labels[quota.scheduling.koordinator.sh/name]: there is no quota "
            "'misspelt'; without one the pod belongs to 'team'. Correct the name, or create that "
            "quota. [PD1306]",
        )
        _, response = await webhook.mutate(PATH, pod("a"))
        assert (response["allowed"], response.get("warnings")) == (True, None)


async def test_a_pod_may_not_use_a_parent_quota(filled: WebhookReplica) -> None:
    response = await filled.ask(PATH, review(pod("dept")))
    field = "metadata.labels[quota.scheduling.koordinator.sh/name]"
    sentence = (
        "'dept' is a parent quota, which holds quotas and no pods. "
        "Name one of its leaf quotas: a. [PD1301]"
    )
    assert response["status"] == {
        "code": 403,
        "reason": "Forbidden",
        "message": f"Pod team/p: {field}: {sentence}",
        "details": {
            "name": "p",
            "kind": "Pod",
            "causes": [{"reason": "FieldValueForbidden", "field": field, "message": sentence}],
        },
    }


async def test_a_pod_that_may_use_a_parent_quota_is_gated_like_others(api: Api) -> None:
    async with WebhookReplica(api, ruled({"PD1301": "off"})) as webhook:
        patched, response = await fill(webhook).mutate(PATH, pod("dept"))
    assert patched["spec"]["schedulingGates"] == GATE
    assert "warnings" not in response


async def test_without_a_default_quota_a_pod_without_a_quota_is_not_gated(api: Api) -> None:
    without = replace(CONFIGURATION, accounting=AccountingSection(default_quota=False))
    async with WebhookReplica(api, without) as webhook:
        stray = pod(namespace="nobodys")
        patched, response = await fill(webhook).mutate(PATH, stray)
        assert (patched, response.get("warnings")) == (stray, None)


async def test_a_pod_with_a_generated_name_is_reported_by_its_prefix(
    filled: WebhookReplica,
) -> None:
    nameless = pod("dept")
    del nameless["metadata"]["name"]
    nameless["metadata"]["generateName"] = "web-"
    response = await filled.ask(PATH, review(nameless))
    assert response["status"]["message"].startswith("Pod team/web-*: ")


DAEMON = {"ownerReferences": [{"kind": "DaemonSet", "name": "d", "controller": True}]}
MIRROR = {"annotations": {names.MIRROR_POD: "hash"}}

FREE: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "pods of the default quota": (pod(namespace="nobodys"), {}),
    "pods of kube-system": (pod(namespace="kube-system"), {}),
    "misspelt pods of kube-system": (pod("misspelt", namespace="kube-system"), {}),
    "pods of the operator": (pod("a", namespace="elastic-quota-system"), {}),
    "pods of a DaemonSet without label": (pod(), DAEMON),
    "static pods": (pod(), MIRROR),
    "pods that have a node": (pod("a", nodeName="node-1"), {}),
}


@pytest.mark.parametrize(("manifest", "meta"), FREE.values(), ids=FREE)
async def test_other_pods_are_left_alone(
    filled: WebhookReplica, manifest: dict[str, Any], meta: dict[str, Any]
) -> None:
    free = manifest | {"metadata": manifest["metadata"] | meta}
    _, response = await filled.mutate(PATH, free)
    assert response == {"uid": "11111111-2222-3333-4444-555555555555", "allowed": True}


async def test_edits_of_pods_and_subresources_are_left_alone(filled: WebhookReplica) -> None:
    for question in (
        review(pod("dept"), pod("a")),
        review(None, pod("dept")),
        review(pod("dept"), subResource="resize"),
    ):
        assert (await filled.ask(PATH, question))["allowed"]


WAITING: dict[str, Any] = {"schedulingGates": GATE}


@pytest.mark.parametrize(
    ("label", "sentence"),
    [("dept", "is a parent quota"), ("closed", "accepts no pods from namespace 'team'")],
)
async def test_a_gated_pod_may_not_change_to_a_forbidden_quota(
    filled: WebhookReplica, label: str, sentence: str
) -> None:
    filled.see(quota("closed", spec={"access": {"pods": []}}))
    asked = review(pod(label, **WAITING), pod("a", **WAITING))
    response = await filled.ask("/validate/pod", asked)
    assert not response["allowed"]
    assert sentence in response["status"]["message"]
    made = await filled.ask(PATH, review(pod(label)))
    assert made["status"] == response["status"]


async def test_a_gated_pod_that_changes_to_an_unknown_quota_gets_a_warning(
    filled: WebhookReplica,
) -> None:
    asked = review(pod("ghost", **WAITING), pod("a", **WAITING))
    response = await filled.ask("/validate/pod", asked)
    assert response["allowed"]
    assert "there is no quota 'ghost'" in response["warnings"][0]


async def test_other_edits_of_pods_are_not_judged(filled: WebhookReplica) -> None:
    for question in (
        review(pod("g", **WAITING), pod("a", **WAITING)),
        review(pod("dept", **WAITING), pod("dept", **WAITING)),
        review(pod("dept"), pod("a")),
        review(pod("dept"), subResource="status"),
        review(None, pod("dept")),
        review(pod("dept")),
    ):
        assert await filled.ask("/validate/pod", question) == {
            "uid": "11111111-2222-3333-4444-555555555555",
            "allowed": True,
        }


async def test_the_older_of_two_profiles_owns_the_tree(webhook: WebhookReplica) -> None:
    def profile(name: str, created: str) -> dict[str, Any]:
        meta = PROFILE["metadata"] | {"name": name, "uid": name, "creationTimestamp": created}
        selector = {"matchLabels": {"pool": name}}
        return {"metadata": meta, "spec": {"quotaName": "gpu-root", "nodeSelector": selector}}

    root, leaf = parent("gpu-root", is_root="true", tree="7"), quota("g", parent="gpu-root")
    younger, older = profile("b", "2026-01-02T00:00:00Z"), profile("a", "2026-01-01T00:00:00Z")
    webhook.fill(root, leaf, profiles=(younger, older))
    patched, _ = await webhook.mutate(PATH, pod("g"))
    (term,) = patched["spec"]["affinity"]["nodeAffinity"][
        "requiredDuringSchedulingIgnoredDuringExecution"
    ]["nodeSelectorTerms"]
    assert term["matchExpressions"] == [{"key": "pool", "operator": "In", "values": ["a"]}]


async def test_until_the_caches_are_filled_the_failure_policy_decides(
    webhook: WebhookReplica,
) -> None:
    code, text = await webhook.send(PATH, json.dumps(review(pod("a"))))
    assert (code, text) == (503, "not ready: the quotas are still being read")


@pytest.mark.parametrize(
    ("spec", "place"),
    [
        ({"affinity": []}, "$.spec.affinity"),
        ({"schedulingGates": {}}, "$.spec.schedulingGates"),
        ({"containers": [{"resources": 5}]}, "$.spec.containers[0].resources"),
    ],
)
async def test_a_malformed_pod_gets_400_and_the_place(
    filled: WebhookReplica, spec: dict[str, Any], place: str
) -> None:
    response = await filled.ask(PATH, review(pod("a", **spec)))
    assert response["status"]["code"] == 400
    assert response["status"]["message"].startswith("the pod cannot be read: Expected ")
    assert place in response["status"]["message"]


async def test_pods_of_a_tree_in_observe_mode_are_not_changed(webhook: WebhookReplica) -> None:
    root = parent("gpu-root", is_root="true", tree="7")
    root["spec"]["tree"] = {"enforcement": names.OBSERVE}
    closed = quota("g", parent="gpu-root", tree="7", spec={"access": {"pods": []}})
    webhook.fill(root, closed, quota("a"), profiles=(PROFILE,))
    written = pod("g")
    patched, response = await webhook.mutate(PATH, written)
    assert patched == written
    (warning,) = response["warnings"]
    assert warning.endswith("[PD1307]")
    held, _ = await webhook.mutate(PATH, pod("a"))
    assert held["spec"]["schedulingGates"] == GATE, "other trees enforce"


@pytest.mark.parametrize("refuses", [True, False])
async def test_a_pod_beyond_what_its_quota_takes_is_refused_at_creation_where_configured(
    api: Api, refuses: bool
) -> None:
    full = open_to_all(quota("full", annotations={names.ADMISSION: '{"cpu": "2"}'}))
    full["status"] = {"request": {"cpu": "1500m"}, "runtime": {}}
    configuration = replace(CONFIGURATION, admission=AdmissionSection(refuse_at_creation=refuses))
    async with WebhookReplica(api, configuration) as webhook:
        webhook.fill(full)
        response = await webhook.ask(PATH, review(pod("full")))
    assert response["allowed"] is not refuses
    if refuses:
        assert response["status"]["code"] == 403
        assert response["status"]["message"].startswith(
            "Pod team/p: quota 'full' accepts no more pods: this one needs 1 cpu, and those that "
            f"exist ask for 1.5 of the 2 that annotation {names.ADMISSION} allows."
        )


@pytest.mark.parametrize(
    ("dialects", "expected"),
    [
        (Dialects(capacity=True, capacity_schedulers=("gone",)), "default-scheduler"),
        (Dialects(capacity=True, capacity_schedulers=("another",)), "gone"),
        (Dialects(capacity=True), "gone"),
        (Dialects(capacity_schedulers=("gone",)), "gone"),
    ],
)
async def test_c18_a_pod_of_a_scheduler_that_is_listed_as_gone_gets_that_of_the_cluster(
    api: Api, dialects: Dialects, expected: str
) -> None:
    async with WebhookReplica(api, replace(CONFIGURATION, dialects=dialects)) as webhook:
        fill(webhook)
        for new in (pod("a", schedulerName="gone"), pod(schedulerName="gone")):
            patched, _ = await webhook.mutate(PATH, new)
            assert patched["spec"]["schedulerName"] == expected
            again, _ = await webhook.mutate(PATH, patched)
            assert again == patched
        plain, _ = await webhook.mutate(PATH, pod("a"))
        assert "schedulerName" not in plain["spec"]
        placed, _ = await webhook.mutate(PATH, pod("a", schedulerName="gone", nodeName="n1"))
        assert placed["spec"]["schedulerName"] == "gone"
