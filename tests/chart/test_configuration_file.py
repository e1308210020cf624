"""The configuration file that the chart writes is the one that the processes read."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from elasticquota.structs import replace
from elasticquota_config import model
from elasticquota_config.fields import section


Document = dict[str, Any]
Render = Callable[..., dict[tuple[str, str], Document]]


def _read(render: Render, *values: str, release: str = "elastic-quota") -> model.Configuration:
    objects = render(*values, release=release)
    return model.parse(objects["ConfigMap", f"{release}-config"]["data"]["config.yaml"])


def test_the_defaults_of_the_chart_are_the_defaults_of_the_code(render: Render) -> None:
    user = "system:serviceaccount:elastic-quota-system:elastic-quota-controller"
    read = replace(_read(render), policies=())
    assert read == model.Configuration(controller_user=user)


EVERY_POLICY = (
    'podAdmission="policy"',
    "dialects.jobs=true",
    "dialects.ack=true",
    'policy.preemption="deny"',
)


@pytest.mark.parametrize(
    "values",
    [
        (),
        EVERY_POLICY,
        ("dialects.yunikorn=true",),
        ('podAdmission="webhook"', 'policy.preemption="off"'),
        ('policy.disabled=["PD1303", "EQ1108"]', "policy.definitions=false", "dialects.jobs=true"),
    ],
    ids=["as installed", "all", "yunikorn", "webhook", "disabled"],
)
def test_the_file_lists_exactly_the_policies_that_the_release_makes(
    render: Render, values: tuple[str, ...]
) -> None:
    listed: dict[tuple[str, str], tuple[str, tuple[str, ...]]] = {}
    for each in _read(render, *values, release="mine").installed_policies():
        listed[each.kind, each.name] = ("", ())
        listed[each.binding_kind, each.binding] = (each.name, each.actions)
    made = {
        (kind, name): (
            found["spec"].get("policyName", ""),
            tuple(found["spec"].get("validationActions", ())),
        )
        for (kind, name), found in render(*values, release="mine").items()
        if "AdmissionPolicy" in kind
    }
    assert listed == made


def test_each_file_of_a_policy_is_rendered_by_some_of_these_values(
    render: Render, chart: Path
) -> None:
    """So that a new policy is in the list, or a test fails."""
    short = {
        path.stem.removesuffix("-policy").removesuffix("-mutation")
        for path in (chart / "templates" / "policy").glob("*.yaml")
    }
    listed = {
        each.name.removeprefix("elastic-quota-")
        for values in (EVERY_POLICY, ("dialects.yunikorn=true",))
        for each in _read(render, *values).installed_policies()
    }
    assert listed == short


def test_what_pods_say_of_their_creators_counts_only_while_the_policy_about_it_is_installed(
    render: Render,
) -> None:
    followed = "dialects.yunikorn=true"
    assert _read(render, followed).what_counts().knows_creators
    for values in ((), (followed, 'policy.disabled=["EQ1108"]')):
        assert not _read(render, *values).what_counts().knows_creators


def test_every_setting_reaches_the_file(render: Render) -> None:
    accounting = {
        "defaultQuota": False,
        "ignoreOverhead": True,
        "ignoreTerminating": "afterGrace",
    }
    rules = {
        "profile": "strict",
        "trees": {"4711": "ack"},
        "overrides": {"PD1301": "off", "PD1306": "warn"},
    }
    admission = {
        "headOfLineSeconds": 7,
        "unschedulableTimeoutSeconds": 8,
        "refuseAtCreation": True,
    }
    reclaim = {
        "graceSeconds": 1,
        "delaySeconds": 3,
        "fairShare": False,
        "fairShareTrees": {"4711": True},
        "fairShareDialects": {"ack": False, "capacity": True, "yunikorn": False},
        "minRuntimeSeconds": 2,
        "evictionsPerSecond": 4,
        "maxGraceSeconds": 9,
        "brakePercent": 50,
        "deleteAfterSeconds": 5,
        "paused": True,
    }
    adapter = {
        "group": "example.com",
        "versions": ["v1"],
        "kind": "Solver",
        "plural": "solvers",
        "pods": [{"template": "spec.template", "missing": 2}],
    }
    jobs = {
        "startTimeoutSeconds": 30,
        "backoffSeconds": 20,
        "stopTimeoutSeconds": 10,
        "externalQueueLabels": ["example.com/queue"],
        "adapters": [adapter],
    }
    lease = {"durationSeconds": 9, "renewSeconds": 6, "retrySeconds": 1}
    logging = {"format": "text", "level": "debug"}
    read = _read(
        render,
        'config.mode="observe"',
        'config.defaultTree.mode="enforce"',
        'config.systemNamespaces=["kube-system", "ingress"]',
        f"config.accounting={json.dumps(accounting)}",
        "config.compatAnnotations=false",
        "config.compatMessages=true",
        "config.compatMetrics=true",
        "config.besideKoordinator=true",
        "config.sharing.runtime=false",
        "config.sharing.scaleMin=false",
        "config.defaultTree.guaranteeUsage=true",
        'config.defaultTree.childNamespaces=["plans"]',
        f"config.rules={json.dumps(rules)}",
        'podAdmission="policy"',
        'dialects.yunikornNamespace="batch"',
        f"config.admission={json.dumps(admission)}",
        f"config.reclaim={json.dumps(reclaim)}",
        f"config.jobs={json.dumps(jobs)}",
        f"config.lease={json.dumps(lease)}",
        f"config.logging={json.dumps(logging)}",
        "config.guaranteeUsage=true",
        "controller.port=8000",
        "webhook.port=8443",
        "webhook.healthPort=8001",
    )
    assert read.system_namespaces == ("kube-system", "ingress")
    assert section.plain(read.accounting) == accounting
    assert (read.mode, read.default_tree.mode) == ("observe", "enforce")
    assert read.default_tree.guarantee_usage
    assert read.guarantee_usage
    assert read.beside_koordinator
    assert (read.sharing.runtime, read.sharing.scale_min) == (False, False)
    assert read.default_tree.child_namespaces == ("plans",)
    assert section.plain(read.rules) == rules
    assert read.pod_admission == "policy"
    assert read.dialects.yunikorn_namespace == "batch"
    assert (read.compat_annotations, read.compat_messages, read.compat_metrics) == (
        False,
        True,
        True,
    )
    assert section.plain(read.admission) == admission
    assert section.plain(read.reclaim) == reclaim
    assert (read.jobs.start_timeout_seconds, read.jobs.backoff_seconds) == (30, 20)
    (row,) = read.jobs.rows()
    assert (row.identity, row.pods[0].missing) == (("example.com", "Solver"), 2)
    assert section.plain(read.lease) == {"name": read.lease.name, **lease}
    assert section.plain(read.logging) == logging
    assert read.controller.port == 8000
    assert (read.webhook.port, read.webhook.health_port) == (8443, 8001)


def test_an_empty_list_of_system_namespaces_is_kept(render: Render) -> None:
    assert _read(render, "config.systemNamespaces=[]").system_namespaces == ()


def test_the_file_names_the_objects_of_its_own_release(render: Render) -> None:
    objects = render(release="mine")
    read = _read(render, release="mine")
    assert ("Service", read.webhook.service) in objects
    assert ("MutatingWebhookConfiguration", read.webhook.configuration) in objects
    assert ("ValidatingWebhookConfiguration", read.webhook.configuration) in objects
    assert read.lease.name in str(objects["Role", "mine-controller"]["rules"])
    assert read.webhook.ca_secret in str(objects["Role", "mine-webhook"]["rules"])
    assert read.controller_user == "system:serviceaccount:elastic-quota-system:mine-controller"
