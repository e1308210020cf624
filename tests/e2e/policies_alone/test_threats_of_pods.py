"""What a malicious tenant tries with its pods while no webhook runs: the policies alone refuse it.

Named after the threats of docs/threats.md.
"""

from typing import Any

import pytest

import policies
import served
import tenants
from scenes import GATE, PREFIX, Pool, gates, refusal
from users import Document, User
from waiting import eventually


pytestmark = pytest.mark.cluster

QUOTA = f"{PREFIX}name"
PREEMPTIBLE = f"{PREFIX}preemptible"
RESIZED = {
    "name": "main",
    "image": "registry.example/main:1",
    "resources": {"requests": {"cpu": "2"}},
}


def test_s01_a_tenant_cannot_move_its_running_pod_to_another_quota(
    home: Pool, planner: User, settled: str
) -> None:
    change = {"metadata": {"labels": {QUOTA: home.name("other")}}}
    refused = refusal(lambda: planner.patch("Pod", settled, home.namespace, change=change))
    assert refused.code == 403
    assert refused.message == (
        policies.refusal("pod-labels", f'pods "{settled}"')
        + f"metadata.labels[{QUOTA}] must not change from '{home.name('team')}' to "
        f"'{home.name('other')}' after the pod was admitted: it uses the room of its first quota. "
        "Delete the pod and create it again with the other label. [PD1302]"
    )


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ({QUOTA: None}, f"metadata.labels[{QUOTA}] must not be removed after"),
        ({PREEMPTIBLE: "false"}, f"metadata.labels[{PREEMPTIBLE}] must not be added after"),
    ],
    ids=["out of every quota", "not preemptible any more"],
)
def test_s01_a_tenant_cannot_change_what_its_running_pod_was_admitted_as(
    home: Pool, planner: User, settled: str, labels: Document, said: str
) -> None:
    change = {"metadata": {"labels": labels}}
    refused = refusal(lambda: planner.patch("Pod", settled, home.namespace, change=change))
    assert said in refused.message


@pytest.mark.parametrize(
    ("subresource", "spec"),
    [
        pytest.param("resize", {"containers": [RESIZED]}, id="resize", marks=served.since(33)),
        pytest.param("ephemeralcontainers", {"ephemeralContainers": []}, id="ephemeral containers"),
    ],
)
def test_s01_no_subresource_changes_the_quota_of_a_pod(
    home: Pool, admin: User, subresource: str, spec: Document
) -> None:
    """The API server changes only a subresource's own fields, so no policy needs to check them."""
    home.pod("nowhere", "team", nodeSelector={"pool": "nowhere"})
    change = {"metadata": {"labels": {QUOTA: home.name("other")}}, "spec": spec}
    admin.patch("Pod", "nowhere", home.namespace, change=change, subresource=subresource)
    assert home.get_pod("nowhere")["metadata"]["labels"][QUOTA] == home.name("team")
    home.delete_pods("nowhere")


def test_s01_a_pod_that_still_waits_may_move_to_another_quota(home: Pool, planner: User) -> None:
    waiting = [{"name": "example.com/other"}, {"name": GATE}]
    planner.create(home.pod_manifest("waiting", "team", schedulingGates=waiting))
    change = {"metadata": {"labels": {QUOTA: home.name("other")}}}
    planner.patch("Pod", "waiting", home.namespace, change=change)
    assert home.gated("other") == {"waiting"}
    home.delete_pods("waiting")


def test_s03_a_tenant_cannot_choose_the_node_of_its_pod(home: Pool, planner: User) -> None:
    node = min(home.nodes())
    refused = refusal(lambda: planner.create(home.pod_manifest("bold", "team", nodeName=node)))
    assert refused.code == 403
    assert refused.message == (
        policies.refusal("node-name", 'pods "bold"')
        + f"spec.nodeName: must not be set to '{node}', because the pod would bypass its quota "
        "and the scheduler. Choose nodes by spec.nodeSelector or spec.affinity; only those who may "
        f"create pods/binding in namespace '{home.namespace}' may name one here. [PD1304]"
    )


def test_s03_a_deployment_cannot_choose_the_node_either(home: Pool, planner: User) -> None:
    node = min(home.nodes())
    planner.create(home.deployment_manifest("bold", "team", 1, nodeName=node))

    def said() -> str:
        events = planner.list("Event", home.namespace, fieldSelector="reason=FailedCreate")
        return " ".join(event["message"] for event in events)

    eventually(said, lambda text: "[PD1304]" in text)
    assert planner.list("Pod", home.namespace, labelSelector="app=bold") == []
    planner.delete("Deployment", "bold", home.namespace)


