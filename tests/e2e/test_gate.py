"""Only the controller removes the gate, when the quota has room."""

import pytest

from installation import BY_BOTH, Installation
from scenes import GATE, PREFIX, Pool, condition, gates, refusal
from users import Document, User
from waiting import eventually


pytestmark = [pytest.mark.cluster, BY_BOTH]

JSON_PATCH: list[Document] = [{"op": "remove", "path": "/spec/schedulingGates"}]
MERGE_PATCH: Document = {"spec": {"schedulingGates": None}}
CHANGES = pytest.mark.parametrize("change", [JSON_PATCH, MERGE_PATCH], ids=["json", "merge"])


@pytest.fixture
def waiting(pool: Pool) -> str:
    """A pod that waits for room."""
    pool.quota("team", min=1, max=1)
    pool.pod("first", "team")
    eventually(lambda: pool.running("team"), {"first"})
    pool.pod("second", "team")
    eventually(lambda: pool.gated("team"), {"second"})
    return "second"


@CHANGES
def test_a_tenant_cannot_remove_the_gate(
    pool: Pool, waiting: str, tenant: User, change: Document | list[Document]
) -> None:
    refused = refusal(lambda: tenant.patch("Pod", waiting, pool.namespace, change=change))
    assert refused.code == 403
    assert refused.message == (
        f"pods \"{waiting}\" is forbidden: ValidatingAdmissionPolicy 'elastic-quota-gate' with "
        "binding 'elastic-quota-gate' denied request: the scheduling gate "
        "'elasticquota.dev/admission' may be removed only by the controller, which does so as "
        f"soon as the quota '{pool.name('team')}' has room. See why the pod waits with: "
        f"kubectl describe pod {waiting} -n {pool.namespace} [PD1303]"
    )
    assert gates(pool.get_pod(waiting)) == [GATE]


@CHANGES
def test_a_cluster_admin_cannot_remove_the_gate_either(
    pool: Pool, waiting: str, change: Document | list[Document]
) -> None:
    refused = refusal(lambda: pool.admin.patch("Pod", waiting, pool.namespace, change=change))
    assert refused.code == 403
    assert gates(pool.get_pod(waiting)) == [GATE]


def test_other_allowed_changes_of_a_waiting_pod_stay_allowed(
    pool: Pool, waiting: str, tenant: User
) -> None:
    tenant.patch("Pod", waiting, pool.namespace, change={"metadata": {"labels": {"a": "b"}}})
    assert gates(pool.get_pod(waiting)) == [GATE]


def test_the_gate_holds_while_no_webhook_runs(
    pool: Pool, waiting: str, tenant: User, product: Installation
) -> None:
    with product.without_webhook():
        refused = refusal(lambda: tenant.patch("Pod", waiting, pool.namespace, change=JSON_PATCH))
        assert "may be removed only by the controller" in refused.message
        pool.delete_pods("first")
        eventually(lambda: pool.running("team"), {waiting})


def test_the_gate_of_another_controller_is_left_alone_until_it_is_removed(pool: Pool) -> None:
    pool.quota("team", min=2, max=2)
    foreign = {"name": "example.com/other"}
    pool.pod("held", "team", schedulingGates=[foreign])
    pool.pod("free", "team")
    eventually(lambda: pool.running("team"), {"free"})
    assert gates(pool.get_pod("held")) == ["example.com/other", GATE]
    remaining = [{"op": "remove", "path": "/spec/schedulingGates/0"}]
    pool.admin.patch("Pod", "held", pool.namespace, change=remaining)
    eventually(lambda: pool.running("team"), {"free", "held"})


def test_pods_created_together_with_their_quota_are_held(pool: Pool) -> None:
    """Whether a replica or a namespace's label already shows the quota or not."""
    for number in range(20):
        team = f"team-{number}"
        pool.quota(team, min=0, max=0)
        assert gates(pool.pod(team, team)) == [GATE]
    eventually(
        lambda: condition(pool.get_pod("team-19"), "PodScheduled")["message"],
        lambda told: f"the limit of quota {pool.name('team-19')} is 0" in told,
    )


def test_an_admission_of_zero_holds_every_pod_of_its_quota_and_an_edit_admits_them(
    pool: Pool,
) -> None:
    key = f"{PREFIX}admission"
    pool.quota("team", min=2, max=2, annotations={key: '{"cpu": "0"}'})
    pool.pods("team", 2)
    eventually(
        lambda: condition(pool.get_pod("team-0"), "PodScheduled")["message"],
        lambda told: f"{key} of quota {pool.name('team')} is 0" in told,
    )
    assert len(pool.gated("team")) == 2
    for said, count in (('{"cpu": "1"}', 1), (None, 2)):
        edit = {"metadata": {"annotations": {key: said}}}
        pool.admin.patch("ElasticQuota", pool.name("team"), pool.namespace, change=edit)
        eventually(lambda: len(pool.running("team")), count)


def test_a_pod_that_names_no_quota_is_admitted_by_the_default_quota(pool: Pool) -> None:
    made = pool.pod("misspelt", None, labels={f"{PREFIX}name": "no-such-quota"})
    assert gates(made) == [GATE]
    eventually(pool.running, {"misspelt"})
