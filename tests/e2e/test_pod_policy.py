"""The API server itself holds new pods: they wait for their quota, never for our processes."""

from collections.abc import Callable
from functools import partial

import pytest

import namespaces
import policies
import tenants
from installation import (
    BY_POLICY,
    CONTROLLER,
    CONTROLLER_USER,
    NAMESPACE,
    WEBHOOK,
    Installation,
)
from scenes import GATE, PREFIX, Pool, condition, gates, refusal
from users import Document, User
from waiting import eventually


pytestmark = [pytest.mark.cluster, BY_POLICY]

LABEL = "elasticquota.dev/quota"


def mark(pool: Pool, namespace: str = "") -> str | None:
    """The quota that the label of the namespace names."""
    labels = pool.admin.get("Namespace", namespace or pool.namespace)["metadata"]["labels"]
    found: str | None = labels.get(LABEL)
    return found


@pytest.fixture
def bound(pool: Pool) -> Pool:
    """The quota team, of 2 cpu, binds the namespace, and the API server knows it."""
    here = {f"{PREFIX}namespaces": f'["{pool.namespace}"]'}
    pool.quota("team", min=2, max=2, annotations=here)
    eventually(partial(mark, pool), pool.name("team"))
    trial = pool.pod_manifest("trial", None)
    eventually(lambda: gates(pool.admin.create(trial, dry_run=True)), [GATE])
    return pool


def test_no_webhook_is_asked_about_pods(pool: Pool) -> None:
    asked = pool.admin.get("MutatingWebhookConfiguration", WEBHOOK)["webhooks"]
    assert [webhook["name"] for webhook in asked] == [
        "quota.elasticquota.dev",
        "tree.elasticquota.dev",
        "profile.elasticquota.dev",
    ]


def test_pods_made_while_the_operator_is_down_wait_and_then_run_in_their_tree(
    bound: Pool, new_pool: Callable[..., Pool], product: Installation
) -> None:
    other = new_pool(nodes=2, cpu=8)
    with product.without(CONTROLLER, WEBHOOK):
        named = bound.pods("team", 2, prefix="named")
        silent = [bound.pod(f"silent-{n}", None)["metadata"]["name"] for n in range(2)]
        for name in (*named, *silent):
            pod = bound.get_pod(name)
            assert gates(pod) == [GATE]
            assert pod["metadata"]["labels"][f"{PREFIX}name"] == bound.name("team")
            assert "affinity" not in pod["spec"]
    eventually(lambda: (len(bound.running("team")), len(bound.gated("team"))), (2, 2), within=30)
    on = {bound.get_pod(name)["spec"]["nodeName"] for name in bound.running("team")}
    assert on <= bound.nodes()
    assert not on & other.nodes()
    bound.delete_pods(*bound.running("team"))
    eventually(lambda: (len(bound.running("team")), len(bound.gated("team"))), (2, 0))


def test_the_nodes_of_the_tree_go_into_every_alternative_at_release(bound: Pool) -> None:
    name = "kubernetes.io/hostname"
    own = {"key": name, "operator": "In", "values": sorted(bound.nodes())}
    bound.pod("picky", None, affinity=required({}, {"matchExpressions": [own]}))
    eventually(lambda: bound.running("team"), {"picky"})
    tree = {"key": "pool", "operator": "In", "values": [bound.namespace]}
    assert bound.get_pod("picky")["spec"]["affinity"] == required(
        {}, {"matchExpressions": [own, tree]}
    )


def required(*terms: Document) -> Document:
    return {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}
        }
    }


def test_what_other_controllers_wrote_on_the_pod_stays(bound: Pool) -> None:
    foreign = {"name": "example.com/other"}
    pod = bound.pod("held", None, schedulingGates=[foreign], labels={"app": "x"})
    assert gates(pod) == ["example.com/other", GATE]
    assert pod["metadata"]["labels"] == {"app": "x", f"{PREFIX}name": bound.name("team")}
    both = bound.pod("twice", "team", schedulingGates=[{"name": GATE}])
    assert gates(both) == [GATE]


