"""The report for programs: ``simulate.elasticquota.dev/v1``, as described in docs/simulate.md.

Within v1 fields are added, never renamed, removed or given another meaning. Amounts are canonical
quantities, and a resource that is not named in ``max`` has no limit. docs/simulate.schema.json is
made from these classes.
"""

from typing import Final, Literal

import msgspec

from elasticquota_cli import json_text


API_VERSION: Final = "simulate.elasticquota.dev/v1"

Amounts = dict[str, str]


class _Part(msgspec.Struct, rename="camel"):
    pass


class Profile(_Part):
    """A profile and its tree."""

    namespace: str
    name: str
    tree_id: str
    nodes: int
    ready: bool
    reason: str
    message: str


class Pods(_Part):
    """Pods of a quota and of all quotas below it."""

    running: int
    waiting: int


class Quota(_Part):
    """The figures of one quota; tree is the name of its root quota, empty if it is in no tree."""

    namespace: str
    name: str
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


class Waiting(_Part):
    """A pod behind the gate."""

    namespace: str
    name: str
    quota: str
    reason: str
    message: str


class Reclaimed(_Part):
    """An eviction; the pod returns when a workload re-creates it."""

    namespace: str
    name: str
    quota: str
    request: Amounts
    message: str
    returns: bool
    after_milliseconds: int


class Refused(_Part):
    """An object that the webhook refuses."""

    kind: str
    namespace: str
    name: str
    message: str
    source: str


class QuotaChange(_Part):
    """Before is null for a new quota, after for one that is gone."""

    before: Quota | None
    after: Quota | None


class ProfileChange(_Part):
    """Before is null for a new profile, after for one that is gone."""

    before: Profile | None
    after: Profile | None


class StopsWaiting(_Part):
    """A pod that waited before the change; it runs now, or it is gone."""

    namespace: str
    name: str
    quota: str
    runs: bool


class Simulation(_Part, tag_field="kind", tag="Simulation"):
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


class Difference(_Part, tag_field="kind", tag="Difference"):
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


Report = Simulation | Difference


def schema() -> str:
    """The JSON Schema in docs/simulate.schema.json."""
    return json_text.schema(Report, API_VERSION)
