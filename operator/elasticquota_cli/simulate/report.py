"""The report for programs: ``simulate.elasticquota.dev/v1``, as described in docs/simulate.md.

The tables are printed from it too. Within v1 fields are added, never renamed, removed or given
another meaning. Amounts are canonical quantities, and a resource that is not named in ``max`` has
no limit. docs/simulate.schema.json is made from these classes.
"""

from typing import Final, Literal

import msgspec

from elasticquota.model.key import Key


API_VERSION: Final = "simulate.elasticquota.dev/v1"

Amounts = dict[str, str]


class _SimulatePart(msgspec.Struct, rename="camel"):
    pass


class _Object(_SimulatePart):
    namespace: str
    name: str

    @property
    def key(self) -> Key:
        return Key(self.namespace, self.name)


class Profile(_Object):
    """A profile and its tree."""

    tree_id: str
    nodes: int
    ready: bool
    reason: str
    message: str


class Pods(_SimulatePart):
    """Pods of a quota and of all quotas below it."""

    running: int
    waiting: int


class Quota(_Object):
    """The figures of one quota; tree is the name of its root quota, empty if it is in no tree."""

    tree: str
    parent: str
    request: Amounts
    used: Amounts
    runtime: Amounts
    min: Amounts
    max: Amounts
    borrowed: Amounts
    lent: Amounts
    pods: Pods
    accepted: bool
    reason: str
    message: str


class Waiting(_Object):
    """A pod behind the gate."""

    quota: str
    reason: str
    message: str


class Reclaimed(_Object):
    """An eviction; the pod returns when a workload re-creates it."""

    quota: str
    request: Amounts
    message: str
    returns: bool
    after_milliseconds: int
    for_quota: str = ""
    """The quota that gets its room; its own for a preemption, empty for a limit."""
    for_workload: str = ""
    """The workload that gets its room, such as ``pod team-a/x``; empty for a limit."""


class Refused(_SimulatePart):
    """An object that the webhook refuses."""

    kind: str
    namespace: str
    name: str
    message: str
    source: str


class QuotaChange(_SimulatePart):
    """Before is null for a new quota, after for one that is gone."""

    before: Quota | None
    after: Quota | None

    @property
    def is_worse(self) -> bool:
        """Whether it is not accepted, and was not refused before."""
        was_good = self.before is None or self.before.accepted
        return self.after is not None and not self.after.accepted and was_good


class ProfileChange(_SimulatePart):
    """Before is null for a new profile, after for one that is gone."""

    before: Profile | None
    after: Profile | None

    @property
    def is_worse(self) -> bool:
        """Whether it is not ready, and was not unready before."""
        was_good = self.before is None or self.before.ready
        return self.after is not None and not self.after.ready and was_good


class StopsWaiting(_Object):
    """A pod that waited before the change; it runs now, or it is gone."""

    quota: str
    runs: bool


class Simulation(_SimulatePart, tag_field="kind", tag="Simulation"):
    """The settled state."""

    api_version: Literal["simulate.elasticquota.dev/v1"]
    settled: bool
    elapsed_milliseconds: int
    profiles: list[Profile]
    quotas: list[Quota]
    waiting: list[Waiting]
    reclaims: list[Reclaimed]
    refused: list[Refused]
    notes: list[str]

    @property
    def is_smooth(self) -> bool:
        """Whether all objects were accepted, no pod waits, and no pod was evicted."""
        return (
            self.settled
            and all(quota.accepted for quota in self.quotas)
            and all(profile.ready for profile in self.profiles)
            and not (self.waiting or self.reclaims or self.refused)
        )


class Difference(_SimulatePart, tag_field="kind", tag="Difference"):
    """The difference that a change makes to the settled state."""

    api_version: Literal["simulate.elasticquota.dev/v1"]
    settled: bool
    elapsed_milliseconds: int
    profiles: list[ProfileChange]
    quotas: list[QuotaChange]
    starts_waiting: list[Waiting]
    stops_waiting: list[StopsWaiting]
    reclaims: list[Reclaimed]
    refused: list[Refused]
    notes: list[str]

    @property
    def is_smooth(self) -> bool:
        """Whether nothing is refused, and no pod starts to wait or is evicted."""
        return self.settled and not (
            any(change.is_worse for change in self.quotas)
            or any(change.is_worse for change in self.profiles)
            or self.starts_waiting
            or self.reclaims
            or self.refused
        )


Report = Simulation | Difference
