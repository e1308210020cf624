"""Each process may do what it does and nothing else; these tables are all of its rights."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from elasticquota.jobs.kinds import table
from elasticquota.reporting import kinds


Document = dict[str, Any]
Render = Callable[..., dict[tuple[str, str], Document]]
Rights = dict[tuple[str, str, str], set[str]]

OWNERS: Rights = {
    (kind.group, served.plural, ""): {"get"}
    for kind, served in kinds.table(table.table()).items()
    if kind != kinds.POD
}
"""The kinds of objects that own pods; of pods there are other rights."""

DENYING = (
    "bound-pods",
    "controller-pods",
    "definitions",
    "equal-keys",
    "force",
    "gate",
    "kept",
    "marks",
    "namespaces",
    "node-name",
    "object-size",
    "placing",
    "pod-labels",
    "pod-size",
    "reserved",
    "root-labels",
    "system-pods",
    "tree",
)
WARNING = ("preemption", "schedulers")
ADMISSION = "admissionregistration.k8s.io"


def _of_policies(kind: str, names: Iterable[str], bindings: Iterable[str]) -> Rights:
    policies = (ADMISSION, f"{kind}admissionpolicies"), names
    bound = (ADMISSION, f"{kind}admissionpolicybindings"), bindings
    return {
        (*resource, f"elastic-quota-{name}"): {"get"}
        for resource, found in (policies, bound)
        for name in found
    }


EVERYWHERE: dict[str, Rights] = {
    "elastic-quota-controller": {
        ("", "nodes", ""): {"list", "watch"},
        ("", "namespaces", ""): {"list", "watch"},
        ("", "pods", ""): {"get", "list", "watch", "patch", "delete"},
        ("", "pods/status", ""): {"patch"},
        ("", "pods/eviction", ""): {"create"},
        ("policy", "poddisruptionbudgets", ""): {"list"},
        ("scheduling.sigs.k8s.io", "elasticquotas", ""): {
            "get",
            "list",
            "watch",
            "create",
            "patch",
            "delete",
        },
        ("scheduling.sigs.k8s.io", "elasticquotas/status", ""): {"patch"},
        ("quota.koordinator.sh", "elasticquotaprofiles", ""): {"get", "list", "watch", "patch"},
        ("quota.koordinator.sh", "elasticquotaprofiles/status", ""): {"patch"},
        ("events.k8s.io", "events", ""): {"create"},
        ("", "events", ""): {"patch"},
        **OWNERS,
        **_of_policies(
            "validating",
            (*DENYING, *WARNING),
            (*DENYING, *(f"{name}-warning" for name in WARNING)),
        ),
        ("resource.k8s.io", "deviceclasses", ""): {"list", "watch"},
        ("resource.k8s.io", "resourceclaims", ""): {"list", "watch"},
        ("resource.k8s.io", "resourceclaimtemplates", ""): {"list", "watch"},
        ("resource.k8s.io", "resourceslices", ""): {"list", "watch"},
    },
    "elastic-quota-webhook": {
        ("scheduling.sigs.k8s.io", "elasticquotas", ""): {"list", "watch"},
        ("quota.koordinator.sh", "elasticquotaprofiles", ""): {"list", "watch"},
        ("", "namespaces", ""): {"get", "list", "watch"},
        ("authorization.k8s.io", "subjectaccessreviews", ""): {"create"},
        ("", "pods", ""): {"list"},
        ("", "nodes", ""): {"list"},
        (
            "admissionregistration.k8s.io",
            "mutatingwebhookconfigurations",
            "elastic-quota-webhook",
        ): {"get", "patch"},
        (
            "admissionregistration.k8s.io",
            "validatingwebhookconfigurations",
            "elastic-quota-webhook",
        ): {"get", "patch"},
    },
}

AT_HOME: dict[str, Rights] = {
    "elastic-quota-controller": {
        ("coordination.k8s.io", "leases", ""): {"create"},
        ("coordination.k8s.io", "leases", "elastic-quota-controller"): {"get", "update"},
    },
    "elastic-quota-webhook": {
        ("", "secrets", "elastic-quota-webhook-ca"): {"get", "update"},
    },
}

both = pytest.mark.parametrize("account", ["elastic-quota-controller", "elastic-quota-webhook"])


def _rights(role: Document) -> Rights:
    rights: Rights = {}
    for rule in role["rules"]:
        for group in rule["apiGroups"]:
            for resource in rule["resources"]:
                for name in rule.get("resourceNames", [""]):
                    rights.setdefault((group, resource, name), set()).update(rule["verbs"])
    return rights


@both
def test_rights_in_the_whole_cluster_are_the_least(render: Render, account: str) -> None:
    assert _rights(render()["ClusterRole", account]) == EVERYWHERE[account]


@both
def test_rights_at_home_are_the_least(render: Render, account: str) -> None:
    assert _rights(render()["Role", account]) == AT_HOME[account]


def test_pods_are_deleted_only_where_budgets_may_be_overruled(render: Render) -> None:
    role = render("config.reclaim.deleteAfterSeconds=0")["ClusterRole", "elastic-quota-controller"]
    least = EVERYWHERE["elastic-quota-controller"]
    pods = ("", "pods", "")
    assert _rights(role) == {**least, pods: {*least[pods]} - {"delete"}}


def test_labels_of_namespaces_are_written_only_where_a_policy_goes_by_them(render: Render) -> None:
    role = render('podAdmission="policy"')["ClusterRole", "elastic-quota-controller"]
    least = EVERYWHERE["elastic-quota-controller"]
    namespaces = ("", "namespaces", "")
    more = _of_policies("validating", ["namespace-labels"], ["namespace-labels"]) | _of_policies(
        "mutating", ["gate"], ["gate"]
    )
    assert _rights(role) == {**least, **more, namespaces: {*least[namespaces], "patch"}}


def test_no_policy_that_the_values_switch_off_may_be_read(render: Render) -> None:
    values = ('policy.disabled=["PD1303"]', "policy.controllerPods=false")
    role = render(*values)["ClusterRole", "elastic-quota-controller"]
    gone = set(EVERYWHERE["elastic-quota-controller"]) - set(_rights(role))
    assert gone == set(
        _of_policies("validating", ["gate", "controller-pods"], ["gate", "controller-pods"])
    )


def test_no_role_has_a_wildcard(render: Render) -> None:
    for (kind, name), document in render().items():
        if kind in {"Role", "ClusterRole"}:
            for rule in document["rules"]:
                assert "*" not in str(rule), name


@both
def test_the_token_is_mounted_in_the_pod_that_uses_it_only(render: Render, account: str) -> None:
    objects = render()
    assert objects["ServiceAccount", account]["automountServiceAccountToken"] is False
    pod = objects["Deployment", account]["spec"]["template"]["spec"]
    assert pod["serviceAccountName"] == account
    assert pod["automountServiceAccountToken"] is True


def test_who_views_a_namespace_sees_its_quotas_unless_switched_off(render: Render) -> None:
    label = "rbac.authorization.k8s.io/aggregate-to-view"
    role = render()["ClusterRole", "elastic-quota-view"]
    assert role["metadata"]["labels"][label] == "true"
    assert {verb for verbs in _rights(role).values() for verb in verbs} == {"get", "list", "watch"}
    off = render("rbac.aggregateToView=false")["ClusterRole", "elastic-quota-view"]
    assert label not in off["metadata"]["labels"]


def test_who_is_admin_of_a_namespace_writes_its_quotas_only_when_switched_on(
    render: Render,
) -> None:
    label = "rbac.authorization.k8s.io/aggregate-to-admin"
    role = render()["ClusterRole", "elastic-quota-admin"]
    assert label not in role["metadata"]["labels"]
    assert not any("/status" in resource for _, resource, _ in _rights(role))
    on = render("rbac.aggregateToAdmin=true")["ClusterRole", "elastic-quota-admin"]
    assert on["metadata"]["labels"][label] == "true"


def test_only_where_yunikorn_is_followed_the_webhook_reads_priority_classes(render: Render) -> None:
    role = render("dialects.yunikorn=true")["ClusterRole", "elastic-quota-webhook"]
    classes = ("scheduling.k8s.io", "priorityclasses", "")
    assert _rights(role) == {**EVERYWHERE["elastic-quota-webhook"], classes: {"list", "watch"}}
