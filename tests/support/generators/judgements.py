"""What the judges of worlds say, and how: failures, and what a decision takes from whom."""

from collections.abc import Iterable
from typing import Generic, NamedTuple, Protocol, TypeVar

from elasticquota.model.decision import Decisions, Eviction


class Failure(NamedTuple):
    promise: str
    kind: str
    """What is wrong, without names, so that failures can be counted."""
    detail: str


class _Unit(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def quota(self) -> str: ...


_U = TypeVar("_U", bound=_Unit)


class Taken(NamedTuple, Generic[_U]):
    """A unit that is evicted, and why."""

    unit: _U
    right: str
    owner: str
    taker: str


def taker(eviction: Eviction) -> str:
    """The name of the unit for which a pod is evicted."""
    what, _, rest = eviction.preemptor.partition(" ")
    return rest.split("/")[-1] if what == "pod" else rest.split(" ")[0]


def listed(taken: Iterable[Taken[_U]]) -> str:
    """``a-1 of a for b-2 (min)``."""
    return ", ".join(
        f"{each.unit.name} of {each.unit.quota} for {each.taker or 'a limit'} ({each.right})"
        for each in taken
    )


def told(decisions: Decisions) -> str:
    """What is decided, in words."""
    out = [f"release {each.pod.name}" for each in decisions.releases]
    gone = [f"evict {each.pod.name} for {each.preemptor}" for each in decisions.evictions]
    return "; ".join([*out, *gone])
