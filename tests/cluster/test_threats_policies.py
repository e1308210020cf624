"""What a tenant with bad intentions tries while no webhook is there: the policies alone hold.

Named after the threats of docs/threats.md. The planner is a tenant who may also write the quotas of
its own namespace, which is more than most tenants get.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest

import tenants
import users
from installation import Installation
from scenes import GATE, PREFIX, Pool, gates, new_namespace, refusal
from users import Document, User
from waiting import eventually


pytestmark = pytest.mark.cluster

QUOTA = f"{PREFIX}name"
PREEMPTIBLE = f"{PREFIX}preemptible"
FORCE = f"{PREFIX}allow-force-update"
NAMESPACES = f"{PREFIX}namespaces"
ADMINISTRATORS = "those who may update elasticquotas in namespace elastic-quota-system"
FIGURES = (
    "runtime",
    "request",
    "child-request",
    "guaranteed",
    "allocated",
    "non-preemptible-request",
    "non-preemptible-used",
)
RESIZED = {
    "name": "main",
    "image": "registry.example/main:1",
    "resources": {"requests": {"cpu": "2"}},
}
ROOT_LABELS = (f"{PREFIX}is-root", f"{PREFIX}profile", f"{PREFIX}ignore-default-tree")
ROOT_ANNOTATIONS = (
    f"{PREFIX}total-resource",
    f"{PREFIX}unschedulable-resource",
    "elasticquota.dev/guarantee-usage",
)


@pytest.fixture(scope="module", autouse=True)
def alone(product: Installation, admin: User) -> Iterator[None]:
    with tenants.without_webhooks(admin):
        yield


@pytest.fixture(scope="module")
def home(alone: None, admin: User) -> Iterator[Pool]:
    """The tenants' own namespace, with the root quota of its nodes in it."""
    pool = Pool(admin, new_namespace(admin))
    pool.open(nodes=1)
    pool.quota("team", min=4, max=8)
    pool.quota("other", min=1, max=8)
    yield pool
    pool.close()
    admin.delete("Namespace", pool.namespace)


@pytest.fixture(scope="module")
def planner(admin: User, home: Pool) -> Iterator[User]:
    user = tenants.planner(admin, home.namespace)
    yield user
    user.close()


@pytest.fixture(scope="module")
def victim(admin: User, alone: None) -> Iterator[str]:
    """A namespace of somebody else."""
    name = new_namespace(admin)
    yield name
    admin.delete("Namespace", name)


@pytest.fixture
def settled(home: Pool) -> Iterator[str]:
    """A pod that runs in the quota ``team``."""
    home.pod("settled", "team")
    eventually(lambda: "settled" in home.running("team"), True)
    yield "settled"
    home.delete_pods("settled")


def policy(name: str, what: str) -> str:
    """How the refusal of a policy begins."""
    return (
        f"{what} is forbidden: ValidatingAdmissionPolicy 'elastic-quota-{name}' with binding "
        f"'elastic-quota-{name}' denied request: "
    )


def on_quota(name: str, quota: str) -> str:
    return policy(name, f'elasticquotas.scheduling.sigs.k8s.io "{quota}"')


# -- S-01: another quota for a pod that runs


def test_s01_a_tenant_cannot_move_its_running_pod_to_another_quota(
    home: Pool, planner: User, settled: str
) -> None:
    change = {"metadata": {"labels": {QUOTA: home.name("other")}}}
    refused = refusal(lambda: planner.patch("Pod", settled, home.namespace, change=change))
    assert refused.code == 403
    assert refused.message == (
        policy("pod-labels", f'pods "{settled}"')
        + f"metadata.labels[{QUOTA}] must not change from '{home.name('team')}' to "
        f"'{home.name('other')}' after the pod was let in: it uses the room of its quota as what "
        "it was then. Delete the pod and create it anew with the other label. [PD1302]"
    )


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ({QUOTA: None}, f"metadata.labels[{QUOTA}] must not be removed after"),
        ({PREEMPTIBLE: "false"}, f"metadata.labels[{PREEMPTIBLE}] must not be added after"),
    ],
    ids=["out of every quota", "not preemptible any more"],
)
def test_s01_a_tenant_cannot_change_what_its_running_pod_was_let_in_as(
    home: Pool, planner: User, settled: str, labels: Document, said: str
) -> None:
    change = {"metadata": {"labels": labels}}
    refused = refusal(lambda: planner.patch("Pod", settled, home.namespace, change=change))
    assert said in refused.message


