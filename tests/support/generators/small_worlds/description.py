"""What a small world is: quotas, nodes, pods in the order of their arrival. Values only.

Amounts are pairs: whole cpus, and whole units of the second resource, which is memory or devices.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple


Amounts = tuple[int, int]
Bounds = tuple[int | None, int | None]
"""None: the resource is not named."""


class QuotaSpec(NamedTuple):
    name: str
    parent: str
    """Empty: the root."""
    min: Bounds
    max: Bounds


class NodeSpec(NamedTuple):
    cpu: int
    second: int
    tainted: bool = False
    """Only pods that tolerate the taint run here."""


TOGETHER: Final = 0
"""The pod comes in the same cycle as the one before."""
NEXT: Final = 1
"""It comes one cycle after the one before."""
AT_REST: Final = 2
"""It comes when all before it are at rest."""


class PodSpec(NamedTuple):
    """A pod; ``gang``: two equal pods that start together."""

    quota: str
    cpu: int
    second: int = 0
    priority: int = 0
    may_preempt: bool = True
    preemptible: bool = True
    gang: bool = False
    tolerates: bool = False
    """It tolerates the taint of tainted nodes."""
    slow: bool = False
    """It takes 30 s to end."""
    moment: int = TOGETHER


class Lowered(NamedTuple):
    """The max of a quota is lowered."""

    quota: str
    max: Bounds
    before: int
    """The number of the pod that comes at the same time; that of no pod: at rest after all."""


class WorldSpec(NamedTuple):
    quotas: tuple[QuotaSpec, ...]
    """Parents before their children."""
    nodes: tuple[NodeSpec, ...]
    pods: tuple[PodSpec, ...]
    second: str = ""
    """The name of the second resource; empty: there is none."""
    packs: bool = False
    """The scheduler prefers the fullest node, else the emptiest."""
    lowered: Lowered | None = None
    pooled: bool = False
    """Each node is a pool of its own."""
    restarts: bool = False
    """A new process takes over after the first eviction."""
    patience: int = 0
    """``Policy.head_of_line`` in ms."""

    @property
    def size(self) -> int:
        """How much there is to read, to choose the smallest of several worlds."""
        pods = sum(
            10
            + pod.cpu
            + 3 * pod.second
            + 2 * (pod.priority != 0)
            + 3 * (not pod.may_preempt)
            + 3 * (not pod.preemptible)
            + 8 * pod.gang
            + 3 * pod.tolerates
            + 3 * pod.slow
            + (pod.moment == NEXT)
            for pod in self.pods
        )
        bounds = sum(sum(1 for each in (*quota.min, *quota.max) if each) for quota in self.quotas)
        rest = 5 * (bool(self.second) + (self.lowered is not None) + self.restarts + self.pooled)
        return pods + 8 * len(self.quotas) + 2 * bounds + 6 * len(self.nodes) + rest


def in_words(spec: WorldSpec) -> Iterator[str]:
    """The world in lines."""
    nodes = [
        f"{_amounts((node.cpu, node.second), spec.second)}{' (tainted)' if node.tainted else ''}"
        for node in spec.nodes
    ]
    binds = "fullest" if spec.packs else "emptiest"
    pools = ", each a pool" if spec.pooled else ""
    yield f"nodes: {', '.join(nodes)}{pools}; the scheduler prefers the {binds}"
    for quota in spec.quotas:
        low = _amounts(quota.min, spec.second) or "none"
        high = _amounts(quota.max, spec.second) or "none"
        parent = f" in {quota.parent}" if quota.parent else ""
        yield f"quota {quota.name}{parent}: min {low}, max {high}"
    for number, pod in enumerate(spec.pods):
        traits = [
            f"priority {pod.priority}" if pod.priority else "",
            "" if pod.may_preempt else "preemptionPolicy Never",
            "" if pod.preemptible else "not preemptible",
            "tolerates the taint" if pod.tolerates else "",
            "ends in 30 s" if pod.slow else "",
        ]
        what = "gang of two, each" if pod.gang else "pod of"
        when = (
            ("with the one before", "a cycle later", "at rest")[pod.moment] if number else "first"
        )
        told = ", ".join([_amounts((pod.cpu, pod.second), spec.second), *filter(None, traits)])
        yield f"{when}: {pod.quota}-{number}, {what} {told}"
    if spec.lowered is not None:
        high = _amounts(spec.lowered.max, spec.second)
        with_pod = spec.lowered.before < len(spec.pods)
        when = f"with pod {spec.lowered.before}" if with_pod else "at rest"
        yield f"{when}: the max of {spec.lowered.quota} becomes {high}"
    if spec.restarts:
        yield "a new process takes over after the first eviction"
    if spec.patience:
        yield f"head of line after {spec.patience // 1000} s"


def _amounts(amounts: Bounds, second: str) -> str:
    told = [f"{amounts[0]} cpu"] if amounts[0] is not None else []
    if second and amounts[1] is not None:
        told.append(f"{amounts[1]} {second}")
    return ", ".join(told)
