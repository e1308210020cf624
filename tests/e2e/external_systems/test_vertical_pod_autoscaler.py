"""The real updater and admission controller of Vertical Pod Autoscaler against our admission.

Recommendations are written by the tests (``vpa_programs``).
"""

from collections.abc import Callable, Iterator

import pytest

import metrics
import served
import vpa_programs
from installation import CONTROLLER, Installation, Kubectl
from kubelet import allocate
from local_cluster import cluster as local
from scenes import Pool, condition
from users import RefusedError, User
from vpa_programs import Autoscaler
from waiting import eventually, stays


pytestmark = [pytest.mark.cluster, pytest.mark.long, pytest.mark.timeout(900)]

Scaled = Callable[..., Pool]


@pytest.fixture(scope="module")
def autoscaler(
    product: Installation,
    cluster: local.Cluster,
    kubectl: Kubectl,
    admin: User,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Autoscaler]:
    folder = tmp_path_factory.mktemp("vertical-pod-autoscaler")
    with vpa_programs.running(cluster, kubectl, admin, folder) as found:
        yield found


@pytest.fixture
def web(pool: Pool, autoscaler: Autoscaler) -> Iterator[Scaled]:
    """So many pods of 1 cpu in a quota that may use so many, scaled in this mode."""

    def make(mode: str, pods: int, most: int) -> Pool:
        pool.quota("team", min=0, max=most)
        pool.deployment("web", "team", pods)
        for name in eventually(lambda: pool.running("team"), lambda found: len(found) == pods):
            allocate(pool, name, 1)
        pool.admin.create(vpa_programs.scaler(pool, "web", mode))
        return pool

    yield make
    pool.admin.delete_all("VerticalPodAutoscaler", pool.namespace)


def sizes(pool: Pool) -> list[str]:
    """The cpu of each running pod, sorted."""
    pods = (pool.get_pod(name) for name in pool.running("team"))
    return sorted(pod["spec"]["containers"][0]["resources"]["requests"]["cpu"] for pod in pods)


def max_of(pool: Pool, cpu: int) -> None:
    change = {"spec": {"max": {"cpu": str(cpu)}}}
    pool.admin.patch("ElasticQuota", pool.name("team"), pool.namespace, change=change)


def evictions(product: Installation, pool: Pool) -> float:
    """How many pods of the quota we have evicted, by our metrics."""
    name = "elasticquota_evictions_total"
    return sum(
        value
        for pod in product.pods(CONTROLLER).values()
        for labels, value in metrics.of(pod, name)
        if labels["from_quota"] == pool.name("team")
    )


def grows(pool: Pool, name: str) -> bool:
    """Whether this pod could be resized to 2 cpu now."""
    path = "/spec/containers/0/resources/requests/cpu"
    change = [{"op": "replace", "path": path, "value": "2"}]
    try:
        pool.admin.patch(
            "Pod", name, pool.namespace, change=change, subresource="resize", dry_run=True
        )
    except RefusedError:
        return False
    return True


def refused(pool: Pool, runtime: int) -> str:
    """The sentence of a refused resize by 1 cpu."""
    quota = f"quota '{pool.name('team')}'"
    return f"needs 1 cpu more; {quota} has 0 of its current share of {runtime} left"


@served.since(33)  # pods/resize
def test_a_pod_is_resized_in_place_within_the_runtime_and_no_further(
    web: Scaled, autoscaler: Autoscaler, product: Installation
) -> None:
    pool = web("InPlace", pods=1, most=2)
    before = pool.running("team")
    vpa_programs.recommend(pool, "web", cpu=2)
    eventually(lambda: sizes(pool), ["2"], within=60)
    eventually(lambda: pool.used("team"), "2")

    vpa_programs.recommend(pool, "web", cpu=3)
    sentence = refused(pool, runtime=2)
    eventually(lambda: sentence in autoscaler.log("updater"), True, within=60)
    stays(lambda: sizes(pool), ["2"], seconds=5)

    max_of(pool, 3)
    eventually(lambda: sizes(pool), ["3"], within=60)
    assert pool.running("team") == before
    assert evictions(product, pool) == 0


@served.since(33)  # pods/resize
def test_a_pod_that_may_not_grow_is_evicted_by_the_updater_and_its_successor_waits(
    web: Scaled, autoscaler: Autoscaler, product: Installation
) -> None:
    """The mode says so: in place, or by another pod. It is no eviction of ours."""
    pool = web("InPlaceOrRecreate", pods=3, most=3)
    before = pool.running("team")
    # Both replicas of the webhook have read that nothing is left.
    eventually(lambda: grows(pool, min(before)), False)
    stays(lambda: grows(pool, min(before)), False, seconds=2)
    vpa_programs.recommend(pool, "web", cpu=2)
    (waiting,) = eventually(lambda: pool.gated("team"), lambda found: len(found) == 1, within=60)
    assert waiting not in before
    eventually(
        lambda: condition(pool.get_pod(waiting), "PodScheduled")["message"],
        lambda text: "needs 2 cpu" in text and pool.name("team") in text,
    )
    assert refused(pool, runtime=3) in autoscaler.log("updater")
    assert len(pool.running("team") & before) == 2
    events = {
        event["reason"]
        for event in pool.admin.list("Event", pool.namespace)
        if event["involvedObject"]["name"] in before
    }
    assert "EvictedByVPA" in events
    assert "QuotaReclaim" not in events
    assert evictions(product, pool) == 0


@served.since(33)  # pods/resize
def test_of_pods_that_are_resized_at_once_only_as_many_grow_as_fit(
    web: Scaled, autoscaler: Autoscaler, product: Installation
) -> None:
    """The updater resizes them within milliseconds, before a figure shows the first growth."""
    pool = web("InPlace", pods=6, most=8)
    vpa_programs.recommend(pool, "web", cpu=2)
    eventually(lambda: sizes(pool), ["1", "1", "1", "1", "2", "2"], within=60)
    sentence = refused(pool, runtime=8)
    eventually(lambda: sentence in autoscaler.log("updater"), True, within=60)
    stays(lambda: sizes(pool), ["1", "1", "1", "1", "2", "2"], seconds=5)
    assert evictions(product, pool) == 0


def test_a_new_pod_of_the_recommended_size_waits_until_its_quota_has_room(
    web: Scaled,
) -> None:
    pool = web("Initial", pods=3, most=4)
    vpa_programs.recommend(pool, "web", cpu=2)
    scale = {"spec": {"replicas": 4}}

    def grown() -> list[str]:
        pool.admin.patch("Deployment", "web", pool.namespace, change=scale)
        return [
            pool.get_pod(name)["spec"]["containers"][0]["resources"]["requests"]["cpu"]
            for name in pool.gated("team")
        ]

    eventually(grown, ["2"], within=30)
    assert sizes(pool) == ["1", "1", "1"]
    max_of(pool, 5)
    eventually(lambda: sizes(pool), ["1", "1", "1", "2"], within=30)
