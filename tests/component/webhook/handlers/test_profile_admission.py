"""Reviews of profiles: what passes, what is refused, and the nodes that two profiles share."""

import copy

import pytest

from api_double import refusals
from elasticquota import names
from elasticquota_kube.client import paths
from webhook_fixture import Document, WebhookReplica, parent, profile, quota, review


PATH = "/validate/profile"


def node(name: str, **labels: str) -> Document:
    return {"metadata": {"name": name, "labels": labels}}


GPU = profile("gpu", "gpu-root", pool="gpu")


async def test_a_profile_of_its_own_pool_passes_without_a_warning(webhook: WebhookReplica) -> None:
    webhook.fill(profiles=(GPU,))
    webhook.double.put(paths.NODES, node("n1", pool="gpu"))
    webhook.double.put(paths.NODES, node("n2", pool="cpu"))
    response = await webhook.ask(PATH, review(profile("cpu", "cpu-root", pool="cpu")))
    assert (response["allowed"], response.get("warnings")) == (True, None)


async def test_field_and_key_of_the_resources_follow_each_other(webhook: WebhookReplica) -> None:
    webhook.fill()
    written = profile("cpu", "cpu-root", pool="cpu")
    written["spec"]["resourceKeys"] = ["cpu", "pods"]
    made, _ = await webhook.mutate("/mutate/profile", written)
    assert made["metadata"]["annotations"] == {names.RESOURCE_KEYS: '["cpu","pods"]'}
    moved = copy.deepcopy(made)
    moved["metadata"]["annotations"][names.RESOURCE_KEYS] = '["memory"]'
    moved, _ = await webhook.mutate("/mutate/profile", moved, old=made)
    assert moved["spec"]["resourceKeys"] == ["memory"]
    back = copy.deepcopy(moved)
    back["spec"]["resourceKeys"] = ["cpu"]
    back, _ = await webhook.mutate("/mutate/profile", back, old=moved)
    assert back["metadata"]["annotations"] == {names.RESOURCE_KEYS: '["cpu"]'}

    both = copy.deepcopy(back)
    both["spec"]["resourceKeys"] = ["pods"]
    both["metadata"]["annotations"][names.RESOURCE_KEYS] = '["memory"]'
    both, _ = await webhook.mutate("/mutate/profile", both, old=back)
    response = await webhook.ask(PATH, review(both, back))
    assert """spec.resourceKeys: '["pods"]' and '["memory"]'""" in response["status"]["message"]
    assert "patch" not in await webhook.ask("/mutate/profile", review(GPU))


async def test_a_profile_leaves_room_for_its_status_in_the_store(webhook: WebhookReplica) -> None:
    webhook.fill()
    fat = copy.deepcopy(GPU)
    owner = {"apiVersion": "v1", "kind": "K" * 1_100_000, "name": "y", "uid": "6"}
    fat["metadata"]["ownerReferences"] = [owner]
    for old in (None, GPU):
        status = (await webhook.ask(PATH, review(fat, old)))["status"]
        assert status["code"] == 422
        assert "has 1075 KiB of JSON and may have 1024" in status["message"]
    assert (await webhook.ask(PATH, review(GPU, fat)))["allowed"]


async def test_a_second_profile_of_one_root_quota_is_a_conflict(webhook: WebhookReplica) -> None:
    webhook.fill(profiles=(GPU,))
    response = await webhook.ask(PATH, review(profile("more", "gpu-root", pool="more")))
    sentence = "'gpu-root' is the root quota of profile 'pools/gpu'. Choose another name. [EP1202]"
    assert response["status"] == {
        "code": 409,
        "reason": "Conflict",
        "message": f"ElasticQuotaProfile pools/more: spec.quotaName: {sentence}",
        "details": {
            "name": "more",
            "group": "quota.koordinator.sh",
            "kind": "ElasticQuotaProfile",
            "causes": [
                {"reason": "FieldValueInvalid", "field": "spec.quotaName", "message": sentence}
            ],
        },
    }


