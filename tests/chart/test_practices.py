"""Good practices for webhooks that a rendering shows, whatever the values.

They are listed in docs/contributing/webhook-practices.md. What single webhooks ask and how they
fail is in ``test_admission_objects.py``.
"""

import re
from collections.abc import Callable
from typing import Any

import pytest


Document = dict[str, Any]
Objects = dict[tuple[str, str], Document]
Render = Callable[..., Objects]

CONFIGURATIONS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
SETS: dict[str, tuple[str, ...]] = {
    "default": (),
    "strict about pods": ('webhook.pods.failurePolicy="Fail"',),
    "no namespace left out": ("config.systemNamespaces=[]", "webhook.pods.excludedNamespaces=[]"),
    "pods held by policy": ('podAdmission="policy"',),
    "other name": ('fullnameOverride="quotas"',),
}
HANDS_OFF = re.compile(
    r"\*|/status|/ephemeralcontainers|/binding|nodes|leases|events|tokenreviews|accessreviews"
    r"|certificatesigningrequests|webhookconfigurations|admissionpolic|services|endpoint"
)

every_set = pytest.mark.parametrize("values", SETS.values(), ids=SETS.keys())


def _webhooks(objects: Objects) -> list[Document]:
    return [
        webhook
        for (kind, _), document in objects.items()
        if kind in CONFIGURATIONS
        for webhook in document["webhooks"]
    ]


def _about_pods(objects: Objects) -> list[Document]:
    return [webhook for webhook in _webhooks(objects) if "pods" in str(webhook["rules"])]


@every_set
def test_each_configuration_is_found_by_its_labels(render: Render, values: tuple[str, ...]) -> None:
    objects = render(*values)
    for kind in CONFIGURATIONS:
        (found,) = (document for (each, _), document in objects.items() if each == kind)
        labels = found["metadata"]["labels"]
        assert labels["app.kubernetes.io/component"] == "webhook"
        assert labels["app.kubernetes.io/name"] == "elastic-quota-operator"
        for webhook in found["webhooks"]:
            assert webhook["name"].endswith(".elasticquota.dev")
            assert webhook["admissionReviewVersions"] == ["v1"]


@every_set
def test_no_webhook_looks_at_what_keeps_a_cluster_alive(
    render: Render, values: tuple[str, ...]
) -> None:
    """Node heartbeats, statuses and reviews of tokens come by the thousand when things go wrong."""
    for webhook in _webhooks(render(*values)):
        for rule in webhook["rules"]:
            assert not HANDS_OFF.search(str(rule)), webhook["name"]


@every_set
def test_every_timeout_is_small(render: Render, values: tuple[str, ...]) -> None:
    objects = render(*values)
    assert all(webhook["timeoutSeconds"] <= 10 for webhook in _webhooks(objects))
    assert all(webhook["timeoutSeconds"] <= 5 for webhook in _about_pods(objects))


@every_set
def test_pods_are_asked_about_by_namespace_and_by_condition(
    render: Render, values: tuple[str, ...]
) -> None:
    asked = _about_pods(render(*values))
    assert asked
    for webhook in asked:
        assert 1 <= len(webhook["matchConditions"]) <= 64
        (expression,) = webhook["namespaceSelector"]["matchExpressions"]
        # Not even by mistake does the webhook stand in the way of its own start.
        assert "elastic-quota-system" in expression["values"]


@every_set
def test_only_creations_are_changed_and_edits_that_leave_out_the_tree(
    render: Render, values: tuple[str, ...]
) -> None:
    """What adds what is missing, and asks for no more, cannot quarrel with a controller."""
    for (kind, _), document in render(*values).items():
        if kind == "MutatingWebhookConfiguration":
            changed = {
                webhook["name"]: [rule["operations"] for rule in webhook["rules"]]
                for webhook in document["webhooks"]
            }
            assert changed.pop("tree.elasticquota.dev") == [["UPDATE"]]
            assert changed.pop("profile.elasticquota.dev") == [["CREATE", "UPDATE"]]
            assert all(operations == [["CREATE"]] for operations in changed.values())


def test_namespaces_of_yours_can_be_left_out(render: Render) -> None:
    excluded = 'webhook.pods.excludedNamespaces=["kube-node-lease", "later"]'
    for webhook in _about_pods(render(excluded)):
        (expression,) = webhook["namespaceSelector"]["matchExpressions"]
        assert "later" in expression["values"]


def test_namespaces_can_be_taken_in_one_after_the_other(render: Render) -> None:
    for webhook in _about_pods(render('webhook.pods.onlyNamespaces=["first", "second"]')):
        left_out, taken_in = webhook["namespaceSelector"]["matchExpressions"]
        assert (left_out["operator"], taken_in["operator"]) == ("NotIn", "In")
        assert taken_in["values"] == ["first", "second"]


def test_the_notes_name_the_only_namespaces(helm: Callable[..., Any], chart: Any) -> None:
    dry = ("install", "eq", str(chart), "--dry-run=client")
    words = "Only pods of first, second are held"
    assert words in helm(*dry, "--set", "webhook.pods.onlyNamespaces={first,second}").stdout
    assert words not in helm(*dry).stdout


def test_everything_can_fail_open_for_the_first_days(render: Render) -> None:
    values = ('webhook.quotas.failurePolicy="Ignore"', 'webhook.pods.failurePolicy="Ignore"')
    for (kind, _), document in render(*values).items():
        if kind.endswith("WebhookConfiguration"):
            assert {each["failurePolicy"] for each in document["webhooks"]} == {"Ignore"}


def test_two_replicas_share_the_calls_behind_one_service(render: Render) -> None:
    objects = render()
    deployment = objects["Deployment", "elastic-quota-webhook"]["spec"]
    service = objects["Service", "elastic-quota-webhook"]["spec"]
    assert deployment["replicas"] >= 2
    assert service["type"] == "ClusterIP"
    labels = deployment["template"]["metadata"]["labels"]
    assert service["selector"].items() <= labels.items()
    # The replicas need no leader: the Lease is the controller's.
    assert "leases" not in str(objects["Role", "elastic-quota-webhook"]["rules"])


def test_the_notes_say_what_happens_to_pods_when_no_webhook_answers(
    helm: Callable[..., Any], chart: Any
) -> None:
    dry = ("install", "eq", str(chart), "--dry-run=client", "--set", "podAdmission=webhook")
    words = "When no webhook answers, new pods start without waiting"
    assert words in helm(*dry).stdout
    assert words not in helm(*dry, "--set", "webhook.pods.failurePolicy=Fail").stdout
