"""The lists of a cluster of thirty pools, in which each pod may run in one or two of them only.

The pods have 200 different constraints: a node selector for a pool, with or without one of three
zones, or a required affinity for two pools. A third of the pools is tainted, and all pods tolerate
the taint.
"""

from dataclasses import dataclass
from typing import Final

from benchmarks import cluster_lists, pod_manifests, workloads
from benchmarks.cluster_lists import Cluster, Nature
from benchmarks.manifests import Document
from elasticquota import names
from elasticquota.resources import Resources


POOLS: Final = 30
CONSTRAINTS: Final = 200
LABEL: Final = "node.example/kind"

_ZONES: Final = 3
_ZONE: Final = "topology.kubernetes.io/zone"
_TAINT: Final = "node.example/reserved"
_OFFERED: Final = {names.CPU: 160_000_000, names.MEMORY: 640_000 * workloads.GI}
"""By all nodes together; nine tenths full of the pods that run."""


@dataclass(frozen=True, slots=True)
class PooledCluster(Cluster):
    """A pod that runs is on a node that its constraints allow."""

    def node(self, number: int) -> Document:
        """The node of that number, in a pool and a zone."""
        # By name: a dataclass with slots is another class than the one that `super()` would know.
        document = Cluster.node(self, number)
        pool = number % POOLS
        document["metadata"]["labels"] |= {LABEL: _pool(pool), _ZONE: _zone(number // POOLS)}
        if pool % 3 == 0:
            document["spec"]["taints"] = [{"key": _TAINT, "value": "yes", "effect": "NoSchedule"}]
        return document

    def offered(self, number: int) -> Resources:
        """What a node offers; the nodes of a pool have devices of one kind."""
        each = {key: amount // self.nodes for key, amount in _OFFERED.items()}
        return {**each, names.PODS: 110, _device(number % POOLS): 8}

    def nature(self, number: int) -> Nature:
        """The properties of the pod of that number; devices are those of its pool."""
        plain = Cluster.nature(self, number)
        pool, zone = _place(number % CONSTRAINTS)
        size = {key: plain.size[key] for key in _OFFERED if key in plain.size}
        if plain.template % 4 == 0:
            size[_device(pool)] = 1 + number % 4
        turn = number // CONSTRAINTS
        row = turn if zone is None else _ZONES * turn + zone
        node = pool + POOLS * (row % (self.nodes // POOLS // _ZONES * _ZONES))
        return Nature(plain.quota, plain.template, size, cluster_lists.node_name(node), plain.runs)

    def waiting_pod(self, number: int) -> Document:
        """The pod of that number with our gate and its constraints."""
        nature = self.nature(number)
        document = pod_manifests.waiting(number, nature.quota, nature.template, nature.size)
        kind = number % CONSTRAINTS
        pool, zone = _place(kind)
        spec = document["spec"]
        spec["tolerations"] = [*spec["tolerations"], {"key": _TAINT, "operator": "Exists"}]
        if kind >= POOLS * (1 + _ZONES):
            pools = [_pool(pool), _pool(_second(kind))]
            spec["affinity"] = {"nodeAffinity": _required(pools)}
        else:
            spec["nodeSelector"] = {LABEL: _pool(pool)} | (
                {} if zone is None else {_ZONE: _zone(zone)}
            )
        return document


def _place(kind: int) -> tuple[int, int | None]:
    """The (first) pool of a constraint, and its zone."""
    turn = kind // POOLS
    return kind % POOLS, turn - 1 if 1 <= turn <= _ZONES else None


def _second(kind: int) -> int:
    """The other pool of an affinity; each pair of pools occurs once."""
    return (kind % POOLS + 1 + kind // POOLS) % POOLS


def _device(pool: int) -> str:
    return workloads.EXTENDED[pool % len(workloads.EXTENDED)]


def _pool(number: int) -> str:
    return f"kind-{number:02}"


def _zone(number: int) -> str:
    return f"zone-{number % _ZONES}"


def _required(pools: list[str]) -> Document:
    terms = [{"matchExpressions": [{"key": LABEL, "operator": "In", "values": pools}]}]
    return {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}


def constraints() -> int:
    """How many different constraints the pods have."""
    kinds = ((*_place(kind), kind // POOLS > _ZONES, _second(kind)) for kind in range(CONSTRAINTS))
    return len({kind if kind[2] else kind[:2] for kind in kinds})
