"""Devices as drivers publish them in ResourceSlices (``resource.k8s.io/v1``)."""

from collections.abc import Mapping
from typing import NamedTuple

from elasticquota.model.constraints import NodeTerm
from elasticquota.model.fault import Fault
from elasticquota.structs import Struct, field


Scalar = str | int | bool
Counters = tuple[tuple[tuple[str, str], int], ...]
"""((counter set, counter), amount in nano units), sorted."""


class Version(NamedTuple):
    """An attribute that is a semantic version."""

    text: str


class Amount(NamedTuple):
    """A capacity in nano units."""

    nano: int


Value = Scalar | Version | tuple[Scalar | Version, ...]


class Reach(Struct, frozen=True):
    """The nodes from which a device can be used."""

    node: str = ""
    """Only from this node."""
    terms: tuple[NodeTerm, ...] | None = None
    """From nodes that one of the terms matches."""
    everywhere: bool = False


class Device(Struct, frozen=True):
    """One device; names of attributes and capacities are (domain, name)."""

    name: str
    driver: str = ""
    attributes: tuple[tuple[tuple[str, str], Value], ...] = ()
    capacity: tuple[tuple[tuple[str, str], Amount], ...] = ()
    counters: Counters = ()
    """What it takes of the shared counters of its pool."""
    shared: bool = False
    """Whether it can be allocated to several claims at a time (``allowMultipleAllocations``)."""
    reach: Reach = field(default_factory=Reach)


class Slice(Struct, frozen=True):
    """A ResourceSlice: a part of a pool of one driver."""

    name: str
    driver: str
    pool: str
    generation: int = 0
    slices: int = 1
    """How many slices the pool has in this generation."""
    devices: tuple[Device, ...] = ()
    counters: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """(counter set, counter) -> amount in nano units that the devices of the pool share."""
    faults: tuple[Fault, ...] = ()
