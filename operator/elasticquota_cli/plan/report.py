"""The report for programs: ``plan.elasticquota.dev/v1``, as described in docs/plan.md.

Text and markdown are printed from it too. Within v1 fields are added, never renamed, removed or
given another meaning. Amounts are canonical quantities as text. docs/plan.schema.json is made from
these classes.
"""

from typing import Final, Literal

import msgspec

from elasticquota_cli.simulate.report import Amounts, Reclaimed, Refused


API_VERSION: Final = "plan.elasticquota.dev/v1"

Basis = Literal["computed", "published"]


class _PlanPart(msgspec.Struct, rename="camel"):
    pass


class _PlanObject(_PlanPart):
    namespace: str
    name: str


class Share(_PlanObject):
    """The share (runtime) of a quota in one resource; null while there is no such quota."""

    tree: str
    resource: str
    before: str | None
    after: str | None


class EvictedFrom(_PlanPart):
    """The evictions from one quota, together."""

    quota: str
    pods: int
    request: Amounts
    for_quotas: list[str]
    """The quotas that get the room; empty: a limit is exceeded."""
    first_milliseconds: int
    last_milliseconds: int


class NotBacked(_PlanObject):
    """A quota whose min the total of its tree no longer backs."""

    message: str


class NotAccepted(_PlanObject):
    """A quota or profile that the controller accepts now and would not accept then."""

    kind: str
    reason: str
    message: str


class Sooner(_PlanObject):
    """A pod that waits: it starts, or it moves up in the queue of its quota."""

    quota: str
    after_milliseconds: int | None
    """When it starts; null: it still waits."""
    place_before: int
    place_after: int
    """Position in the queue, from 1; 0: in no queue."""


class Later(_PlanObject):
    """A pod that waits then and does not now, or that moves down in the queue of its quota."""

    quota: str
    reason: str
    message: str
    place_before: int
    place_after: int


class Submitted(_PlanObject):
    """A pod or workload of the change, and what becomes of its pods."""

    kind: str
    quota: str
    pods: int
    starts: int
    """The number of pods that are admitted."""
    starts_within_milliseconds: int
    """When the last of these is admitted."""
    waits: int
    place: int
    """Position of its first pod that waits, from 1; 0: none waits in a queue."""
    reason: str
    message: str
    """Why that pod waits."""
    reclaims: int
    """The number of pods that are evicted for it."""
    estimate: str = ""
    """How long it waits, as a range; empty: there is nothing to go by."""
    after_reclaim: bool = False
    """Some of those that start need room that others may have borrowed, and are evicted for first.
    Known only of a plan by published figures: there ``reclaims`` is not."""


class Plan(_PlanPart, tag_field="kind", tag="Plan"):
    """What a change would do."""

    api_version: Literal["plan.elasticquota.dev/v1"]
    basis: Basis
    settled: bool
    elapsed_milliseconds: int
    shares: list[Share]
    evicted: list[EvictedFrom]
    evictions: list[Reclaimed]
    not_backed: list[NotBacked]
    not_accepted: list[NotAccepted]
    starts_sooner: list[Sooner]
    starts_later: list[Later]
    submitted: list[Submitted]
    refused: list[Refused]
    notes: list[str]
    summary: str = ""
    """The effect in one sentence."""
