"""A pod runs on the nodes of its quota's tree, whatever else it requires."""

from collections.abc import Callable

import pytest

from scenes import Pool, condition
from users import Document
from waiting import eventually


pytestmark = pytest.mark.cluster


def node_of(pool: Pool, pod: str) -> str:
    return str(pool.get_pod(pod)["spec"].get("nodeName", ""))


def test_a_gpu_pod_lands_on_the_gpu_pool_only(new_pool: Callable[..., Pool]) -> None:
    plain = new_pool(nodes=2, cpu=8)
    gpus = new_pool(nodes=1, cpu=8, gpu=4)
    gpus.quota("research", min={"cpu": "4", "nvidia.com/gpu": 4}, max=None)
    pods = gpus.pods("research", 4, devices={"gpu": 1})
    eventually(lambda: gpus.running("research"), set(pods))
    assert {node_of(gpus, pod) for pod in pods} == gpus.nodes()
    assert not plain.nodes() & gpus.nodes()
    eventually(lambda: gpus.used("research", "nvidia.com/gpu"), "4")


def test_a_pod_without_gpus_stays_in_its_tree_too(new_pool: Callable[..., Pool]) -> None:
    new_pool(nodes=2, cpu=8)
    small = new_pool(nodes=1, cpu=8)
    small.quota("team", min=8, max=8)
    pods = small.pods("team", 8)
    eventually(lambda: small.running("team"), set(pods))
    assert {node_of(small, pod) for pod in pods} == small.nodes()


def test_every_alternative_of_a_pods_own_affinity_is_narrowed_to_the_tree(pool: Pool) -> None:
    pool.quota("team", min=2, max=4)
    own = [{"key": "zone", "operator": "In", "values": [zone]} for zone in ("east", "west")]
    terms = [{"matchExpressions": [expression]} for expression in own]
    pool.pod("picky", "team", affinity=required(terms))
    tree = {"key": "pool", "operator": "In", "values": [pool.namespace]}
    narrowed = [{"matchExpressions": [expression, tree]} for expression in own]
    # At its creation, or at its release if the replica did not know the quota yet.
    eventually(lambda: pool.get_pod("picky")["spec"]["affinity"], required(narrowed))


def required(terms: list[Document]) -> Document:
    return {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}
        }
    }


def label(pool: Pool, node: str, **labels: str) -> None:
    pool.admin.patch("Node", node, change={"metadata": {"labels": labels}})


def select(pool: Pool, *expressions: Document) -> None:
    """Edit the profile; its nodes keep the pool's label."""
    mine = {"key": "pool", "operator": "In", "values": [pool.namespace]}
    selector = {"matchLabels": None, "matchExpressions": [mine, *expressions]}
    change = {"spec": {"nodeSelector": selector}}
    pool.admin.patch("ElasticQuotaProfile", "pool", pool.namespace, change=change)


@pytest.mark.parametrize(
    ("expression", "on_it"),
    [
        ({"key": "zone", "operator": "NotIn", "values": ["east"]}, False),
        ({"key": "zone", "operator": "Exists"}, True),
        ({"key": "zone", "operator": "DoesNotExist"}, False),
    ],
    ids=["NotIn", "Exists", "DoesNotExist"],
)
def test_the_stock_scheduler_obeys_every_operator_of_a_selector(
    pool: Pool, expression: Document, on_it: bool
) -> None:
    east, west = sorted(pool.nodes())
    label(pool, east, zone="east")
    select(pool, expression)
    eventually(lambda: pool.root_quota()["spec"]["min"]["cpu"], "8")
    pool.quota("team", min=8, max=8)
    terms: list[Document] = [{}]
    for node in (east, west):
        field = {"key": "metadata.name", "operator": "In", "values": [node]}
        terms.append({"matchFields": [field]})
    pods = pool.pods("team", 4, affinity=required(terms))
    eventually(lambda: pool.running("team"), set(pods))
    assert {node_of(pool, pod) for pod in pods} == {east if on_it else west}


def test_a_profile_that_is_edited_while_a_pod_waits_decides_where_it_runs(pool: Pool) -> None:
    pool.quota("team", min=1, max=1)
    pool.pod("first", "team")
    eventually(lambda: pool.running("team"), {"first"})
    own = {"key": "disk", "operator": "DoesNotExist"}
    pool.pod("second", "team", affinity=required([{"matchExpressions": [own]}]))
    eventually(lambda: pool.gated("team"), {"second"})
    (chosen,) = {max(pool.nodes())}
    label(pool, chosen, zone="west")
    west = {"key": "zone", "operator": "In", "values": ["west"]}
    select(pool, west)
    eventually(lambda: pool.root_quota()["spec"]["min"]["cpu"], "8")
    pool.delete_pods("first")
    eventually(lambda: pool.running("team"), {"second"})
    assert node_of(pool, "second") == chosen
    tree = {"key": "pool", "operator": "In", "values": [pool.namespace]}
    assert pool.get_pod("second")["spec"]["affinity"] == required(
        [{"matchExpressions": [own, tree, west]}]
    )


def test_a_pod_that_no_node_could_host_waits_and_says_so(pool: Pool) -> None:
    pool.quota("team", min=8, max=16)
    # A pod that is seen before its quota counts in the default quota first, and its message says
    # so.
    eventually(lambda: condition(pool.get("team"), "Accepted")["status"], "True")
    pool.pod("huge", "team", cpu=12)
    event = eventually(lambda: pool.events("huge"), lambda found: "QuotaWait" in found)
    assert event["QuotaWait"].startswith(
        f"Waiting for quota {pool.name('team')}: needs 12 cpu; the largest node of the tree offers "
        "8. "
    )
    pool.pod("small", "team")
    eventually(lambda: pool.running("team"), {"small"})


def test_a_pod_without_label_belongs_to_the_quota_that_binds_its_namespace(pool: Pool) -> None:
    bound = {"quota.scheduling.koordinator.sh/namespaces": f'["{pool.namespace}"]'}
    pool.quota("team", min=2, max=4, annotations=bound)
    eventually(lambda: condition(pool.get("team"), "Accepted")["status"], "True")
    pod = pool.pod("plain", None)
    assert pod["metadata"]["labels"] == {"quota.scheduling.koordinator.sh/name": pool.name("team")}
    eventually(lambda: pool.running("team"), {"plain"})
