"""Reviews of ``pods/resize``: a pod grows within the runtimes above it."""

import json
from typing import Any

import pytest

from api_double import ApiDouble
from elasticquota import names
from webhook_fixture import Document, WebhookReplica, parent, pod, quota, review, standing


PATH = "/validate/resize"


def sized(cpu: str, label: str = "a", status: Document | None = None, **spec: Any) -> Document:
    """A running pod that requests ``cpu``."""
    resources = {"requests": {"cpu": cpu}}
    made = pod(label, containers=[{"name": "main", "resources": resources}], **spec)
    return made | {"status": {"phase": "Running", **(status or {})}}


def holding(cpu: str) -> Document:
    """The status of a pod for which the node has allocated ``cpu``."""
    state = {
        "name": "main",
        "resources": {"requests": {"cpu": cpu}},
        "allocatedResources": {"cpu": cpu},
    }
    return {"containerStatuses": [state]}


@pytest.fixture
def filled(webhook: WebhookReplica) -> WebhookReplica:
    """A tree of 10 cpu; a may use 8 and has admitted 4, b is guaranteed 2 and uses them."""
    webhook.fill(
        standing(parent("pool", {"cpu": "10"}, is_root="true", tree="7"), 6, 6, 10),
        standing(quota("a", {"cpu": "2"}, {"cpu": "8"}, parent="pool"), 4, 4, 4),
        standing(quota("b", {"cpu": "2"}, {"cpu": "8"}, parent="pool"), 2, 2, 2),
    )
    return webhook


async def resize(webhook: WebhookReplica, new: Document, old: Document) -> Document:
    return await webhook.ask(PATH, review(new, old, subResource="resize"))


async def test_a_pod_may_grow_into_the_free_part_of_its_quota(filled: WebhookReplica) -> None:
    response = await resize(filled, sized("6"), sized("2"))
    assert (response["allowed"], response.get("warnings")) == (True, None)


async def test_a_larger_growth_is_refused_with_the_free_amount(filled: WebhookReplica) -> None:
    response = await resize(filled, sized("7"), sized("2"))
    assert (response["status"]["code"], response["status"]["message"]) == (
        403,
        "Pod team/p: needs 5 cpu more; quota 'a' has 4 of its current share of 8 left "
        "(guaranteed 2, limit 8). Ask for less, or wait until others use less. "
        "More: kubectl elastic-quota explain quota a [PD1305]",
    )


async def test_the_use_of_other_non_preemptible_pods_comes_from_the_annotation(
    webhook: WebhookReplica,
) -> None:
    said = {names.NON_PREEMPTIBLE_USED: '{"cpu":"2"}'}
    made = standing(quota("a", {"cpu": "2"}, {"cpu": "8"}), 2, 2, 8)
    made["metadata"]["annotations"] = said
    webhook.fill(made)
    labels = {names.QUOTA_NAME: "a", names.PREEMPTIBLE: "false"}
    old, new = sized("1"), sized("2")
    for each in (old, new):
        each["metadata"]["labels"] = labels
    response = await resize(webhook, new, old)
    assert "and they use 2 of 2." in response["status"]["message"]


async def test_no_call_is_made(filled: WebhookReplica, double: ApiDouble) -> None:
    await resize(filled, sized("7"), sized("2"))
    assert double.calls == []


async def test_shrinking_and_edits_without_growth_pass(filled: WebhookReplica) -> None:
    assert (await resize(filled, sized("1"), sized("9")))["allowed"]
    assert (await resize(filled, sized("9"), sized("9")))["allowed"]


async def test_a_shrunk_pod_may_grow_back_to_what_its_node_still_allocates(
    filled: WebhookReplica,
) -> None:
    held = holding("9")
    assert (await resize(filled, sized("9", status=held), sized("1", status=held)))["allowed"]


async def test_shrinking_and_growing_again_gains_nothing(filled: WebhookReplica) -> None:
    given_back = holding("1")
    response = await resize(filled, sized("9", status=given_back), sized("1", status=given_back))
    assert "needs 8 cpu more; quota 'a' has 4 of its" in response["status"]["message"]


FREE: dict[str, Document] = {
    "a pod of the default quota": {"label": ""},
    "a pod at our gate": {"schedulingGates": [{"name": names.GATE}]},
    "a finished pod": {"status": {"phase": "Succeeded"}},
}


@pytest.mark.parametrize("how", FREE.values(), ids=FREE)
async def test_other_pods_are_left_alone(filled: WebhookReplica, how: Document) -> None:
    response = await resize(filled, sized("99", **how), sized("1", **how))
    assert (response["allowed"], response.get("warnings")) == (True, None)


async def test_other_pod_edits_are_not_judged_as_resizes(filled: WebhookReplica) -> None:
    for question in (review(sized("99"), sized("1")), review(sized("99"))):
        assert (await filled.ask(PATH, question))["allowed"]


async def test_without_a_runtime_the_growth_passes_with_a_warning(webhook: WebhookReplica) -> None:
    webhook.fill(quota("a"))
    response = await resize(webhook, sized("9"), sized("1"))
    assert response["allowed"]
    assert response["warnings"] == [
        "the current share of quota 'a' is not known yet, so the growth was not judged. [PD1305]"
    ]


@pytest.mark.parametrize("status", [7, "x", [], {"runtime": 7}, {"runtime": {"cpu": "x"}}])
async def test_an_unreadable_status_refuses_no_pod(webhook: WebhookReplica, status: object) -> None:
    webhook.fill(quota("a") | {"status": status})
    assert (await resize(webhook, sized("9"), sized("1")))["allowed"]


async def test_until_the_caches_are_filled_the_failure_policy_decides(
    webhook: WebhookReplica,
) -> None:
    question = review(sized("2"), sized("1"), subResource="resize")
    code, text = await webhook.send(PATH, json.dumps(question))
    assert (code, text) == (503, "not ready: the quotas are still being read")
