"""A guarantee counts only on nodes where the pod can run; nodes that exclude it give it no room."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from scenes import HIGH, Pool, condition
from users import Document
from waiting import eventually


pytestmark = pytest.mark.cluster

SSD = {"disk": "ssd"}
GENEROUS = 60


def label(pool: Pool, node: str, **labels: str) -> None:
    pool.admin.patch("Node", node, change={"metadata": {"labels": labels}})


def taint(pool: Pool, node: str, key: str) -> None:
    taints = [{"key": key, "effect": "NoSchedule"}]
    pool.admin.patch("Node", node, change={"spec": {"taints": taints}})


def on(node: str) -> dict[str, Any]:
    """Constraints that keep a pod on one node."""
    return {"nodeSelector": {"kubernetes.io/hostname": node}}


def node_of(pool: Pool, pod: str) -> str:
    return str(pool.get_pod(pod)["spec"].get("nodeName", ""))


def says(pool: Pool, pod: str) -> str:
    return str(condition(pool.get_pod(pod), "PodScheduled")["message"])


def port(number: int) -> Mapping[str, object]:
    """The containers of a pod of 1 cpu that takes a port of its node."""
    return {
        "containers": [
            {
                "name": "main",
                "image": "registry.example/main:1",
                "ports": [{"containerPort": number, "hostPort": number}],
                "resources": {"requests": {"cpu": "1"}},
            }
        ]
    }


def test_a_guarantee_holds_beside_a_tainted_node_that_has_room(
    new_pool: Callable[..., Pool],
) -> None:
    """Four full nodes, and a fifth one that is idle, which only pods of another kind may use."""
    pool = new_pool(nodes=4, cpu=8)
    for node in pool.nodes():
        label(pool, node, **SSD)
    taint(pool, idle := pool.add_node(cpu=8), "gpu")
    eventually(lambda: pool.root_quota()["spec"]["min"]["cpu"], "40")
    pool.quota("own", min=16)
    pool.quota("bor")
    borrowed = pool.pods("bor", 40)
    eventually(lambda: len(pool.running("bor")), 32, within=GENEROUS)
    waiting = eventually(lambda: pool.gated("bor"), lambda found: len(found) == 8)
    eventually(
        lambda: says(pool, min(waiting)),
        lambda said: "NoNodeFitsNow" in said and "1 has taint gpu:NoSchedule" in said,
    )
    own = pool.pods("own", 4, nodeSelector=SSD)
    eventually(lambda: pool.running("own"), set(own), within=GENEROUS)
    assert idle not in {node_of(pool, pod) for pod in own}
    assert len(pool.running("bor") & set(borrowed)) == 28


def test_a_pod_that_needs_a_full_node_waits_and_preempts_no_pod(pool: Pool) -> None:
    """If it were ungated, the stock scheduler would preempt guaranteed pods for its priority."""
    first, _ = sorted(pool.nodes())
    pool.quota("own", min=8)
    pool.quota("other", min=1, max=8)
    guaranteed = pool.pods("own", 8, **on(first))
    eventually(lambda: pool.running("own"), set(guaranteed))
    pool.pod("greedy", "other", cpu=4, priority=HIGH, **on(first))
    eventually(
        lambda: says(pool, "greedy"),
        lambda said: "NoNodeFitsNow" in said and "1 has less than 4 cpu free" in said,
    )
    assert pool.gated("other") == {"greedy"}
    assert pool.running("own") == set(guaranteed)
    pool.delete_pods(*guaranteed[:4])
    eventually(lambda: pool.running("other"), {"greedy"})
    assert pool.running("own") == set(guaranteed[4:])


def test_a_pod_that_no_node_takes_says_what_keeps_it_off(pool: Pool) -> None:
    pool.quota("team", min=8, max=16)
    eventually(lambda: condition(pool.get("team"), "Accepted")["status"], "True")
    pool.pod("lost", "team", nodeSelector=SSD)
    event = eventually(lambda: pool.events("lost"), lambda found: "QuotaWait" in found)
    assert event["QuotaWait"].startswith(
        f"Waiting for quota {pool.name('team')}: no node of the tree is for it: 2 lack label "
        "disk=ssd. "
    )
    label(pool, chosen := max(pool.nodes()), **SSD)
    eventually(lambda: pool.running("team"), {"lost"})
    assert node_of(pool, "lost") == chosen


def test_a_cordoned_node_gives_no_room(pool: Pool) -> None:
    first, second = sorted(pool.nodes())
    pool.cordon(first)
    pool.quota("team", min=16)
    pods = pool.pods("team", 9)
    eventually(lambda: len(pool.running("team")), 8)
    (last,) = eventually(lambda: pool.gated("team"), lambda found: len(found) == 1)
    eventually(lambda: says(pool, last), lambda said: "1 is cordoned" in said)
    assert {node_of(pool, pod) for pod in pods if pod != last} == {second}
    pool.admin.patch("Node", first, change={"spec": {"unschedulable": None}})
    eventually(lambda: pool.running("team"), set(pods))


def test_a_pod_within_min_that_the_scheduler_refuses_gets_another_node(pool: Pool) -> None:
    """Its port is taken on the node with room; quotas know nothing of ports."""
    first, second = sorted(pool.nodes())
    pool.quota("own", min=4)
    pool.quota("bor")
    pool.admin.create({**_with(pool, "taker", "bor", port(8080), first)})
    fillers = pool.pods("bor", 8, **on(second))
    eventually(lambda: pool.running("bor"), {"taker", *fillers})
    pool.admin.create(_with(pool, "server", "own", port(8080), None))
    eventually(lambda: pool.running("own"), {"server"}, within=GENEROUS)
    assert node_of(pool, "server") == second
    assert len(pool.running("bor")) == len(fillers)


def _with(
    pool: Pool, short: str, quota: str, spec: Mapping[str, object], node: str | None
) -> Document:
    manifest = pool.pod_manifest(short, quota, **(on(node) if node else {}))
    manifest["spec"] = {**manifest["spec"], **spec}
    return manifest


def test_nodes_of_the_control_plane_are_in_a_tree_that_asks_for_them(pool: Pool) -> None:
    role = "node-role.kubernetes.io/control-plane"
    eventually(lambda: pool.root_quota()["spec"]["min"]["cpu"], "16")
    taint(pool, node := pool.add_node(cpu=8), role)
    label(pool, node, **{role: ""})
    pool.add_node(cpu=1)
    eventually(lambda: pool.root_quota()["spec"]["min"]["cpu"], "17")
    asks = [{"key": "pool", "operator": "In", "values": [pool.namespace]}]
    selector = {
        "matchLabels": None,
        "matchExpressions": [*asks, {"key": role, "operator": "Exists"}],
    }
    change = {"spec": {"nodeSelector": selector}}
    pool.admin.patch("ElasticQuotaProfile", "pool", pool.namespace, change=change)
    eventually(lambda: pool.root_quota()["spec"]["min"]["cpu"], "8")
