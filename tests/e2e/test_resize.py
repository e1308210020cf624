"""Pods are resized while they run: within the runtime, and counted with what they hold (S-18).

The nodes are simulated, so the tests write what a kubelet would write: the allocated resources.
"""

import contextlib
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import served
from kubelet import allocate
from scenes import HIGH, PREFIX, Pool, condition, refusal
from users import Document, RefusedError, User
from waiting import eventually


pytestmark = [pytest.mark.cluster, served.since(33)]

DENIED = 'admission webhook "resize.elasticquota.dev" denied the request: '


@pytest.fixture
def tenant(tenant: User, pool: Pool) -> User:
    """A user who may edit the namespace and resize its pods, which ``edit`` does not include."""
    group = "rbac.authorization.k8s.io"
    meta = {"name": "resize", "namespace": pool.namespace}
    rule = {"apiGroups": [""], "resources": ["pods/resize"], "verbs": ["patch"]}
    role: Document = {"apiVersion": f"{group}/v1", "kind": "Role", "metadata": meta}
    pool.admin.create(role | {"rules": [rule]})
    pool.admin.create(
        role
        | {
            "kind": "RoleBinding",
            "roleRef": {"apiGroup": group, "kind": "Role", "name": "resize"},
            "subjects": [{"kind": "ServiceAccount", "name": "tenant", "namespace": pool.namespace}],
        }
    )
    return tenant


def resize(user: User, pool: Pool, short: str, cpu: int, *, dry_run: bool = False) -> None:
    """Resize the pod as ``kubectl patch pod --subresource resize`` does."""
    path = "/spec/containers/0/resources/requests/cpu"
    change = [{"op": "replace", "path": path, "value": str(cpu)}]
    user.patch("Pod", short, pool.namespace, change=change, subresource="resize", dry_run=dry_run)


def said(user: User, pool: Pool, short: str, cpu: int, left: int) -> str:
    """The refusal of the resize, once both replicas may have read how much is left."""
    found = eventually(
        lambda: refusal(lambda: resize(user, pool, short, cpu, dry_run=True)),
        lambda refused: f" has {left} of its current share of " in refused.message,
    )
    assert found.code == 403
    return found.message


def running(pool: Pool, short: str, quota: str, cpu: int) -> None:
    pool.pod(short, quota, cpu=cpu)
    eventually(lambda: short in pool.running(), True)
    allocate(pool, short, cpu)


def test_a_pod_grows_within_the_runtime_of_its_quota_and_no_further(
    pool: Pool, tenant: User
) -> None:
    pool.quota("team", min=2, max=6)
    running(pool, "web", "team", 2)
    eventually(lambda: pool.status("team")["admitted"]["cpu"], "2")
    assert said(tenant, pool, "web", 7, left=4) == (
        f"{DENIED}Pod {pool.namespace}/web: needs 5 cpu more; quota '{pool.name('team')}' has "
        "4 of its current share of 6 left (guaranteed 2, limit 6). Ask for less, or wait until "
        f"others use less. More: kubectl elastic-quota explain quota {pool.name('team')} [PD1305]"
    )
    resize(tenant, pool, "web", 6)
    eventually(lambda: pool.used("team"), "6")


def test_a_pod_cannot_grow_into_what_others_are_guaranteed_and_use(
    pool: Pool, tenant: User
) -> None:
    pool.quota("owner", min=10, max=16)
    pool.quota("guest", min=2, max=16)
    running(pool, "job-1", "owner", 5)
    running(pool, "job-2", "owner", 5)
    running(pool, "web", "guest", 2)
    eventually(lambda: pool.status("owner")["admitted"]["cpu"], "10")
    eventually(lambda: pool.status("guest")["admitted"]["cpu"], "2")
    assert "needs 5 cpu more; quota" in said(tenant, pool, "web", 7, left=4)
    resize(tenant, pool, "web", 6)


