"""Two kinds of GPU in one tree: bounds, preference, fallback and reclaim by pool."""

from collections.abc import Callable
from typing import Any

import pytest

import served
import tenants
from scenes import Pool, condition, refusal
from users import User
from waiting import eventually


pytestmark = pytest.mark.cluster

MODEL = "gpu.model"
GPU = "nvidia.com/gpu"
A100, T4 = (f"{name}.pool.elasticquota.dev/nvidia.com_gpu" for name in ("a100", "t4"))
BOTH = [
    {"name": "a100", "nodeLabels": {MODEL: "a100"}},
    {"name": "t4", "nodeLabels": {MODEL: "t4"}},
]
GENEROUS = 60


def name_pools(pool: Pool, pools: Any) -> None:
    change = {"spec": {"pools": pools}}
    pool.admin.patch("ElasticQuotaProfile", "pool", pool.namespace, change=change)


def offered(pool: Pool) -> dict[str, Any]:
    """What the nodes of each pool offer, as the root quota says it."""
    return {each["name"]: each["min"] for each in pool.root_quota()["spec"].get("pools", ())}


@pytest.fixture
def kinds(new_pool: Callable[..., Pool]) -> Pool:
    """Two nodes with an A100 each, and two with a T4 each."""
    pool = new_pool(nodes=4, cpu=8, gpu=1)
    for index, node in enumerate(sorted(pool.nodes())):
        labels = {MODEL: "a100" if index < 2 else "t4"}
        pool.admin.patch("Node", node, change={"metadata": {"labels": labels}})
    name_pools(pool, BOTH)
    eventually(lambda: offered(pool), {"a100": {GPU: "2"}, "t4": {GPU: "2"}})
    return pool


def quota(pool: Pool, short: str, least: dict[str, int], most: dict[str, int]) -> None:
    inside = [
        {"name": name, "min": {GPU: str(least.get(key, 0))}, "max": {GPU: str(most[key])}}
        for name, key in (("a100", A100), ("t4", T4))
        if key in most
    ]
    pool.quota(short, min={"cpu": "0"}, max={"cpu": "32"}, pools=inside)
    eventually(lambda: condition(pool.get(short), "Accepted")["status"], "True")


def gpu_pods(pool: Pool, team: str, count: int, **facts: Any) -> list[str]:
    return pool.pods(team, count, devices={"gpu": 1}, **facts)


def model_of(pool: Pool, pod: str) -> str:
    node = pool.get_pod(pod)["spec"].get("nodeName", "")
    return str(pool.admin.get("Node", node)["metadata"]["labels"][MODEL]) if node else ""


def models(pool: Pool, pods: list[str]) -> list[str]:
    return sorted(model_of(pool, pod) for pod in pods)


def test_the_preferred_pool_is_filled_first_and_then_the_next_one(kinds: Pool) -> None:
    quota(kinds, "team", {}, {A100: 2, T4: 1})
    first = gpu_pods(kinds, "team", 1)
    eventually(lambda: kinds.running("team"), set(first), within=GENEROUS)
    assert models(kinds, first) == ["a100"]
    more = gpu_pods(kinds, "team", 3, prefix="more")
    eventually(lambda: len(kinds.running("team")), 3, within=GENEROUS)
    running = sorted(kinds.running("team"))
    assert models(kinds, running) == ["a100", "a100", "t4"]
    eventually(lambda: kinds.status("team")["summary"].get("pools"), "a100 2/2/0..2, t4 1/1/0..1")
    (waiting,) = kinds.gated("team")
    assert waiting in more
    assert (kinds.used("team", A100), kinds.used("team", T4)) == ("2", "1")