@pytest.mark.parametrize(
    ("subresource", "spec"),
    [
        ("resize", {"containers": [RESIZED]}),
        ("ephemeralcontainers", {"ephemeralContainers": []}),
    ],
    ids=["resize", "ephemeral containers"],
)
def test_s01_no_subresource_changes_the_quota_of_a_pod(
    home: Pool, admin: User, subresource: str, spec: Document
) -> None:
    """The API server takes nothing but their own fields from them, so no policy looks at them."""
    home.pod("nowhere", "team", nodeSelector={"pool": "nowhere"})
    change = {"metadata": {"labels": {QUOTA: home.name("other")}}, "spec": spec}
    admin.patch("Pod", "nowhere", home.namespace, change=change, subresource=subresource)
    assert home.get_pod("nowhere")["metadata"]["labels"][QUOTA] == home.name("team")
    home.delete_pods("nowhere")


def test_s01_a_pod_that_still_waits_may_be_given_to_another_quota(
    home: Pool, planner: User
) -> None:
    waiting = [{"name": "example.com/other"}, {"name": GATE}]
    planner.create(home.pod_manifest("waiting", "team", schedulingGates=waiting))
    change = {"metadata": {"labels": {QUOTA: home.name("other")}}}
    planner.patch("Pod", "waiting", home.namespace, change=change)
    assert home.gated("other") == {"waiting"}
    home.delete_pods("waiting")


# -- S-03, S-04: a node without the scheduler


def test_s03_a_tenant_cannot_choose_the_node_of_its_pod(home: Pool, planner: User) -> None:
    node = min(home.nodes())
    refused = refusal(lambda: planner.create(home.pod_manifest("bold", "team", nodeName=node)))
    assert refused.code == 403
    assert refused.message == (
        policy("node-name", 'pods "bold"')
        + f"spec.nodeName: must not be set to '{node}', because the pod would pass its quota and "
        "the scheduler by. Choose nodes by spec.nodeSelector or spec.affinity; only those who may "
        f"create pods/binding in namespace '{home.namespace}' may name one here. [PD1304]"
    )


def test_s03_nor_can_its_deployment(home: Pool, planner: User) -> None:
    node = min(home.nodes())
    pod = home.pod_manifest("bold", "team", nodeName=node)
    labels = pod["metadata"]["labels"] | {"app": "bold"}
    planner.create(
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "bold", "namespace": home.namespace},
            "spec": {
                "replicas": 1,
                "selector": {"matchLabels": {"app": "bold"}},
                "template": {"metadata": {"labels": labels}, "spec": pod["spec"]},
            },
        }
    )

    def said() -> str:
        events = planner.list("Event", home.namespace, fieldSelector="reason=FailedCreate")
        return " ".join(event["message"] for event in events)

    eventually(said, lambda text: "[PD1304]" in text)
    assert planner.list("Pod", home.namespace, labelSelector="app=bold") == []
    planner.delete("Deployment", "bold", home.namespace)


def test_s03_pods_of_daemonsets_come_as_always(home: Pool, planner: User) -> None:
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


def test_s03_a_pod_does_not_pretend_to_be_one_of_a_daemonset(home: Pool, planner: User) -> None:
    """Such pods belong to the system quota, which limits nobody."""
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
            policy("system-pods", 'pods "sly"')
            + "metadata.ownerReferences must not name a DaemonSet: only the controller of "
            "DaemonSets makes such pods; leave it out, or create a DaemonSet [PD1308]"
        )


def test_s03_nor_does_it_become_one_later(home: Pool, planner: User, settled: str) -> None:
    owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "made-up", "uid": "1"}
    change = {"metadata": {"ownerReferences": [owner]}}
    refused = refusal(lambda: planner.patch("Pod", settled, home.namespace, change=change))
    assert "[PD1308]" in refused.message


def test_s03_a_pod_does_not_pretend_to_be_a_static_one(
    home: Pool, admin: User, planner: User
) -> None:
    """Who may bind pods may name a node, but only a node may say that it runs a static pod."""
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
        policy("system-pods", 'pods "sly"')
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


# -- S-06, S-07: a quota that says of itself what only the controller knows