def test_a_non_preemptible_pod_grows_within_min_only(pool: Pool, tenant: User) -> None:
    pool.quota("team", min=3, max=6)
    pool.pod("firm", "team", cpu=2, labels={f"{PREFIX}preemptible": "false"})
    eventually(lambda: "firm" in pool.running(), True)
    allocate(pool, "firm", 2)
    eventually(lambda: pool.status("team")["admitted"]["cpu"], "2")
    found = eventually(
        lambda: refusal(lambda: resize(tenant, pool, "firm", 4, dry_run=True)),
        lambda refused: "PD1305" in refused.message,
    )
    assert found.message == (
        f"{DENIED}Pod {pool.namespace}/firm: needs 2 cpu more and may not be evicted; such pods of "
        f"quota '{pool.name('team')}' may use what is guaranteed, and they use 2 of 3. Ask for "
        "less, or have the guarantee raised. More: kubectl elastic-quota explain quota "
        f"{pool.name('team')} [PD1305]"
    )
    resize(tenant, pool, "firm", 3)


def test_s18_shrinking_and_growing_again_gains_nothing(pool: Pool, tenant: User) -> None:
    pool.quota("team", min=4, max=4)
    running(pool, "web", "team", 3)
    eventually(lambda: pool.used("team"), "3")
    # A pod that only asks for less keeps its room until the node has allocated less.
    resize(tenant, pool, "web", 1)
    pool.pod("next", "team", cpu=3)
    eventually(lambda: pool.status("team")["pods"]["gated"], 1)
    assert pool.used("team") == "3"
    resize(tenant, pool, "web", 3)
    resize(tenant, pool, "web", 1)
    # Once it has, the room goes to the pod that waits for it, and does not come back.
    allocate(pool, "web", 1)
    eventually(lambda: "next" in pool.running(), True)
    eventually(lambda: pool.status("team")["admitted"]["cpu"], "4")
    assert said(tenant, pool, "web", 3, left=0).endswith(
        f"needs 2 cpu more; quota '{pool.name('team')}' has 0 of its current share of 4 left "
        "(guaranteed 4, limit 4). Ask for less, or wait until others use less. "
        f"More: kubectl elastic-quota explain quota {pool.name('team')} [PD1305]"
    )
    eventually(lambda: pool.used("team"), "4")


def test_a_gated_pod_is_judged_at_its_release(pool: Pool) -> None:
    pool.quota("team", min=1, max=1)
    pool.pods("team", 2)
    eventually(lambda: len(pool.gated("team")), 1)
    (waiting,) = pool.gated("team")
    resize(pool.admin, pool, waiting, 9)
    eventually(lambda: pool.status("team")["pods"], {"admitted": 1, "gated": 1})


def test_a_gated_pod_that_is_resized_without_end_gains_nothing_and_blocks_no_pod(
    pool: Pool,
) -> None:
    """B5: each release pins the size that was judged, and other pods are released meanwhile."""
    pool.quota("team", min=4, max=4)
    pool.pod("first", "team", cpu=4, priority=HIGH)  # as high as the next, so it keeps its place
    eventually(lambda: pool.running("team"), {"first"})
    pool.pod("restless", "team", cpu=1, priority=HIGH)
    eventually(lambda: "restless" in pool.gated("team"), True)
    pool.pods("team", 3, prefix="calm")
    over = threading.Event()

    def resize_without_end() -> None:
        cpu = 1
        while not over.is_set():
            cpu = 10 - cpu
            with contextlib.suppress(RefusedError):  # an admitted pod may not grow
                resize(pool.admin, pool, "restless", cpu)

    with ThreadPoolExecutor(1) as beside:
        resizing = beside.submit(resize_without_end)
        try:
            pool.delete_pods("first")
            eventually(
                lambda: len(pool.running("team") & {"calm-0", "calm-1", "calm-2"}), 3, within=60
            )
        finally:
            over.set()
        resizing.result()
    if "restless" in pool.gated("team"):
        resize(pool.admin, pool, "restless", 1)
    eventually(lambda: len(pool.running("team")), 4)
    assert not pool.gated("team")


def test_the_generation_of_a_pod_counts_its_sizes_and_not_its_messages(pool: Pool) -> None:
    """A release uses it to check that the pod is unchanged since the decision."""
    pool.quota("team", min=1, max=1)
    pool.pods("team", 2)
    eventually(lambda: len(pool.gated("team")), 1)
    (waiting,) = pool.gated("team")
    told = eventually(
        lambda: pool.get_pod(waiting), lambda pod: condition(pod, "PodScheduled")["message"]
    )
    assert told["metadata"]["generation"] == 1
    resize(pool.admin, pool, waiting, 9)
    assert pool.get_pod(waiting)["metadata"]["generation"] == 2
