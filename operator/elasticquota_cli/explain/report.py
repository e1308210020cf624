"""The report for programs: ``explain.elasticquota.dev/v1``, as described in docs/explain.md.

Within v1 fields are added, never renamed, removed or given another meaning. Amounts are canonical
quantities; null is no limit. docs/explain.schema.json is made from these classes.
"""

from typing import Final, Literal

import msgspec

from elasticquota_cli.printers import json_text


API_VERSION: Final = "explain.elasticquota.dev/v1"

Amounts = dict[str, str]
Basis = Literal["computed", "published"]
"""Computed from all objects by the controller's own code, or last published in statuses."""
Rule = Literal["label", "namespace", "annotation", "default", "system", "none", "unknown"]
State = Literal["Waiting", "Fits", "Admitted", "Running", "Terminating", "Finished", "Unlimited"]


class _Part(msgspec.Struct, rename="camel"):
    pass


class Step(_Part):
    """One sum on the path to the root: admitted + asked against runtime."""

    quota: str
    resource: str
    admitted: str
    asked: str
    runtime: str | None
    fits: bool
    min: str
    max: str | None
    parents_own_pods: bool


class Line(_Part):
    """Place in the queue of the quota, from 1."""

    place: int
    length: int


class Eviction(_Part):
    """A pod that would be evicted if nothing changed."""

    namespace: str
    name: str
    quota: str
    request: Amounts
    message: str


class Reclaim(_Part):
    """Whether an admitted pod may be reclaimed; beyond is what its quota has above its runtime."""

    possible: bool
    beyond: Amounts
    why: str


class Verdict(_Part):
    accepted: bool
    """The controller's verdict on a quota."""
    reason: str
    message: str


class PodExplanation(_Part, tag_field="kind", tag="PodExplanation"):
    """Why a pod waits or runs."""

    api_version: Literal["explain.elasticquota.dev/v1"]
    basis: Basis
    namespace: str
    name: str
    state: State
    message: str
    quota: str
    tree: str
    rule: Rule
    rule_message: str
    request: Amounts
    priority: int
    reason: str = ""
    """The reason of a waiting pod, as in its condition."""
    verdict: Verdict | None = None
    """The controller's verdict on the quota; null for a quota without an object, or if unknown."""
    line: Line | None = None
    path: list[Step] = []
    remedies: list[str] = []
    reclaim: Reclaim | None = None
    evictions: list[Eviction] = []
    """Evictions that would make room for it, or for other pods of its quota."""
    job: str = ""
    """The queued job that is explained; empty: it is a pod."""
    notes: list[str] = []


class Figures(_Part):
    """One resource of a quota; null is no limit, or not published."""

    resource: str
    min: str
    max: str | None
    weight: str | None
    request: str
    used: str
    admitted: str
    runtime: str | None


class Ground(_Part):
    """What the nodes of the tree offer, and what pods outside of the tree hold of it."""

    resource: str
    total: str
    outside: str
    evictable: str
    """The part of outside that may be evicted for a guarantee."""
    available: str
    mode: Literal["Nodes", "Elastic", "Declared"] = "Nodes"
    """Where the total comes from."""
    present: str = ""
    """What the nodes of a tree offer now that may become more; empty for any other tree."""


class Share(_Part):
    """One sibling: guaranteed is the part of min that it asks for, asked its limited request."""

    quota: str
    min: str
    guaranteed: str
    weight: str | None
    asked: str
    runtime: str
    borrowed: str
    lent: str
    parents_own_pods: bool


class Level(_Part):
    """How a parent's runtime is shared among its children: guarantees first, the rest by weight."""

    parent: str
    resource: str
    runtime: str
    guaranteed: str
    left: str
    """What is left after the guarantees; negative when the runtime is less than these."""
    shares: list[Share]


class Waiting(_Part):
    """A pod behind the gate; place 0 is in no queue."""

    namespace: str
    name: str
    place: int
    reason: str
    message: str


class Pods(_Part):
    """Pods of a quota and of all quotas below it."""

    admitted: int
    waiting: int


class QuotaExplanation(_Part, tag_field="kind", tag="QuotaExplanation"):
    """How the runtime of a quota is computed."""

    api_version: Literal["explain.elasticquota.dev/v1"]
    basis: Basis
    namespace: str
    name: str
    tree: str
    path: list[str]
    """Names from the quota to the root, as far as the user may read."""
    verdict: Verdict | None
    pods: Pods | None
    figures: list[Figures]
    ground: list[Ground] = []
    levels: list[Level] = []
    waiting: list[Waiting] = []
    would_reclaim: list[Eviction] = []
    gives_back: list[Eviction] = []
    notes: list[str] = []


Report = PodExplanation | QuotaExplanation


def schema() -> str:
    """The JSON Schema in docs/explain.schema.json."""
    return json_text.schema(Report, API_VERSION)