def test_a_pod_is_held_at_the_max_of_its_pool_while_the_other_pool_is_idle(kinds: Pool) -> None:
    quota(kinds, "team", {}, {A100: 1, T4: 2})
    pods = gpu_pods(kinds, "team", 2, nodeSelector={MODEL: "a100"})
    eventually(lambda: len(kinds.running("team")), 1, within=GENEROUS)
    (waiting,) = kinds.gated("team")
    said = eventually(lambda: kinds.events(waiting), lambda found: "QuotaWait" in found)
    assert (
        "needs 1 nvidia.com/gpu of pool a100; its current share of 1 is in use" in said["QuotaWait"]
    )
    assert models(kinds, [pod for pod in pods if pod != waiting]) == ["a100"]


def test_the_pods_of_a_group_go_to_the_pool_that_has_room_for_all_of_them(kinds: Pool) -> None:
    quota(kinds, "team", {}, {A100: 2, T4: 2})
    quota(kinds, "other", {}, {A100: 1, T4: 0})
    taken = set(gpu_pods(kinds, "other", 1))
    eventually(lambda: kinds.running("other"), taken, within=GENEROUS)
    labels = {
        "scheduling.x-k8s.io/pod-group": "train",
        "elasticquota.dev/pod-group-size": "2",
    }
    pods = gpu_pods(kinds, "team", 2, labels=labels)
    eventually(lambda: kinds.running("team"), set(pods), within=GENEROUS)
    assert models(kinds, pods) == ["t4", "t4"]


def test_reclaim_for_a_min_in_a_pool_evicts_only_in_this_pool(kinds: Pool) -> None:
    quota(kinds, "owner", {T4: 1}, {A100: 2, T4: 2})
    quota(kinds, "borrower", {}, {A100: 2, T4: 2})
    borrowed = gpu_pods(kinds, "borrower", 4)
    eventually(lambda: kinds.running("borrower"), set(borrowed), within=GENEROUS)
    on_a100 = {pod for pod in borrowed if model_of(kinds, pod) == "a100"}
    assert len(on_a100) == 2
    (own,) = gpu_pods(kinds, "owner", 1)
    eventually(lambda: kinds.running("owner"), {own}, within=GENEROUS)
    assert model_of(kinds, own) == "t4"
    assert on_a100 <= kinds.running("borrower")


def test_pools_that_cannot_be_read_are_refused_and_the_last_ones_stay(
    kinds: Pool, admin: User
) -> None:
    twice = [*BOTH, {"name": "t4", "nodeLabels": {"x": "y"}}]
    message = refusal(lambda: name_pools(kinds, twice)).message
    said = "spec.pools: Invalid value: must not name a pool twice"
    assert said in served.without_values(message)
    assert "[EP1201]" in message
    hidden = [{"name": "rest", "nodeLabels": {}}, *BOTH]
    said = "spec.pools[1].nodeLabels: every node of pool 'a100' is in pool 'rest' too"
    assert said in refusal(lambda: name_pools(kinds, hidden)).message
    with tenants.without_webhooks(admin):
        name_pools(kinds, hidden)
    eventually(
        lambda: condition(admin.get("ElasticQuotaProfile", "pool", kinds.namespace), "Ready")[
            "message"
        ],
        lambda text: said in text,
    )
    quota(kinds, "team", {}, {A100: 1, T4: 0})
    gpu_pods(kinds, "team", 2)
    eventually(lambda: len(kinds.running("team")), 1, within=GENEROUS)
    assert offered(kinds)["a100"] == {GPU: "2"}
    assert kinds.root_quota()["spec"]["tree"]["pools"] == BOTH
    assert len(kinds.gated("team")) == 1


def test_a_misspelled_pool_is_refused_with_the_nearest_name(kinds: Pool) -> None:
    wrong = [{"name": "a10", "max": {GPU: "1"}}]
    message = refusal(lambda: kinds.quota("team", pools=wrong)).message
    said = f"spec.pools[a10].max.{GPU}: names pool 'a10', but tree '{kinds.root}' has a100, t4"
    assert said in message
    assert "Did you mean 'a100'? [EQ1103]" in message
