"""The clocks: what one cycle keeps for the next one. Values only.

The caller keeps them in memory and gives them to the next cycle. After a restart they begin again,
so a restart evicts no pod earlier.
"""

from collections.abc import Mapping
from typing import NamedTuple

from elasticquota.model.key import Key
from elasticquota.resources import Resources
from elasticquota.structs import Struct, field


class TreeHistory(Struct, frozen=True):
    """The recent past of a tree, for the eviction breaker; times in ms of the caller's clock."""

    total: Resources
    """The most that its nodes offered since ``seen``."""
    seen: int
    shrank: int | None = None
    """When the total was last seen to shrink by much, if that was not long ago."""
    many_since: int | None = None
    """Since when the evictions would be a large part of its pods."""
    asked: Mapping[str, int] = field(default_factory=dict)
    """Number of pods of each eviction, by uid, in the series without a pause up to ``asked_at``."""
    asked_at: int = 0


class TokenBucket(NamedTuple):
    """How many evictions the rate of a tree allows."""

    level: int
    """In thousandths of an eviction; below 0 after a victim of more pods than the bucket holds."""
    at: int
    """When it was so, in ms of the caller's clock."""


class InFlightEviction(Struct, frozen=True):
    """What an evicted pod releases, kept until the pod is gone."""

    pod: Key
    quota: str
    owner: str
    """The quota that needs the room; empty: for a limit."""
    released: Resources
    preemptor: str = ""
    """The workload of ``owner`` that needs it, such as ``pod team-a/x``; empty: for a limit."""


class ClearedNodes(Struct, frozen=True):
    """The nodes that were cleared for an admitted pod that the scheduler refuses."""

    nodes: tuple[str, ...] = ()
    """The cleared nodes, in order."""
    at: int = 0
    """Since when the last one is free, or when it last had pods that end, in ms of the caller's
    clock."""
    ending: bool = False
    """It had pods that end at that time."""


class Nomination(NamedTuple):
    """The room that is made for a waiting workload, until it starts."""

    quota: str
    nodes: tuple[str, ...]
    """One for each of its pods; an empty one is still to come, or not known."""
    exchanges: bool = False
    """Less important pods of its quota make way: one takes the place of another."""


class Clocks(Struct, frozen=True):
    """What a cycle keeps for the next one, mostly since when something holds.

    Times are milliseconds of the caller's clock.
    """

    over_since: Mapping[str, int] = field(default_factory=dict)
    """Quota name -> above its runtime since."""
    over_limit_since: Mapping[str, int] = field(default_factory=dict)
    """Quota name -> above its max since; of a root quota: above what the nodes offer since."""
    owner_waits_since: Mapping[str, int] = field(default_factory=dict)
    """Quota name -> a pod within its min has been waiting since."""
    head_since: Mapping[str, int] = field(default_factory=dict)
    """Pod uid -> head of its queue since."""
    histories: Mapping[str, TreeHistory] = field(default_factory=dict)
    """Tree id -> its recent past."""
    buckets: Mapping[str, TokenBucket] = field(default_factory=dict)
    """Tree id -> how many evictions its rate allows; a tree that is not named has all of them."""
    in_flight: Mapping[str, InFlightEviction] = field(default_factory=dict)
    """Uid of an evicted pod -> what it releases."""
    entitled_since: Mapping[str, int] = field(default_factory=dict)
    """Uid of a pod within its quota's min -> waiting in vain since."""
    cleared: Mapping[str, ClearedNodes] = field(default_factory=dict)
    """Uid of an admitted pod that the scheduler refuses -> what was done for it."""
    nominated: Mapping[str, Nomination] = field(default_factory=dict)
    """Uid of a waiting workload -> the room that victims make for it."""
    observing: Mapping[str, int] = field(default_factory=dict)
    """Tree id -> in observe mode since; a change of mode resets all clocks of the tree."""
    booked: Mapping[str, str] = field(default_factory=dict)
    """Uid of an ungated pod without a node -> the node that was chosen for it."""
    unbound_since: Mapping[str, int] = field(default_factory=dict)
    """Uid of an ungated pod without a node -> seen so since."""
    held_since: Mapping[str, int] = field(default_factory=dict)
    """Quota name -> a pod within its min has room, and waits for pods without a node since."""
    pools: Mapping[str, str] = field(default_factory=dict)
    """Uid of a pod or job without a node that may go to several pools -> that of its release."""
    orphaned_since: Mapping[Key, int] = field(default_factory=dict)
    """Root quota -> its profile is gone, and nothing is below it, since."""
