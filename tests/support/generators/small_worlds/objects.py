"""The objects of a world as the API server has them, each made once for all worlds that have it."""

from collections.abc import Iterator
from functools import cache
from typing import Final

from elasticquota import names
from elasticquota.decisions.decide import decide
from elasticquota.ledger.ledger import Ledger
from elasticquota.model import moments
from elasticquota.model.decision import RootQuota
from elasticquota.model.key import Key
from elasticquota.model.node import Node, Taint
from elasticquota.model.pools import Pool, Pools
from elasticquota.model.profile import Profile
from elasticquota.model.quota import Quota
from elasticquota.model.selector import Requirement, Selector
from elasticquota.resources import Resources
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import replace
from small_worlds.description import Bounds, NodeSpec, WorldSpec


ROOT: Final = "pool-root"
_TREE: Final = "42"
_UNITS: Final = {"": 1, "memory": 2**30, "nvidia.com/gpu": 1}
_HOST: Final = "kubernetes.io/hostname"
PROFILE: Final = Profile(
    Key("system", "pool"),
    "profile",
    "2026-01-01T00:00:00Z",
    ROOT,
    Selector((Requirement("pool", "In", ("main",)),)),
    tree_id=_TREE,
)
_POOLS: Final = Pools((Pool("x", (("kind", "n0"),)), Pool("y", (("kind", "n1"),))))
IN_POOLS: Final = replace(PROFILE, pools=_POOLS)


@cache
def policy(patience: int) -> Policy:
    """The policy of the controller; ``patience`` in ms."""
    return Policy(head_of_line=patience)


@cache
def stamp(second: int) -> str:
    """An RFC 3339 time."""
    return moments.text(second * 1000)


def resources(bounds: Bounds, second: str) -> Resources:
    """Amounts as quotas and nodes state them."""
    found = {}
    if bounds[0] is not None:
        found["cpu"] = bounds[0] * 1000
    if second and bounds[1] is not None:
        found[second] = bounds[1] * _UNITS[second]
    return found


@cache
def request(cpu: int, amount: int, second: str) -> Resources:
    """What a pod requests."""
    more = {second: amount * _UNITS[second]} if amount else {}
    return {"cpu": cpu * 1000, **more, names.PODS: 1}


@cache
def nodes(specs: tuple[NodeSpec, ...], second: str) -> tuple[Node, ...]:
    """The nodes ``n0`` and ``n1``."""
    return tuple(
        Node(
            name=f"n{number}",
            created="2026-01-01T00:00:00Z",
            labels={"pool": "main", "kind": f"n{number}", _HOST: f"n{number}"},
            allocatable={**resources((node.cpu, node.second), second), names.PODS: 110},
            taints=(Taint("dedicated", "x", "NoSchedule"),) if node.tainted else (),
        )
        for number, node in enumerate(specs)
    )


@cache
def pooled_roots(specs: tuple[NodeSpec, ...], second: str) -> tuple[RootQuota, ...]:
    """What the controller writes on the roots of trees with pools: it follows from the nodes."""
    ledger = Ledger()
    for quota in quotas(WorldSpec((), specs, (), second)):
        ledger.upsert_quota(quota)
    ledger.upsert_profile(IN_POOLS)
    for node in nodes(specs, second):
        ledger.upsert_node(node)
    return decide(ledger, 0).roots


def quotas(spec: WorldSpec) -> Iterator[Quota]:
    """The root, and the quotas of the world."""
    parents = {quota.parent for quota in spec.quotas}
    total = resources(
        (sum(node.cpu for node in spec.nodes), sum(node.second for node in spec.nodes)),
        spec.second,
    )
    yield Quota(
        key=Key("system", ROOT),
        uid=ROOT,
        created="2026-01-01T00:00:00Z",
        is_parent=True,
        is_root=True,
        tree_id=_TREE,
        profile="pool",
        min=total,
        max=dict.fromkeys(total, 2**62),
    )
    for number, quota in enumerate(spec.quotas):
        yield Quota(
            key=Key("t", quota.name),
            uid=f"uid-{quota.name}",
            created=stamp(number + 1),
            parent=quota.parent or ROOT,
            is_parent=quota.name in parents,
            tree_id=_TREE,
            min=resources(quota.min, spec.second),
            max=resources(quota.max, spec.second),
        )
