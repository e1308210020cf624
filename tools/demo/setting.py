"""Creates the objects of the demo: two node pools, two profiles, two trees."""

from collections.abc import Iterator

from demo.cluster import Ground
from demo.stage import Stage
from elasticquota import names


CPU_NODES = frozenset(f"cpu-{number}" for number in range(1, 7))
GPU_NODES = frozenset(f"gpu-{number}" for number in range(1, 5))


def prepare(stage: Stage, _: Ground) -> None:
    """Create nodes, profiles and quotas. Raises ``claims.ClaimError``."""
    stage.screen.say(
        "Ten nodes in two pools: 6 nodes of 8 cpu, and 4 nodes of 8 cpu with 4 GPUs each. Each "
        "pool has a profile, and each profile makes a tree of quotas. In the cpu tree, team-a (min "
        "24 cpu) and team-b (min 16 cpu) are below the quota engineering (min 40 cpu). The gpu "
        "tree has one quota, vision."
    )
    stage.apply("1-nodes.yaml", "2-profiles.yaml")
    stage.claim("all ten nodes are Ready", CPU_NODES | GPU_NODES, lambda: _ready(stage))
    stage.claim(
        "the controller made a root quota per pool, as large as its nodes (used/usable/min..max)",
        {"cpu-pool": "0/48/48..-", "gpu-pool": "0/32/32..-"},
        lambda: stage.cpu("cpu-pool", "gpu-pool"),
    )
    stage.apply("3-quotas.yaml")
    stage.claim("all six quotas are accepted", ["True"] * 6, lambda: list(_accepted(stage)))
    stage.tree()


def _ready(stage: Stage) -> frozenset[str]:
    return frozenset(
        node["metadata"]["name"]
        for node in stage.client.items("nodes", "-l", "example.com/pool")
        for condition in node["status"].get("conditions", ())
        if condition["type"] == "Ready" and condition["status"] == "True"
    )


def _accepted(stage: Stage) -> Iterator[str]:
    """The verdicts on the quotas of the demo; the built-in ones have objects, too."""
    for quota in stage.client.items("elasticquotas", "-A"):
        if quota["metadata"]["name"] in names.RESERVED_QUOTAS:
            continue
        for condition in quota.get("status", {}).get("conditions", ()):
            if condition["type"] == "Accepted":
                yield condition["status"]