@pytest.mark.parametrize("label", ROOT_LABELS)
def test_s06_a_tenant_cannot_mark_a_quota_as_the_root_of_a_tree(
    home: Pool, planner: User, label: str
) -> None:
    forged = home.quota_manifest("forged", min=1, max=1, labels={label: "true"})
    refused = refusal(lambda: planner.create(forged))
    assert refused.code == 403
    assert refused.message == (
        on_quota("marks", home.name("forged")) + f"metadata.labels[{label}] may be written only by "
        "the controller, which knows the nodes of a tree and what runs there, and by "
        f"{ADMINISTRATORS}. Leave out what you did not find there; a tree is made by an "
        "ElasticQuotaProfile. [EQ1108]"
    )
    change = {"metadata": {"labels": {label: "true"}}}
    refused = refusal(
        lambda: planner.patch("ElasticQuota", home.name("team"), home.namespace, change=change)
    )
    assert f"metadata.labels[{label}] may be written only" in refused.message


def test_s06_a_tenant_cannot_take_the_mark_off_a_root(home: Pool, planner: User) -> None:
    change = {"metadata": {"labels": {f"{PREFIX}is-root": None, f"{PREFIX}profile": "mine"}}}
    refused = refusal(
        lambda: planner.patch("ElasticQuota", home.root, home.namespace, change=change)
    )
    both = f"metadata.labels[{PREFIX}is-root], metadata.labels[{PREFIX}profile]"
    assert f"{both} may be written only by the controller" in refused.message


@pytest.mark.parametrize("after", ["1", None])
def test_s06_a_tenant_cannot_change_the_tree_of_its_quota(
    home: Pool, admin: User, planner: User, after: str | None
) -> None:
    tree = home.root_quota()["metadata"]["labels"][f"{PREFIX}tree-id"]
    label = {f"{PREFIX}tree-id": tree}
    home.quota("rooted", min=1, max=1, labels=label)
    change = {"metadata": {"labels": {f"{PREFIX}tree-id": after}}}
    refused = refusal(
        lambda: planner.patch("ElasticQuota", home.name("rooted"), home.namespace, change=change)
    )
    verb = f"change from '{tree}' to '{after}'" if after else "be removed"
    assert refused.message == (
        on_quota("tree", home.name("rooted"))
        + f"metadata.labels[{PREFIX}tree-id] must not {verb}: the pods of the quota could not "
        "follow to the nodes of another tree. To use another tree, create a quota there and start "
        "the pods anew in it. [EQ1107]"
    )
    admin.delete("ElasticQuota", home.name("rooted"), home.namespace)


def test_s06_whoever_may_write_profiles_cannot_take_up_another_tree(
    home: Pool, admin: User, planner: User
) -> None:
    tenants.grant(admin, home.namespace, "elastic-quota-profile-admin", "planner")
    change = {"metadata": {"labels": {f"{PREFIX}tree-id": "1"}}}
    message = eventually(
        lambda: (
            refusal(
                lambda: planner.patch("ElasticQuotaProfile", "pool", home.namespace, change=change)
            ).message
        ),
        lambda text: "[EQ1107]" in text,
    )
    assert message.endswith(
        ": the quotas below the profile would be left without their tree. To make another tree, "
        "create another profile. [EQ1107]"
    )


@pytest.mark.parametrize(
    "annotation", [*ROOT_ANNOTATIONS, *(f"{PREFIX}{figure}" for figure in FIGURES)]
)
def test_s07_a_tenant_cannot_forge_a_figure(home: Pool, planner: User, annotation: str) -> None:
    forged = {annotation: '{"cpu":"1000"}'}
    for attempt in (
        lambda: planner.create(home.quota_manifest("forged", min=1, max=1, annotations=forged)),
        lambda: planner.patch(
            "ElasticQuota",
            home.name("team"),
            home.namespace,
            change={"metadata": {"annotations": forged}},
        ),
    ):
        refused = refusal(attempt)
        assert refused.code == 403
        assert f"metadata.annotations[{annotation}] may be written only by" in refused.message


def test_s07_a_tenant_cannot_change_the_total_of_a_tree(home: Pool, planner: User) -> None:
    for value in ('{"cpu":"1000000000"}', None):
        change = {"metadata": {"annotations": {f"{PREFIX}total-resource": value}}}
        refused = refusal(
            lambda change=change: planner.patch(  # type: ignore[misc]
                "ElasticQuota", home.root, home.namespace, change=change
            )
        )
        assert "[EQ1108]" in refused.message


def test_s07_a_write_of_the_whole_manifest_drops_figures_and_they_come_back(
    home: Pool, planner: User
) -> None:
    key = f"{PREFIX}runtime"
    home.pod("asks", "other")
    eventually(lambda: key in home.get("other")["metadata"]["annotations"], True)
    change = {"metadata": {"annotations": {key: None}}}
    planner.patch("ElasticQuota", home.name("other"), home.namespace, change=change)
    eventually(lambda: home.get("other")["metadata"]["annotations"][key], bool)
    home.delete_pods("asks")


