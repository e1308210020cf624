"""Another mutating webhook changes pods before us or after us, and both changes stay."""

import pytest

import foreign_webhook
from installation import WEBHOOK
from scenes import GATE, PREFIX, Pool, gates
from users import Document, User
from waiting import eventually


pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("admission")]

LABEL = "neighbour.example/seen"
ITS_GATE = "neighbour.example/holds"
EXPRESSION = {"key": "disk", "operator": "In", "values": ["fast"]}
AFFINITY = {
    "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchExpressions": [EXPRESSION]}]
        }
    }
}


def patch(*, gates_are_there: bool) -> list[Document]:
    """A label, a gate and, before us, a required affinity."""
    gate = {"name": ITS_GATE}
    label = {
        "op": "add",
        "path": f"/metadata/labels/{LABEL.replace('/', '~1')}",
        "value": "yes",
    }
    if gates_are_there:
        return [label, {"op": "add", "path": "/spec/schedulingGates/-", "value": gate}]
    return [
        label,
        {"op": "add", "path": "/spec/schedulingGates", "value": [gate]},
        {"op": "add", "path": "/spec/affinity", "value": AFFINITY},
    ]


def expressions(pod: Document) -> list[Document]:
    """The expressions of the pod's only term of required node affinity."""
    required = pod["spec"]["affinity"]["nodeAffinity"]
    (term,) = required["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    found: list[Document] = term["matchExpressions"]
    return found


def ours(pod: Document) -> list[Document]:
    """What the other webhook did not write there."""
    return [found for found in expressions(pod) if found != EXPRESSION]


@pytest.mark.parametrize(
    ("name", "before"), [("a-neighbour", True), ("z-neighbour", False)], ids=["before", "after"]
)
def test_both_changes_stay(pool: Pool, admin: User, name: str, before: bool) -> None:
    assert (name < WEBHOOK) is before
    pool.quota("team", min=1, max=8)
    manifest = pool.pod_manifest("both", "team")
    # Where the other webhook comes first, it adds the first of all gates.
    assert "schedulingGates" not in manifest["spec"]
    manifest["metadata"]["labels"]["own"] = "kept"
    with foreign_webhook.asked_about_pods(
        admin, name, pool.namespace, patch(gates_are_there=not before)
    ) as asked:
        # The API server takes a moment to learn of the other webhook, and a replica of the quota.
        made = eventually(
            lambda: admin.create(manifest, dry_run=True),
            lambda pod: LABEL in pod["metadata"]["labels"] and ours(pod),
        )
        assert asked
    labels = made["metadata"]["labels"]
    assert (labels[LABEL], labels["own"]) == ("yes", "kept")
    assert labels[f"{PREFIX}name"] == pool.name("team")
    assert gates(made) == ([ITS_GATE, GATE] if before else [GATE, ITS_GATE])
    assert [found["key"] for found in ours(made)] == ["pool"]
    assert (EXPRESSION in expressions(made)) is before
