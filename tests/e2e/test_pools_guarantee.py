"""A min of a whole resource is reclaimed in every pool of the tree."""

from collections.abc import Callable

import pytest

from installation import Kubectl
from scenes import Pool
from waiting import eventually


pytestmark = pytest.mark.cluster

MODEL = "gpu.model"
GPU = "nvidia.com/gpu"
MODELS = ("a100", "t4")


@pytest.fixture
def kinds(new_pool: Callable[..., Pool]) -> Pool:
    """A node with four A100 and one with four T4."""
    pool = new_pool(nodes=2, cpu=16, gpu=4)
    for node, model in zip(sorted(pool.nodes()), MODELS, strict=True):
        pool.admin.patch("Node", node, change={"metadata": {"labels": {MODEL: model}}})
    pools = [{"name": model, "nodeLabels": {MODEL: model}} for model in MODELS]
    change = {"spec": {"pools": pools}}
    pool.admin.patch("ElasticQuotaProfile", "pool", pool.namespace, change=change)
    eventually(
        lambda: [each["min"] for each in pool.root_quota()["spec"].get("pools", ())],
        [{GPU: "4"}] * 2,
    )
    return pool


@pytest.mark.parametrize("least", [4, 6])
def test_a_min_of_any_gpu_returns_from_both_pools(
    kinds: Pool, kubectl: Kubectl, least: int
) -> None:
    """The borrower holds all eight, and no quota is guaranteed GPUs of a single pool."""
    most = {"cpu": "32", GPU: "8"}
    inside = [{"name": model, "max": {GPU: "4"}} for model in MODELS]
    kinds.quota("borrower", min={"cpu": "0"}, max=most, pools=inside)
    kinds.quota("owner", min={"cpu": "0", GPU: str(least)}, max=most, pools=inside)
    kinds.pods("borrower", 8, devices={"gpu": 1})
    eventually(lambda: len(kinds.running("borrower")), 8, within=30)
    own = kinds.pods("owner", least, devices={"gpu": 1})
    names = [f"pod/{pod}" for pod in own]
    kubectl("-n", kinds.namespace, "wait", "--for=condition=Ready", *names, "--timeout=50s")
    eventually(lambda: len(kinds.running("borrower")), 8 - least)
    eventually(lambda: kinds.used("owner", GPU), str(least))
