"""The demo counts pods by workload: running, waiting at our gate, or in between."""

from typing import Any

from demo import pods as demo_pods
from demo.pods import PodCounts


def pod(name: str, **facts: Any) -> dict[str, Any]:
    """A pod; ``app``, ``phase``, ``node``, ``gates`` and ``leaving`` are the facts that count."""
    metadata: dict[str, Any] = {"name": name}
    if "app" in facts:
        metadata["labels"] = {"app": facts["app"]}
    if facts.get("leaving"):
        metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    spec: dict[str, Any] = {}
    if "node" in facts:
        spec["nodeName"] = facts["node"]
    if "gates" in facts:
        spec["schedulingGates"] = [{"name": gate} for gate in facts["gates"]]
    return {"metadata": metadata, "spec": spec, "status": {"phase": facts.get("phase", "Pending")}}


def test_pods_are_counted_by_their_app_label_else_by_their_name() -> None:
    pods = [pod("web-1", app="web", phase="Running"), pod("train", phase="Running")]
    assert demo_pods.count(pods) == {"train": PodCounts(running=1), "web": PodCounts(running=1)}


def test_a_pod_with_our_gate_waits_and_a_pod_with_another_gate_is_in_between() -> None:
    pods = [
        pod("a", app="web", gates=["other.example/gate", demo_pods.GATE]),
        pod("b", app="web", gates=["other.example/gate"]),
    ]
    assert demo_pods.count(pods) == {"web": PodCounts(waiting=1, between=1)}
    assert demo_pods.waiting(pods) == ["a"]


def test_a_terminating_pod_neither_runs_nor_waits() -> None:
    pods = [
        pod("a", app="web", phase="Running", leaving=True),
        pod("b", app="web", gates=[demo_pods.GATE], leaving=True),
    ]
    assert demo_pods.count(pods) == {"web": PodCounts(between=2)}


def test_an_ungated_pod_that_has_not_started_is_in_between() -> None:
    assert demo_pods.count([pod("a", app="web")]) == {"web": PodCounts(between=1)}


def test_nodes_are_those_of_bound_pods() -> None:
    assert demo_pods.nodes([pod("a", node="cpu-1"), pod("b", node="cpu-1"), pod("c")]) == {"cpu-1"}


def test_the_counts_are_written_as_a_sentence() -> None:
    assert str(PodCounts(running=4, waiting=2)) == "4 running, 2 waiting"
    assert str(PodCounts(between=1)) == "0 running, 0 waiting, 1 starting or terminating"