def test_pods_that_no_quota_governs_are_not_held(bound: Pool) -> None:
    node = min(bound.nodes())
    assert gates(bound.pod("placed", None, nodeName=node)) == []
    free = namespaces.new(bound.admin)
    default = {f"{PREFIX}name": "koordinator-default-quota"}
    assert gates(bound.pod("default", None, namespace=free, labels=default)) == []
    stray = bound.pod("free", None, namespace=free)
    assert gates(stray) == []
    assert "labels" not in stray["metadata"]
    named = bound.pod("named", "team", namespace=free)
    assert gates(named) == [GATE]
    past = bound.pod(bound.name("system"), "team", namespace="kube-node-lease")
    assert gates(past) == []
    bound.admin.delete("Pod", bound.name("system"), "kube-node-lease", grace=0)
    bound.admin.delete("Namespace", free)


def test_a_max_of_the_default_quota_holds_pods_without_a_quota(pool: Pool, admin: User) -> None:
    with tenants.default_quota(admin, pool.quota_manifest("default", max=0)) as name:
        eventually(partial(mark, pool), name)
        trial = pool.pod_manifest("trial", None)
        eventually(lambda: gates(pool.admin.create(trial, dry_run=True)), [GATE])
        for number in range(2):
            pool.pod(f"wild-{number}", None)
        eventually(lambda: pool.events("wild-0").keys(), lambda found: "QuotaWait" in found)
        assert len(pool.gated()) == 2
        admin.patch("ElasticQuota", name, NAMESPACE, change={"spec": {"max": None}})
        eventually(lambda: len(pool.running()), 2)
    eventually(partial(mark, pool), None)


@pytest.mark.parametrize(
    "name", ["koordinator-default-quota", "koordinator-root-quota", "koordinator-system-quota"]
)
def test_no_pod_leaves_the_quota_of_its_namespace_by_a_reserved_name(
    bound: Pool, name: str
) -> None:
    manifest = bound.pod_manifest("sly", None, labels={f"{PREFIX}name": name})
    refused = refusal(lambda: bound.admin.create(manifest))
    assert refused.code == 403
    assert refused.message == (
        policies.refusal("bound-pods", 'pods "sly"')
        + f"metadata.labels[{PREFIX}name]: pods of namespace '{bound.namespace}' belong to quota "
        f"'{bound.name('team')}' and must not leave it for '{name}'. Leave the label out. [PD1307]"
    )


def test_an_empty_quota_label_does_not_bypass_the_gate(bound: Pool) -> None:
    assert gates(bound.pod("sly", None, labels={f"{PREFIX}name": ""})) == [GATE]
    eventually(lambda: "sly" in bound.running(), bool)


def test_a_pod_that_bypassed_the_policy_counts_in_the_quota_of_its_namespace(
    bound: Pool,
) -> None:
    """A pod created before the namespace was bound holds two cpu, so none is left."""
    free = namespaces.new(bound.admin)
    default = {f"{PREFIX}name": "koordinator-default-quota"}
    bound.pod("early", None, cpu=2, namespace=free, labels=default)
    here = {f"{PREFIX}namespaces": f'["{free}"]'}
    bound.quota("late", min=2, max=2, annotations=here)
    eventually(lambda: bound.status("late").get("used", {}).get("cpu"), "2")
    bound.admin.delete("Namespace", free)


def test_a_pod_of_another_namespace_waits_in_a_quota_that_binds_its_own_and_says_so(
    bound: Pool,
) -> None:
    free = namespaces.new(bound.admin)
    assert gates(bound.pod("stray", "team", namespace=free)) == [GATE]
    told = eventually(
        lambda: condition(bound.admin.get("Pod", "stray", free), "PodScheduled").get("message", ""),
        lambda text: "[PD1307]" in text,
    )
    assert f"'{bound.name('team')}' accepts no pods from namespace '{free}'" in told
    bound.admin.delete("Namespace", free)


