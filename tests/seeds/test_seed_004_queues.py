"""Seed 004, queue quotas: its numbers as native quotas, where guaranteed is min."""

import msgspec
import pytest

import forests
from elasticquota import names
from elasticquota.wire.kubernetes import pods
from worlds import World


STATIC = (
    "advertisement 50..80 memory=500000000000..800000000000; "
    "search 40..60 memory=400000000000..600000000000; "
    "sandbox 10..10 memory=100000000000..100000000000"
)
"""The published queues; device is vcore, 500G is 500 * 10^9 bytes."""
G = 10**9


def children(weights: str = "", **asked: int) -> tuple[int, int, int]:
    """Runtimes of child1 (no quota of its own), child2 and child3 (750 each) below 900."""
    w1, w2, w3 = weights.split() if weights else ("", "", "")
    line = f"parent ..900; child1<parent {w1}; child2<parent ..750 {w2}; child3<parent ..750 {w3}"
    found = forests.runtimes(line, 2000, **asked)
    assert found["parent"] == found["child1"] + found["child2"] + found["child3"]
    return found["child1"], found["child2"], found["child3"]


def test_seed_004_quota_configuration_three_hungry_children_use_900_together() -> None:
    """Seed: "A demand of more than 1000 each": shared as the default weights 900, 750, 750."""
    assert children(child1=1001, child2=1001, child3=1001) == (338, 281, 281)


@pytest.mark.parametrize(
    ("weights", "asked", "shares"),
    [
        # The seed's first: all 900 used by child1 alone.
        ("", {"child1": 1001}, (900, 0, 0)),
        # Its second: spread out evenly, 300 by each.
        ("w=1 w=1 w=1", {"child1": 1001, "child2": 1001, "child3": 1001}, (300, 300, 300)),
        # Its third: child2 at its 750, and child3 uses the 150 left over.
        ("", {"child2": 1001, "child3": 150}, (0, 750, 150)),
    ],
)
def test_seed_004_quota_configuration_each_listed_distribution_comes_from_one_rule(
    weights: str, asked: dict[str, int], shares: tuple[int, int, int]
) -> None:
    assert children(weights, **asked) == shares


def test_seed_004_quota_configuration_a_child_without_quota_ends_at_its_parents() -> None:
    assert children(child1=5000) == (900, 0, 0)


def test_seed_004_quota_configuration_a_larger_child_quota_has_no_effect() -> None:
    assert forests.runtimes("parent ..900; child<parent ..1500", 2000, child=1500) == {
        "parent": 900, "child": 900,
    }  # fmt: skip


def test_seed_004_quota_rules_the_root_follows_the_nodes() -> None:
    """Seed: "Node additions and removals update the root queue quota automatically"."""
    world = World(nodes=2, cpu=8)
    world.node("added", cpu=4)
    (root,) = world.decide().roots
    assert root.min["cpu"] == 20_000


def test_seed_004_quota_rules_a_pod_that_does_not_fit_waits_and_is_not_consumed() -> None:
    """A new pod "is always accepted"; what waits is not "counted towards the consumed quota"."""
    world = World(nodes=1, cpu=10)
    world.quota("child", max=3)
    world.pods("child", 2)
    world.pods("child", 4, waiting=True)
    decisions = world.decide()
    (status,) = [status for status in decisions.statuses if status.key.name == "child"]
    assert status.used["cpu"] == 2_000
    assert status.request["cpu"] == 6_000
    assert (len(decisions.releases), len(decisions.waits)) == (1, 3)


def test_seed_004_converting_resources_the_example_pod_has_the_published_size() -> None:
    """250m -> 250, 1Gi -> 1073741824, hugepages-1Gi 1 -> 1."""
    asked = {"cpu": "250m", "memory": "1Gi", "hugepages-1Gi": "1"}
    assert size(asked) == {"cpu": 250, "memory": 1_073_741_824, "hugepages-1Gi": 1}


def test_seed_004_converting_resources_containers_are_added_up() -> None:
    asked = {"cpu": "250m", "memory": "1Gi", "nvidia.com/gpu": "1"}
    assert size(asked, asked) == {"cpu": 500, "memory": 2 * 1_073_741_824, "nvidia.com/gpu": 2}


def size(*containers: dict[str, str]) -> dict[str, int]:
    spec = {"containers": [{"resources": {"requests": requests}} for requests in containers]}
    request = dict(pods.read(msgspec.convert({"spec": spec}, pods.PodManifest)).request)
    assert request.pop(names.PODS) == 1
    return request


def test_seed_004_static_queues_the_guaranteed_parts_are_the_whole_cluster() -> None:
    assert vcores_and_memory(advertisement=100, search=100, sandbox=100) == {
        "advertisement": (50, 500), "search": (40, 400), "sandbox": (10, 100),
    }  # fmt: skip


def test_seed_004_static_queues_idle_guarantees_are_used_up_to_max() -> None:
    assert vcores_and_memory(search=100) == {
        "advertisement": (0, 0), "search": (60, 600), "sandbox": (0, 0),
    }  # fmt: skip
    assert vcores_and_memory(advertisement=100, search=20) == {
        "advertisement": (80, 800), "search": (20, 200), "sandbox": (0, 0),
    }  # fmt: skip


def test_seed_004_static_queues_the_sandbox_is_kept_at_10_and_never_below() -> None:
    for others in (0, 20, 100):
        found = vcores_and_memory(advertisement=others, search=others, sandbox=100)
        assert found["sandbox"] == (10, 100)


def vcores_and_memory(**asked: int) -> dict[str, tuple[int, int]]:
    """Runtimes in vcores and G on 100 vcores and 1000G, when every vcore comes with 10G."""
    tree, forest = forests.default_tree(STATIC)
    own = {
        name: {forests.DEVICE: amount, names.MEMORY: amount * 10 * G}
        for name, amount in asked.items()
    }
    solved = forests.solved(tree, forest, own, {forests.DEVICE: 100, names.MEMORY: 1000 * G})
    found = {name: solved.runtime(name) for name in tree.order}
    return {
        name: (found[name][forests.DEVICE], found[name][names.MEMORY] // G)
        for name in ("advertisement", "search", "sandbox")
    }