@pytest.mark.parametrize(
    ("kind", "group", "plural", "name"),
    [
        ("ElasticQuota", "scheduling.sigs.k8s.io", "elasticquotas", "team"),
        ("ElasticQuotaProfile", "quota.koordinator.sh", "elasticquotaprofiles", ""),
    ],
)
def test_s07_not_even_a_tenant_who_may_write_statuses_forges_one(
    home: Pool, admin: User, planner: User, kind: str, group: str, plural: str, name: str
) -> None:
    subject = home.name(name) if name else "pool"
    change = {"status": {"observedGeneration": 99}}

    def attempt() -> users.RefusedError:
        return refusal(
            lambda: planner.patch(
                kind, subject, home.namespace, change=change, subresource="status"
            )
        )

    assert "cannot patch resource" in attempt().message
    role = tenants.role(admin, home.name(plural), group, [f"{plural}/status"], ["patch"])
    tenants.grant(admin, home.namespace, role, "planner")
    message = eventually(lambda: attempt().message, lambda text: "cannot patch" not in text)
    assert message == (
        policy("marks", f'{plural}.{group} "{subject}"')
        + "status may be written only by the controller, which says there what it saw and "
        "decided; what you want belongs into spec [EQ1108]"
    )


# -- S-08, S-09: past the sums, and into the namespaces of others


def test_s08_a_tenant_cannot_force_its_quota_past_the_sums(home: Pool, planner: User) -> None:
    forced = home.quota_manifest("forced", min=1, max=1, labels={FORCE: "true"})
    refused = refusal(lambda: planner.create(forced))
    assert refused.code == 403
    assert refused.message == (
        on_quota("force", home.name("forced"))
        + f"metadata.labels[{FORCE}] lets a quota past the sums of its parent, so only "
        f"{ADMINISTRATORS} may set it. Leave it out, or ask one of them. [EQ1109]"
    )
    change: Document = {"metadata": {"labels": {FORCE: "true"}}}
    refused = refusal(
        lambda: planner.patch("ElasticQuota", home.name("team"), home.namespace, change=change)
    )
    assert "may set it" in refused.message


@pytest.fixture
def lifted(home: Pool) -> Iterator[str]:
    """A quota that an administrator forced, and whose label still stands."""
    home.quota("lifted", min=1, max=8, labels={FORCE: "true"})
    yield home.name("lifted")
    home.admin.delete("ElasticQuota", home.name("lifted"), home.namespace)


@pytest.mark.parametrize(
    "change",
    [{"spec": {"min": {"cpu": "8"}}}, {"metadata": {"labels": {f"{PREFIX}parent": "elsewhere"}}}],
    ids=["min", "parent"],
)
def test_s08_a_tenant_does_not_use_the_force_that_somebody_else_left(
    home: Pool, planner: User, lifted: str, change: Document
) -> None:
    refused = refusal(lambda: planner.patch("ElasticQuota", lifted, home.namespace, change=change))
    assert f"so only {ADMINISTRATORS} may change the quota under it." in refused.message


def test_s08_it_may_do_everything_that_needs_no_force(
    home: Pool, planner: User, lifted: str
) -> None:
    notes = {"metadata": {"annotations": {"team.example/contact": "alice"}}}
    planner.patch("ElasticQuota", lifted, home.namespace, change=notes)
    change = {"metadata": {"labels": {FORCE: None}}, "spec": {"min": {"cpu": "2"}}}
    planner.patch("ElasticQuota", lifted, home.namespace, change=change)


def binding(home: Pool, short: str, text: str) -> Document:
    return home.quota_manifest(short, min=1, max=1, annotations={NAMESPACES: text})


def test_s09_a_tenant_cannot_bind_the_namespace_of_somebody_else(
    home: Pool, planner: User, victim: str
) -> None:
    text = f'[ "{home.namespace}" , "{victim}" ]'
    refused = refusal(lambda: planner.create(binding(home, "grasping", text)))
    assert refused.code == 403
    assert refused.message == (
        on_quota("namespaces", home.name("grasping"))
        + f"metadata.annotations[{NAMESPACES}] may bind {victim} only by somebody who "
        f"may update elasticquotas there. Leave it out, or ask one of {ADMINISTRATORS}. [EQ1004]"
    )
    change = {"metadata": {"annotations": {NAMESPACES: f'["{victim}"]'}}}
    refused = refusal(
        lambda: planner.patch("ElasticQuota", home.name("team"), home.namespace, change=change)
    )
    assert f"may bind {victim} only by" in refused.message


