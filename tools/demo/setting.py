"""Creates the objects of the demo: two node pools, two profiles, two trees; and removes them."""

from collections.abc import Iterator

from demo import claims
from demo.cluster import Ground
from demo.stage import EXAMPLE, Stage
from elasticquota import names


CPU_NODES = frozenset(f"cpu-{number}" for number in range(1, 7))
GPU_NODES = frozenset(f"gpu-{number}" for number in range(1, 5))

_NAMESPACES = ("team-a", "team-b", "vision", "platform")
_WITHOUT_KWOK = (
    "the example's nodes are Ready (only kwok simulates them: a cluster for --existing needs kwok "
    "with --manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake)"
)


def prepare(stage: Stage, _: Ground) -> None:
    """Create nodes, profiles and quotas. Raises ``claims.ClaimError``."""
    stage.screen.say(
        "Ten nodes in two pools: 6 nodes of 8 cpu, and 4 nodes of 8 cpu with 4 GPUs each. Each "
        "pool has a profile, and each profile makes a tree of quotas. In the cpu tree, team-a (min "
        "24 cpu) and team-b (min 16 cpu) are below the quota engineering (min 40 cpu). The gpu "
        "tree has one quota, vision."
    )
    stage.apply("1-nodes.yaml", "2-profiles.yaml")
    try:
        stage.claim("all ten nodes are Ready", CPU_NODES | GPU_NODES, lambda: _ready(stage))
    except claims.ClaimError as refuted:
        raise claims.ClaimError(_WITHOUT_KWOK, refuted.expected, refuted.seen) from None
    stage.claim(
        "the controller created a root quota per pool, as large as its nodes (used/share/min..max)",
        {"cpu-pool": "0/48/48..-", "gpu-pool": "0/32/32..-"},
        lambda: stage.cpu("cpu-pool", "gpu-pool"),
    )
    stage.apply("3-quotas.yaml")
    stage.claim("all six quotas are accepted", ["True"] * 6, lambda: list(_accepted(stage)))
    stage.tree()


def clear(stage: Stage) -> None:
    """Remove the objects of the demo from an existing cluster, in the order that the rules need."""
    delete = ("delete", "--ignore-not-found", "--wait=false")
    for file in ("7-vision.yaml", "6-team-b.yaml", "5b-team-a-preview.yaml", "5-team-a.yaml"):
        stage.client.run(*delete, "-f", f"{EXAMPLE}/{file}")
    claims.await_equal(
        "the pods of an earlier demo are gone",
        "none",
        lambda: ", ".join(stage.pod_counts(*_NAMESPACES)) or "none",
        60,
    )
    for quotas in (("team-a", "team-a"), ("team-b", "team-b"), ("vision", "vision")):
        stage.client.run(*delete, "elasticquota", quotas[0], "-n", quotas[1])
    stage.client.run(*delete, "elasticquota", "engineering", "-n", "platform")
    stage.client.run("delete", "--ignore-not-found", "-f", f"{EXAMPLE}/2-profiles.yaml")
    for file in ("8-tenant.yaml", "4-priorities.yaml", "3-quotas.yaml", "1-nodes.yaml"):
        stage.client.run("delete", "--ignore-not-found", "-f", f"{EXAMPLE}/{file}")


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
