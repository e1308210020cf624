"""Reviews of YuniKorn's ConfigMap and of namespaces' annotations: all faults at once."""

import pytest

from elasticquota_webhooks.reviews import replies
from webhook_fixture import Document, WebhookReplica, review


QUEUES = "/validate/queues"
NAMESPACE = "/validate/namespace"
QUOTA = "yunikorn.apache.org/namespace.quota"
GUARANTEED = "yunikorn.apache.org/namespace.guaranteed"
GOOD = """
partitions:
  - name: default
    queues:
      - name: root
        submitacl: '*'
        queues:
          - name: sandbox
            resources: {guaranteed: {memory: 100G, vcore: 10}, max: {memory: 100G, vcore: 10}}
"""


def config(text: str, name: str = "yunikorn-configs", **labels: str) -> Document:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "yunikorn", "labels": labels},
        "data": {"queues.yaml": text},
    }


def space(**annotations: str) -> Document:
    keys = {key.replace("_", "."): value for key, value in annotations.items()}
    found = {f"yunikorn.apache.org/{key}": value for key, value in keys.items()}
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": "team", "annotations": found},
    }


async def test_a_good_configuration_passes(webhook: WebhookReplica) -> None:
    assert (await webhook.ask(QUEUES, review(config(GOOD))))["allowed"]


async def test_a_bad_configuration_is_refused_with_all_faults_and_their_paths(
    webhook: WebhookReplica,
) -> None:
    bad = GOOD.replace("max: {memory: 100G", "max: {memory: much").replace("submitacl", "submitacI")
    response = await webhook.ask(QUEUES, review(config(bad)))
    root = "partitions[0].queues[0]"
    field, name = f"{root}.submitacI", f"{root}.queues[0].resources.max.memory"
    quantity = (
        "'much' is not a quantity; write a number with an optional suffix like 500m, 2, 1.5, 64k "
        "or 16Gi"
    )
    assert response["status"] == {
        "code": 422,
        "reason": "Invalid",
        "message": (
            f"ConfigMap yunikorn/yunikorn-configs: {field}: is no field of a queue; {name}: "
            f"{quantity}"
        ),
        "details": {
            "name": "yunikorn-configs",
            "kind": "ConfigMap",
            "causes": [
                {
                    "reason": "FieldValueInvalid",
                    "field": field,
                    "message": "is no field of a queue",
                },
                {"reason": "FieldValueInvalid", "field": name, "message": quantity},
            ],
        },
    }


async def test_very_many_faults_are_cut_and_counted(webhook: WebhookReplica) -> None:
    queues = ", ".join("{name: a b}" for _ in range(60))
    bad = f"partitions: [{{queues: [{{name: root, queues: [{queues}]}}]}}]"
    response = await webhook.ask(QUEUES, review(config(bad)))
    causes = response["status"]["details"]["causes"]
    assert len(causes) == replies.MOST_FAULTS + 1
    assert causes[-1]["message"] == "and 69 more", "59 of the names are there already too"


async def test_an_edit_that_does_not_change_the_text_passes(webhook: WebhookReplica) -> None:
    broken = config("a: [")
    question = review(config("a: [", team="batch"), broken)
    assert (await webhook.ask(QUEUES, question))["allowed"]
    assert not (await webhook.ask(QUEUES, review(config("b: ["), broken)))["allowed"]


async def test_no_other_configmap_is_judged(webhook: WebhookReplica) -> None:
    assert (await webhook.ask(QUEUES, review(config("a: [", "mine"))))["allowed"]


async def test_a_text_of_thousands_of_queues_is_judged_like_any_other(
    webhook: WebhookReplica,
) -> None:
    resources = "{guaranteed: {memory: 1G, vcore: 1}, max: {memory: 1G, vcore: 1}}"
    queues = "\n".join(f"    - {{name: q{n}, resources: {resources}}}" for n in range(3000))
    text = f"partitions:\n- name: default\n  queues:\n  - name: root\n    queues:\n{queues}\n"
    assert (await webhook.ask(QUEUES, review(config(text))))["allowed"]
    bad = text.replace("q2999", "q2998")
    response = await webhook.ask(QUEUES, review(config(bad)))
    (cause,) = response["status"]["details"]["causes"]
    assert cause["field"] == "partitions[0].queues[0].queues[2999].name"


async def test_malformed_annotations_are_refused(webhook: WebhookReplica) -> None:
    response = await webhook.ask(NAMESPACE, review(space(namespace_quota='{"cpu": "64"')))
    assert response["status"]["code"] == 422
    assert response["status"]["message"] == (
        f"Namespace team: metadata.annotations[{QUOTA}]: must be a JSON map like "
        '{"cpu": "4"}, got \'{"cpu": "64"\''
    )


@pytest.mark.parametrize(
    ("before", "after", "allowed"),
    [
        ({"namespace_quota": "{"}, {"namespace_quota": "{", "parentqueue": "a"}, True),
        ({"namespace_quota": "{"}, {"namespace_quota": "{", "namespace_guaranteed": "["}, False),
        ({"namespace_quota": "{"}, {"namespace_quota": '{"cpu": 1}'}, True),
        ({}, {"namespace_quota": '{"cpu": "64", "nvidia.com/gpu": "1"}'}, True),
        ({}, {"namespace_max_cpu": "much"}, False),
    ],
)
async def test_an_old_fault_blocks_no_edit_that_leaves_it_alone(
    webhook: WebhookReplica, before: dict[str, str], after: dict[str, str], allowed: bool
) -> None:
    response = await webhook.ask(NAMESPACE, review(space(**after), space(**before)))
    assert response["allowed"] == allowed


async def test_a_malformed_configmap_is_refused(webhook: WebhookReplica) -> None:
    question = review({**config(GOOD), "data": {"queues.yaml": 5}})
    response = await webhook.ask(QUEUES, question)
    assert response["status"]["code"] == 400
