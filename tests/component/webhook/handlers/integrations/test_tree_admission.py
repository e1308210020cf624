"""Reviews of ElasticQuotaTrees: all faults at once, and no second tree beside the first."""

from typing import Any

import pytest

import translations
from api_double import ApiDouble, Kind, refusals
from elasticquota_kube.client import paths
from webhook_fixture import WebhookReplica, review


PATH = "/validate/tree"
GOOD = {"name": "root", "children": [{"name": "a", "min": {"cpu": 1}, "namespaces": ["team"]}]}
BAD = {
    "name": "root",
    "children": [
        {"name": "a", "min": {"cpu": 2}, "max": {"cpu": 1}, "namespaces": ["team"]},
        {"name": "b", "namespaces": ["team"]},
    ],
}


@pytest.fixture(autouse=True)
def served(double: ApiDouble) -> None:
    double.serve(Kind(paths.TREES, "ElasticQuotaTree", status=True))


def stored(double: ApiDouble, name: str, **where: str) -> None:
    double.put(paths.TREES, translations.tree(GOOD, name, **where))


async def test_a_good_tree_passes(webhook: WebhookReplica) -> None:
    assert (await webhook.ask(PATH, review(translations.tree(GOOD))))["allowed"]
    stored(webhook.double, "elsewhere", namespace="team")
    assert (await webhook.ask(PATH, review(translations.tree(GOOD))))["allowed"]


async def test_a_bad_tree_is_refused_with_all_faults_and_their_paths(
    webhook: WebhookReplica,
) -> None:
    status = (await webhook.ask(PATH, review(translations.tree(BAD))))["status"]
    assert (status["code"], status["reason"]) == (422, "Invalid")
    assert [cause["field"] for cause in status["details"]["causes"]] == [
        "spec.root.children[0].min.cpu",
        "spec.root.children[1].namespaces",
    ]
    assert status["message"].startswith(
        "ElasticQuotaTree kube-system/tree: spec.root.children[0].min.cpu: 2 is above 1, the max "
    )


async def test_a_second_tree_is_refused_and_named_with_the_first(webhook: WebhookReplica) -> None:
    stored(webhook.double, "first")
    status = (await webhook.ask(PATH, review(translations.tree(GOOD, "second"))))["status"]
    assert "there is a tree in kube-system already, first, and one counts" in status["message"]
    bound = translations.tree(GOOD, "bound", profile="kube-system/gpu")
    assert (await webhook.ask(PATH, review(bound)))["allowed"]
    unbound = translations.tree(GOOD, "bound")
    assert not (await webhook.ask(PATH, review(unbound, bound)))["allowed"]


async def test_a_bad_tree_that_is_stored_may_be_edited_and_asks_for_no_other_tree(
    webhook: WebhookReplica,
) -> None:
    stored(webhook.double, "first")
    before = translations.tree(BAD, "second")
    repaired: Any = {**BAD, "children": [*BAD["children"][:1], {"name": "b"}]}
    after = translations.tree(repaired, "second")
    assert (await webhook.ask(PATH, review(after, before)))["allowed"]
    assert webhook.double.calls == []


async def test_without_the_api_server_a_second_tree_passes(webhook: WebhookReplica) -> None:
    stored(webhook.double, "first")
    webhook.double.faults.answer(refusals.throttled(60), times=9, path="/elasticquotatrees")
    assert (await webhook.ask(PATH, review(translations.tree(GOOD, "second"))))["allowed"]
    assert not (await webhook.ask(PATH, review(translations.tree(BAD, "second"))))["allowed"]


async def test_what_is_no_tree_is_refused_with_its_path(webhook: WebhookReplica) -> None:
    for root in (7, None, {"name": 7}, {"name": "r", "children": {"a": 1}}):
        response = await webhook.ask(PATH, review(translations.tree(root)))
        assert "spec.root" in response["status"]["message"], root