@pytest.mark.parametrize(
    "text",
    [
        '["\\u0076ictim"]',
        '["a"] "victim"',
        '{"victim": 1}',
        "victim",
        '["victim\\"]',
        '["Victim"]',
        "[" + "\n" * 5000 + "]",
    ],
    ids=["escaped", "two values", "map", "bare", "open", "capital", "long"],
)
def test_s09_what_is_no_plain_list_binds_nothing(home: Pool, planner: User, text: str) -> None:
    refused = refusal(lambda: planner.create(binding(home, "grasping", text)))
    assert refused.message == (
        on_quota("namespaces", home.name("grasping"))
        + f"metadata.annotations[{NAMESPACES}] must be a JSON list of names of namespaces such as "
        '["team-a", "team-b"], of no more than 2048 characters [EQ1004]'
    )


@pytest.mark.parametrize("count", [9, 200])
def test_s09_a_tenant_binds_at_most_8_namespaces_at_once(
    home: Pool, planner: User, count: int
) -> None:
    """Each costs a question to the authorizer, and a policy may not ask for ever."""
    text = json.dumps([f"n{number}" for number in range(count)])
    refused = refusal(lambda: planner.create(binding(home, "grasping", text)))
    assert f"[{NAMESPACES}] may bind no more than 8 other namespaces at once." in refused.message


def test_s09_the_last_of_8_counts_like_the_first(
    home: Pool, admin: User, planner: User, victim: str
) -> None:
    friends = [f"n{number}" for number in range(7)]
    for friend in friends:
        admin.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": friend}})
        tenants.grant(admin, friend, "elastic-quota-admin", "planner", home=home.namespace)
    eventually(
        lambda: planner.create(binding(home, "broad", json.dumps(friends)), dry_run=True), bool
    )
    text = json.dumps([*friends, victim])
    refused = refusal(lambda: planner.create(binding(home, "grasping", text)))
    assert f"n6, {victim} only by somebody who may update elasticquotas there" in refused.message
    for friend in friends:
        admin.delete("Namespace", friend)


def test_s09_what_is_bound_is_asked_about_once(home: Pool, admin: User, planner: User) -> None:
    many = [f"x{number}" for number in range(300)]
    admin.create(binding(home, "broad", json.dumps(many, separators=(",", ":"))))
    text = json.dumps([*many[1:], home.namespace], separators=(",", ":"))
    change = {"metadata": {"annotations": {NAMESPACES: text}}}
    planner.patch("ElasticQuota", home.name("broad"), home.namespace, change=change)
    admin.delete("ElasticQuota", home.name("broad"), home.namespace)


def test_s09_its_own_namespace_it_may_bind_and_others_where_it_may_write_quotas(
    home: Pool, admin: User, planner: User
) -> None:
    friends = [new_namespace(admin) for _ in range(2)]
    for friend in friends:
        tenants.grant(admin, friend, "elastic-quota-admin", "planner", home=home.namespace)
    text = f'["{home.namespace}", "{friends[0]}", "{friends[1]}"]'
    eventually(lambda: planner.create(binding(home, "friendly", text), dry_run=True), bool)
    for friend in friends:
        admin.delete("Namespace", friend)


def test_s09_what_an_administrator_bound_stays_bound_in_later_edits(
    home: Pool, admin: User, planner: User, victim: str
) -> None:
    home.admin.create(binding(home, "broad", f'["{victim}"]'))
    quota = home.name("broad")

    def write(text: str) -> Document:
        change = {"metadata": {"annotations": {NAMESPACES: text}}}
        return planner.patch("ElasticQuota", quota, home.namespace, change=change)

    planner.patch("ElasticQuota", quota, home.namespace, change={"spec": {"max": {"cpu": "2"}}})
    write(f'["{victim}", "{home.namespace}"]')
    assert "may bind third only by" in refusal(lambda: write(f'["{victim}", "third"]')).message
    write("[]")
    assert f"may bind {victim} only by" in refusal(lambda: write(f'["{victim}"]')).message
    admin.delete("ElasticQuota", quota, home.namespace)


# -- S-17: what must go on


def test_s17_a_pod_that_runs_can_be_debugged(
    home: Pool, admin: User, planner: User, settled: str
) -> None:
    """``kubectl debug`` adds an ephemeral container, which asks for nothing."""
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
