"""What an event world is: quotas and nodes to begin with, and events. Values only.

Amounts are whole cpus, GiB and devices, by the names in ``RESOURCES``.
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple


RESOURCES: Final = ("cpu", "memory", "gpu")
Amounts = Mapping[str, int]


class QuotaSpec(NamedTuple):
    name: str
    parent: str
    """Empty: the root."""
    min: Amounts
    max: Amounts
    """A resource that is missing is not named."""
    weight: int = 0
    """Of cpu; 0: max, or the total, is the weight."""


class NodeSpec(NamedTuple):
    name: str
    offers: Amounts
    tainted: bool = False
    cordoned: bool = False
    matches: bool = True
    """False: it is in no tree."""


class Submitted(NamedTuple):
    """A workload comes: ``pods`` equal pods, which have successors when they are deleted."""

    name: str
    quota: str
    request: Amounts
    pods: int = 1
    gang: bool = False
    """All of its pods start together."""
    priority: int = 0
    may_preempt: bool = True
    preemptible: bool = True
    evict_last: bool = False
    tolerates: bool = False
    """It tolerates the taint of tainted nodes."""
    grace: int = 0
    """Seconds that a pod takes to end."""
    runs: int = 0
    """Seconds after which a pod ends by itself; 0: never."""
    malice: str = ""
    """What its author wrote to harm others: one of ``MALICE``."""


MALICE: Final = ("scheduler", "affinities", "nowhere", "huge", "forged")
"""A scheduler that is not there; an affinity of its own for each pod; one that no node matches; an
absurd request; a time of release that is not true."""


class Edited(NamedTuple):
    """A quota is created or changed, unless the rules for trees refuse it."""

    quota: QuotaSpec


class Deleted(NamedTuple):
    """A quota without children is deleted, and created again ``seconds`` later."""

    quota: str
    seconds: int


class NodePut(NamedTuple):
    """A node comes, or changes."""

    node: NodeSpec


class NodeGone(NamedTuple):
    node: str


class External(NamedTuple):
    """A pod of no quota runs on a node, if there is room."""

    node: str
    cpu: int


class Withdrawn(NamedTuple):
    """A workload is deleted with its pods."""

    workload: str


class Protected(NamedTuple):
    """A disruption budget refuses evictions of a workload for ``seconds``."""

    workload: str
    seconds: int


class Restarted(NamedTuple):
    """A new process takes over."""


Event = (
    Submitted | Edited | Deleted | NodePut | NodeGone | External | Withdrawn | Protected | Restarted
)


class WorldSpec(NamedTuple):
    quotas: tuple[QuotaSpec, ...]
    """Parents before their children."""
    nodes: tuple[NodeSpec, ...]
    events: tuple[tuple[int, Event], ...]
    """Each with the milliseconds that pass before it."""
    faults: bool = False
    """Events come late, and requests are refused, fail, or lose their answers."""
    patience: int = 0
    """``Policy.head_of_line`` in ms."""
    pool: bool = False
    """The tree has one pool, of all of its nodes, and the quotas bound it instead of the whole."""

    @property
    def size(self) -> int:
        """How much there is to read, to choose the smallest of several worlds."""
        return 3 * len(self.events) + 2 * len(self.quotas) + 2 * len(self.nodes) + self.faults


def in_words(spec: WorldSpec) -> Iterator[str]:
    """The world in lines."""
    for node in spec.nodes:
        yield _node(node)
    for quota in spec.quotas:
        yield _quota(quota)
    if spec.faults:
        yield "requests to the API server fail"
    if spec.patience:
        yield f"head of line after {spec.patience // 1000} s"
    now = 0
    for wait, event in spec.events:
        now += wait
        yield f"{now / 1000:7.1f} s  {_event(event)}"


def _event(event: Event) -> str:
    match event:
        case Submitted():
            told = _submitted(event)
        case Edited(quota):
            told = f"edit: {_quota(quota)}"
        case Deleted(quota, seconds):
            told = f"quota {quota} is deleted, and created again after {seconds} s"
        case NodePut(node):
            told = _node(node)
        case NodeGone(node):
            told = f"node {node} is gone"
        case External(node, cpu):
            told = f"a pod of no quota with {cpu} cpu runs on {node}"
        case Withdrawn(workload):
            told = f"workload {workload} is deleted"
        case Protected(workload, seconds):
            told = f"a budget protects {workload} for {seconds} s"
        case Restarted():
            told = "a new process takes over"
    return told


def _submitted(event: Submitted) -> str:
    traits = [
        f"priority {event.priority}" if event.priority else "",
        "" if event.may_preempt else "preemptionPolicy Never",
        "" if event.preemptible else "not preemptible",
        "to be evicted last" if event.evict_last else "",
        "tolerates the taint" if event.tolerates else "",
        f"takes {event.grace} s to end" if event.grace else "",
        f"runs {event.runs} s" if event.runs else "",
        f"malice: {event.malice}" if event.malice else "",
    ]
    what = f"gang of {event.pods}, each" if event.gang else f"{event.pods} pods of"
    told = ", ".join([_amounts(event.request), *filter(None, traits)])
    return f"{event.quota} gets {event.name}: {what} {told}"


def _node(node: NodeSpec) -> str:
    traits = [
        "tainted" if node.tainted else "",
        "cordoned" if node.cordoned else "",
        "" if node.matches else "in no tree",
    ]
    return ", ".join([f"node {node.name}: {_amounts(node.offers)}", *filter(None, traits)])


def _quota(quota: QuotaSpec) -> str:
    parent = f" in {quota.parent}" if quota.parent else ""
    weight = f", weight {quota.weight}" if quota.weight else ""
    low, high = _amounts(quota.min) or "none", _amounts(quota.max) or "none"
    return f"quota {quota.name}{parent}: min {low}, max {high}{weight}"


def _amounts(amounts: Amounts) -> str:
    return ", ".join(f"{amounts[key]} {key}" for key in RESOURCES if key in amounts)