async def test_shared_nodes_are_reported_by_name(webhook: WebhookReplica) -> None:
    webhook.fill(profiles=(GPU,))
    for number in range(3):
        webhook.double.put(paths.NODES, node(f"n{number}", pool="gpu", zone="a"))
    webhook.double.put(paths.NODES, node("elsewhere", zone="a"))
    response = await webhook.ask(PATH, review(profile("zone", "zone-root", zone="a")))
    assert response["allowed"]
    assert response["warnings"] == [
        "spec.nodeSelector: profile 'pools/gpu' selects some of the same nodes, which count for "
        "that one alone: n0, n1, n2. Select by a label that only nodes of one pool have. [EP1202]"
    ]


@pytest.mark.parametrize(
    "expression",
    [
        {"key": "pool", "operator": "In", "values": ["gpu", "other"]},
        {"key": "pool", "operator": "NotIn", "values": ["cpu"]},
        {"key": "pool", "operator": "Exists"},
        {"key": "spot", "operator": "DoesNotExist"},
    ],
)
async def test_every_kind_of_selector_can_be_used(
    webhook: WebhookReplica, expression: Document
) -> None:
    webhook.fill(profiles=(GPU,))
    webhook.double.put(paths.NODES, node("both", pool="gpu"))
    webhook.double.put(paths.NODES, node("mine", pool="cpu", spot="yes"))
    wide = profile("wide", "wide-root")
    wide["spec"]["nodeSelector"] = {"matchExpressions": [expression]}
    response = await webhook.ask(PATH, review(wide))
    assert "alone: both." in response["warnings"][0]


async def test_nodes_are_read_once_and_only_for_a_new_selector(webhook: WebhookReplica) -> None:
    webhook.fill(profiles=(GPU,))
    await webhook.ask(PATH, review(profile("cpu", "cpu-root", pool="cpu")))
    assert [call.path for call in webhook.double.calls] == ["/api/v1/nodes"]
    edited = profile("gpu", "gpu-root", pool="gpu")
    edited["spec"]["resourceRatio"] = "0.5"
    assert (await webhook.ask(PATH, review(edited, GPU)))["allowed"]
    assert len(webhook.double.calls) == 1


async def test_without_the_api_server_a_profile_passes_with_a_warning(
    webhook: WebhookReplica,
) -> None:
    webhook.fill(profiles=(GPU,))
    webhook.double.faults.answer(refusals.throttled(60), times=9, path="/nodes")
    response = await webhook.ask(PATH, review(profile("cpu", "cpu-root", pool="cpu")))
    assert response["allowed"]
    (warning,) = response["warnings"]
    assert warning.startswith(
        "spec.nodeSelector: other profiles may select some of the same nodes; these cannot be read"
    )


async def test_subresources_are_left_alone(webhook: WebhookReplica) -> None:
    assert (await webhook.ask(PATH, review(GPU, GPU, subResource="status")))["allowed"]


def root() -> Document:
    made = parent("gpu-root", is_root="true", tree="7")
    made["metadata"]["namespace"] = "pools"
    made["metadata"]["labels"][names.PROFILE] = "gpu"
    return made


async def test_a_profile_is_not_deleted_while_its_tree_has_quotas(webhook: WebhookReplica) -> None:
    webhook.fill(root(), quota("team", parent="gpu-root"), profiles=(GPU,))
    response = await webhook.ask(PATH, review(None, GPU))
    assert response["status"]["code"] == 409
    assert response["status"]["message"] == (
        "ElasticQuotaProfile pools/gpu: must not be deleted while there are quotas in its tree: "
        "team. Delete them first, or give them a parent in another tree; for a file that has them "
        "all, repeat the command. [EP1203]"
    )


async def test_a_profile_of_an_empty_tree_is_deleted(webhook: WebhookReplica) -> None:
    webhook.fill(root(), profiles=(GPU,))
    assert (await webhook.ask(PATH, review(None, GPU)))["allowed"]


async def test_until_the_caches_are_filled_nothing_is_judged(webhook: WebhookReplica) -> None:
    response = await webhook.ask(PATH, review(GPU))
    assert response["status"]["code"] == 503
