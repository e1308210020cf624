"""The report for programs: ``why.elasticquota.dev/v1``, as described in docs/how-to/pod-waits.md.

The text is printed from it too. Within v1 fields are added, never renamed, removed or given another
meaning; texts may change. docs/why.schema.json is made from these classes.
"""

from typing import Final, Literal

import msgspec

from elasticquota_cli.explain.report import Amounts, Eviction, Step
from elasticquota_cli.printers import json_text


API_VERSION: Final = "why.elasticquota.dev/v1"


class First(msgspec.Struct, rename="camel"):
    """The pod that waits and is the first of its workload in the queue."""

    name: str
    request: Amounts
    place: int
    """Position in the queue of its quota, from 1; 0: not known, or in no queue."""
    length: int
    since: str
    """When it was created; empty for one that is written by hand."""
    reason: str
    message: str
    """What the controller says about it."""
    starts: list[str]
    """What has to happen so that it starts; one way each."""
    evicts: int
    """The number of pods that are evicted for it or its quota, if nothing changes."""


class Why(msgspec.Struct, rename="camel", tag_field="kind", tag="Why"):
    """Why a pod or a workload waits."""

    api_version: Literal["why.elasticquota.dev/v1"]
    workload_kind: str
    namespace: str
    name: str
    quota: str
    """The quota of the waiting pods, or else of all; empty: none."""
    pods: int
    waiting: int
    running: int
    first: First | None
    """Null: no pod waits."""
    can_do: list[str]
    """What the owner can do."""
    reclaimable: str
    """Of a workload without a waiting pod: whether its first pod may be reclaimed, and why."""
    notes: list[str]
    summary: str = ""
    expected: str = ""
    """In what time the first pod may start, counted from ``expected_at``; empty: there is nothing
    to go by."""
    expected_at: str = ""
    """When the controller said so."""
    expected_because: str = ""
    """What the estimate rests on, or why there is none."""
    path: list[Step] = []
    """The sums of the first waiting pod, or else of the first: from its quota up to the root, as
    far as they may be read."""
    evictions: list[Eviction] = []
    """The pods that are evicted for it or its quota, if nothing changes; from files only."""


def schema() -> str:
    """The JSON Schema in docs/why.schema.json."""
    return json_text.schema(Why, API_VERSION)
