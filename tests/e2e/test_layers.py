"""Each layer is removed in turn; the table of docs/rules/layers.md says what still holds.

The cases are the examples of the rules' pages, two that need running pods, and two objects that are
too large for a page.
"""

from collections.abc import Callable, Iterator
from functools import partial

import pytest

import kubelet
import layers
import rule_examples
import rule_layers
import served
import tenants
import users
from installation import Installation, Kubectl
from scenes import PREFIX, Pool, condition
from users import Document, User
from waiting import eventually


pytestmark = [
    pytest.mark.cluster,
    pytest.mark.long,
    pytest.mark.timeout(300),
    pytest.mark.usefixtures("admission"),
    served.since(36),
]

EXAMPLES = rule_examples.examples()
STRICT = f"{PREFIX}max-strict-check-resource-keys"


@pytest.fixture
def ground(product: Installation, kubectl: Kubectl, admin: User) -> Iterator[Pool]:
    """The namespaces of the examples, with what they store; the pool is ``teams`` and a node."""
    for namespace in rule_examples.NAMESPACES:
        kubectl("create", "namespace", namespace)
        eventually(partial(admin.find, "ServiceAccount", "default", namespace), bool)
    teams = Pool(admin, "teams")
    teams.add_node(cpu=64)
    for example in EXAMPLES:
        example.store(kubectl, admin)
    for code, cpu in (("eq1112", 6), ("pd1305", 2)):
        strict = {STRICT: '["cpu"]'} if code == "eq1112" else {}
        manifest = teams.quota_manifest(code, max=6, annotations=strict)
        del manifest["metadata"]["labels"]
        admin.create(manifest)
        eventually(partial(_runs, teams, code, cpu), True)
        kubelet.allocate(teams, code, cpu)
    yield teams
    for namespace in rule_examples.NAMESPACES:
        admin.delete_all("Pod", namespace)
        kubectl("delete", "namespace", namespace, "--wait=false")
    teams.close()
    for namespace in rule_examples.NAMESPACES:
        eventually(partial(admin.find, "Namespace", namespace), None, within=60)


@pytest.fixture
def planner(ground: Pool, admin: User) -> Iterator[User]:
    """The tenant of the examples."""
    user = tenants.planner(admin, ground.namespace)
    yield user
    user.close()


@pytest.mark.parametrize("state", rule_layers.STATES)
def test_what_holds_without_one_layer(
    state: str,
    ground: Pool,
    planner: User,
    admin: User,
    kubectl: Kubectl,
    pytestconfig: pytest.Config,
) -> None:
    seen: dict[str, str] = {}
    with layers.AWAY[state](admin, kubectl):
        for example in EXAMPLES:
            user = planner if example.by_tenant else admin
            seen[example.name] = _outcome(
                user, admin, partial(example.type, user), example.documents()
            )
        for name, attempt, document in _while_pods_run(ground):
            seen[name] = _outcome(admin, admin, attempt, [document])
        for name, attempt, document in _too_large(ground):
            seen[name] = _outcome(admin, admin, attempt, [document])
    page = rule_layers.PAGE.read_text(encoding="utf-8")
    if pytestconfig.getoption("--write-layers"):
        page = rule_layers.written(page, state, seen)
        rule_layers.PAGE.write_text(page, encoding="utf-8")
    assert seen == rule_layers.column(page, state), "run: pytest --write-layers"


def _while_pods_run(teams: Pool) -> Iterator[tuple[str, Callable[[], object], Document]]:
    lower = {"spec": {"max": {"cpu": "4"}}}
    path = "/spec/containers/0/resources/requests/cpu"
    grow = [{"op": "replace", "path": path, "value": "7"}]
    name, namespace = teams.name("eq1112"), teams.namespace
    yield (
        "EQ1112",
        lambda: teams.admin.patch("ElasticQuota", name, namespace, change=lower),
        teams.get("eq1112"),
    )
    yield (
        "PD1305",
        lambda: teams.admin.patch("Pod", "pd1305", namespace, change=grow, subresource="resize"),
        teams.get("pd1305"),
    )


def _too_large(teams: Pool) -> Iterator[tuple[str, Callable[[], object], Document]]:
    """Objects that would fit into no page."""
    owner = {"apiVersion": "v1", "kind": "K" * 1_100_000, "name": "y", "uid": "6"}
    grown: Document = {"metadata": {"ownerReferences": [owner]}}
    quota, pod = teams.quota_manifest("eq1115", max=1), teams.pod_manifest("pd1311", None)
    quota["metadata"].pop("labels")  # no tree of its own is here
    quota["metadata"] |= grown["metadata"]
    yield "EQ1115", lambda: teams.admin.create(quota), quota
    teams.admin.create(pod)
    yield (
        "PD1311",
        lambda: teams.admin.patch("Pod", "pd1311", teams.namespace, change=grown),
        pod,
    )


def _outcome(
    user: User, admin: User, attempt: Callable[[], object], documents: list[Document]
) -> str:
    """Which layer refused the objects, or the controller's verdict on the stored ones."""
    try:
        attempt()
    except users.RefusedError as refused:
        return layers.layer(refused.message)
    stored = "warned" if user.warned else "stored"
    try:
        found = eventually(lambda: _told(admin, documents), bool, within=8)
    except AssertionError:
        return stored
    return f"{stored}, {found}"


def _told(admin: User, documents: list[Document]) -> str:
    """What the controller reports of the quotas and profiles among these; empty if nothing."""
    counted = False
    for document in documents:
        kind, metadata = document["kind"], document["metadata"]
        if kind == "Pod":
            continue
        found = admin.find(kind, metadata["name"], metadata["namespace"]) or {}
        for verdict in ("Accepted", "Ready"):
            said = condition(found, verdict)
            # The profiles of the examples select nodes that do not exist.
            if said["status"] == "False" and said["reason"] != "NoNodes":
                return f"not accepted: {said['reason']}"
        if ", but " in condition(found, "Accepted")["message"]:
            return "reported"
        if condition(found, "Overused")["status"] == "True":
            return "over-use is reported"
        counted |= any(((found.get("status") or {}).get("pods") or {}).values())
    return "counted" if counted and documents[-1]["kind"] == "Pod" else ""


def _runs(teams: Pool, code: str, cpu: int) -> bool:
    """The pod of that name runs in the quota of that name."""
    if teams.admin.find("Pod", code, teams.namespace) is None:
        teams.pod(code, code, cpu=cpu)
    return code in teams.running(code) and teams.used(code) == str(cpu)
