"""Why a workload waits, as values: what the decision compared (``status.messages`` says it)."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple

from elasticquota.ledger.pods.infeasible import Infeasible
from elasticquota.model.pod import Pod
from elasticquota.model.verdict import Verdict
from elasticquota.model.workload import Counted, Workload
from elasticquota.resources import Resources
from elasticquota.scheduling.snapshot.user_limits import Reached
from elasticquota.structs import Struct


class Bounds(NamedTuple):
    """What a quota is guaranteed, and the most that it may use."""

    guaranteed: Resources
    most: Resources
    """A missing key is no limit."""


class Guarantee(NamedTuple):
    """The guarantee that gives a workload what it lacks."""

    above: str
    """The quota above that has it; empty: the workload's own quota has it."""
    low: Resources


class Shortage(Struct, frozen=True):
    """The first place on the way to the root that has not enough left."""

    where: Literal["own", "ancestor", "nodes"]
    quota: str
    """Of the place."""
    keys: tuple[str, ...]
    limit: Resources
    left: Resources


class LacksRoom(NamedTuple):
    """The workload lacks room on its path, or on the nodes of its tree as a whole."""

    workload: Workload
    short: Shortage
    own: Bounds
    users: Sequence[tuple[str, int]] = ()
    """The largest users of the quota above it that is full."""
    owed: Guarantee | None = None


class NoNode(NamedTuple):
    """Its quota has room, but no node has."""

    workload: Workload
    counts: Mapping[str, int]
    """Nodes by what keeps it off."""


class OthersUnbound(NamedTuple):
    """It has room, unless pods without a node take it; then it would preempt others."""


class ManyTried(NamedTuple):
    """It was not tried in this cycle, because so many ahead of it were in vain."""

    tried: int


class LimitReached(NamedTuple):
    """Its user, group or applications are at a limit."""

    workload: Workload
    reached: Reached


class BeyondMax(NamedTuple):
    """The max of its quota has no room for it."""

    pod_or_job: Counted
    keys: tuple[str, ...]
    limit: Resources
    left: Resources


class BeyondMin(NamedTuple):
    """It is not preemptible, and with it such pods would hold more than the guarantee ``low``."""

    workload: Workload
    keys: tuple[str, ...]
    low: Resources
    held: Resources


class BehindStrict(NamedTuple):
    """It is behind ``head`` in a quota in which no pod passes another."""

    head: Workload


class BehindOverdue(NamedTuple):
    """It is behind ``head``, which has been at the head of the queue for too long."""

    head: Workload
    seconds: int


class OtherGates(NamedTuple):
    """It has gates of other controllers."""

    pod_or_job: Counted


class MemberGated(NamedTuple):
    """A pod of its group has a gate of another controller."""

    member: Pod


class ReleaseRefused(NamedTuple):
    """The API server refused a moment ago to release it, or this pod of its group."""

    refused: Counted


class Surplus(NamedTuple):
    """Its group can start without it."""

    pod: Pod
    size: int


Reason = (
    LacksRoom
    | NoNode
    | OthersUnbound
    | ManyTried
    | LimitReached
    | BeyondMax
    | BeyondMin
    | BehindStrict
    | BehindOverdue
    | OtherGates
    | MemberGated
    | ReleaseRefused
    | Surplus
    | Infeasible
    | Verdict
)
"""A ``Verdict`` is that of its quota, which is not accepted."""

LACK_ROOM: Final = (LacksRoom, NoNode)
"""Reclaim could help."""

LASTING: Final = (LimitReached, BeyondMin, BehindStrict, BehindOverdue)
"""Only a change of the quota itself could help."""


class Waiting(NamedTuple):
    """A workload that stays, and why."""

    workload: Workload
    quota: str
    why: Reason
    place: int = 0
    """In its queue, from 1; 0: outside of it."""
    length: int = 0
    """Of its queue."""
    kept: bool = False
    """Its room is on its way, also from pods that end by themselves."""