def test_s03_pods_of_daemonsets_start_as_without_us(home: Pool, planner: User) -> None:
    pod = home.pod_manifest("agent", None, nodeSelector={"pool": home.namespace})
    planner.create(
        {
            "apiVersion": "apps/v1",
            "kind": "DaemonSet",
            "metadata": {"name": "agent", "namespace": home.namespace},
            "spec": {
                "selector": {"matchLabels": {"app": "agent"}},
                "template": {"metadata": {"labels": {"app": "agent"}}, "spec": pod["spec"]},
            },
        }
    )

    def running() -> int:
        found = planner.list("Pod", home.namespace, labelSelector="app=agent")
        return sum(each["status"]["phase"] == "Running" for each in found)

    eventually(running, len(home.nodes()))
    planner.delete("DaemonSet", "agent", home.namespace)
    eventually(running, 0)


def test_s03_a_pod_cannot_pretend_to_belong_to_a_daemonset(home: Pool, planner: User) -> None:
    """Such pods belong to the system quota, which has no limit."""
    owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "made-up", "uid": "1"}
    for reference in (
        owner | {"controller": True},
        owner,
        owner | {"apiVersion": "example.com/v1"},
    ):
        manifest = home.pod_manifest("sly", None)
        manifest["metadata"]["ownerReferences"] = [reference]
        refused = refusal(lambda manifest=manifest: planner.create(manifest))  # type: ignore[misc]
        assert refused.message == (
            policies.refusal("system-pods", 'pods "sly"')
            + "metadata.ownerReferences must not name a DaemonSet: only the controller of "
            "DaemonSets makes such pods; leave it out, or create a DaemonSet [PD1308]"
        )


def test_s03_a_pod_cannot_pretend_that_later_either(
    home: Pool, planner: User, settled: str
) -> None:
    owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "made-up", "uid": "1"}
    change = {"metadata": {"ownerReferences": [owner]}}
    refused = refusal(lambda: planner.patch("Pod", settled, home.namespace, change=change))
    assert "[PD1308]" in refused.message


def test_s03_a_pod_cannot_pretend_to_be_a_static_pod(
    home: Pool, admin: User, planner: User
) -> None:
    """A user who may bind pods may name a node, but only a node may create a mirror pod."""
    may_bind = tenants.role(admin, home.name("binds"), "", ["pods/binding"], ["create"])
    tenants.grant(admin, home.namespace, may_bind, "planner")
    node = min(home.nodes())
    manifest = home.pod_manifest("sly", None, nodeName=node)
    manifest["metadata"]["annotations"]["kubernetes.io/config.mirror"] = "1"
    refused = eventually(
        lambda: refusal(lambda: planner.create(manifest, dry_run=True)),
        lambda found: "[PD1304]" not in found.message,
    )
    assert refused.message == (
        policies.refusal("system-pods", 'pods "sly"')
        + "metadata.annotations[kubernetes.io/config.mirror] must not be set: only a node shows "
        "its static pods this way; leave it out [PD1308]"
    )
    del manifest["metadata"]["annotations"]
    planner.create(manifest, dry_run=True)
    admin.delete("ClusterRole", may_bind)
    eventually(
        lambda: refusal(lambda: planner.create(manifest, dry_run=True)).message,
        lambda text: "[PD1304]" in text,
    )


def test_s04_a_tenant_cannot_bind_a_pod(home: Pool, planner: User) -> None:
    waiting = [{"name": "example.com/other"}, {"name": GATE}]
    planner.create(home.pod_manifest("eager", "team", schedulingGates=waiting))
    target = {"apiVersion": "v1", "kind": "Node", "name": min(home.nodes())}
    binding = {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": "eager", "namespace": home.namespace},
        "target": target,
    }

    def bind(user: User) -> Document:
        return user.post("Pod", "eager", home.namespace, "binding", binding)

    assert refusal(lambda: bind(planner)).code == 403
    older = f"api/v1/namespaces/{home.namespace}/bindings"
    assert refusal(lambda: planner._request("POST", f"/{older}", binding)).code == 403
    refused = refusal(lambda: bind(home.admin))
    assert (refused.code, "schedulingGates" in refused.message) == (409, True)
    assert gates(home.get_pod("eager")) == ["example.com/other", GATE]
    home.delete_pods("eager")


def test_s17_a_pod_that_runs_can_be_debugged(
    home: Pool, admin: User, planner: User, settled: str
) -> None:
    """``kubectl debug`` adds an ephemeral container, which requests nothing."""
    may_debug = tenants.role(
        admin, home.name("debugs"), "", ["pods/ephemeralcontainers"], ["patch"]
    )
    tenants.grant(admin, home.namespace, may_debug, "planner")
    debugger = {"name": "debugger", "image": "registry.example/tools:1"}
    change: Any = {"spec": {"ephemeralContainers": [debugger]}}

    def debugged() -> Document:
        return planner.patch(
            "Pod", settled, home.namespace, change=change, subresource="ephemeralcontainers"
        )

    (found,) = eventually(debugged, bool)["spec"]["ephemeralContainers"]
    assert found["name"] == "debugger"