def test_pods_of_a_daemon_set_start_at_once(bound: Pool, admin: User) -> None:
    template = bound.pod_manifest("agent", None, labels={"app": "agent"})
    template["spec"]["nodeSelector"] = {"pool": bound.namespace}
    admin.create(
        {
            "apiVersion": "apps/v1",
            "kind": "DaemonSet",
            "metadata": {"name": "agent", "namespace": bound.namespace},
            "spec": {
                "selector": {"matchLabels": {"app": "agent"}},
                "template": {
                    "metadata": {"labels": {"app": "agent"}},
                    "spec": template["spec"],
                },
            },
        }
    )
    eventually(lambda: len(bound.running()), 2)
    labels = [
        pod["metadata"]["labels"]
        for pod in admin.list("Pod", bound.namespace, labelSelector="app=agent")
    ]
    assert not any(f"{PREFIX}name" in found for found in labels)


def test_a_pod_in_a_parent_quota_waits_and_says_so(pool: Pool) -> None:
    pool.department("dept", min=2, max=4)
    pool.pod("misplaced", "dept")
    said = (
        f"Waiting for quota {pool.name('dept')}: '{pool.name('dept')}' is a parent quota, which "
        "holds quotas and no pods. Name one of its leaf quotas [PD1301]. "
    )
    eventually(
        lambda: condition(pool.get_pod("misplaced"), "PodScheduled")["message"],
        lambda message: message.startswith(said) and message.endswith("[QuotaNotAccepted]"),
    )
    pool.quota("team", min=1, parent="dept")
    change = {"metadata": {"labels": {f"{PREFIX}name": pool.name("team")}}}
    pool.admin.patch("Pod", "misplaced", pool.namespace, change=change)
    eventually(lambda: pool.running("team"), {"misplaced"})


def test_a_namespace_has_the_label_of_its_quota_until_the_quota_goes(bound: Pool) -> None:
    bound.admin.delete("ElasticQuota", bound.name("team"), bound.namespace)
    eventually(partial(mark, bound), None)
    free = bound.pod_manifest("free", None)
    eventually(lambda: gates(bound.admin.create(free, dry_run=True)), [])


@pytest.mark.parametrize("forged", ["of-somebody-else", "", None])
def test_a_forged_label_of_a_namespace_is_corrected(bound: Pool, forged: str | None) -> None:
    change = {"metadata": {"labels": {LABEL: forged}}}
    bound.admin.patch("Namespace", bound.namespace, change=change)
    eventually(partial(mark, bound), bound.name("team"))


def test_a_label_that_was_lost_while_the_operator_was_down_is_written_again(
    bound: Pool, product: Installation
) -> None:
    with product.without(CONTROLLER):
        bound.admin.patch(
            "Namespace", bound.namespace, change={"metadata": {"labels": {LABEL: None}}}
        )
    eventually(partial(mark, bound), bound.name("team"), within=30)


@pytest.mark.parametrize(
    "change",
    [
        {"labels": {"pod-security.kubernetes.io/enforce": "privileged"}},
        {"labels": {"team": "other"}},
        {"labels": {"team": None}},
        {"annotations": {"a": "b"}},
        {"finalizers": ["example.com/hold"]},
    ],
    ids=["new label", "label", "label gone", "annotation", "finalizer"],
)
def test_the_controller_may_write_nothing_else_on_a_namespace(
    pool: Pool, admin: User, change: Document
) -> None:
    pool.admin.patch("Namespace", pool.namespace, change={"metadata": {"labels": {"team": "red"}}})

    def write(user: User) -> Document:
        return user.patch("Namespace", pool.namespace, change={"metadata": change}, dry_run=True)

    write(admin)
    with tenants.speaking_as(admin, CONTROLLER_USER) as controller:
        refused = refusal(lambda: write(controller))
    assert "ValidatingAdmissionPolicy 'elastic-quota-namespace-labels'" in refused.message
