"""The report for programs: ``explain.elasticquota.dev/v1``, as described in docs/explain.md.

Within v1 fields are added, never renamed, removed or given another meaning. Amounts are canonical
quantities; null is no limit. docs/explain.schema.json is made from these classes.
"""

from typing import Final, Literal

import msgspec

from elasticquota_cli import json_text


API_VERSION: Final = "explain.elasticquota.dev/v1"

Amounts = dict[str, str]
Basis = Literal["computed", "published"]
"""From all objects by the controller's own code, or from what it last wrote in statuses."""
Rule = Literal["label", "namespace", "annotation", "default", "system", "none", "unknown"]
State = Literal["Waiting", "Fits", "Admitted", "Running", "Terminating", "Finished", "Unlimited"]


class _Part(msgspec.Struct, rename="camel"):
    pass


class Step(_Part):
    """One sum on the way to the root: admitted + asked against runtime."""

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
    """Place in the quota's line, from 1."""

    place: int
    length: int


class Eviction(_Part):
    """A pod that would be evicted if everything stayed as it is."""

    namespace: str
    name: str
    quota: str
    request: Amounts
    message: str


class Reclaim(_Part):
    """Whether an admitted pod may be taken back; beyond is what its quota holds too much."""

    possible: bool
    beyond: Amounts
    why: str


class Verdict(_Part):
    accepted: bool
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
    """The reason of a pod that waits, as in its condition."""
    verdict: Verdict | None = None
    """The controller's verdict on the quota; null for one without an object, and if not known."""
    line: Line | None = None
    path: list[Step] = []
    remedies: list[str] = []
    reclaim: Reclaim | None = None
    evictions: list[Eviction] = []
    """That would make room for it, or for others of its quota."""
    job: str = ""
    """For which job this stands in line; empty: it is a pod."""
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
    """The part of it that may be evicted for a guarantee."""
    available: str


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
    """How a parent's runtime is shared below it: guaranteed first, what is left by weight."""

    parent: str
    resource: str
    runtime: str
    guaranteed: str
    left: str
    """Negative when there is too little even for what is guaranteed."""
    shares: list[Share]


class Waiting(_Part):
    """A pod behind the gate; place 0 stands in no line."""

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
    """How a quota came to its runtime."""

    api_version: Literal["explain.elasticquota.dev/v1"]
    basis: Basis
    namespace: str
    name: str
    tree: str
    path: list[str]
    """From the quota to the root, as far as it may be read."""
    verdict: Verdict | None
    pods: Pods | None
    figures: list[Figures]
    ground: list[Ground] = []
    levels: list[Level] = []
    waiting: list[Waiting] = []
    gets_back: list[Eviction] = []
    gives_back: list[Eviction] = []
    notes: list[str] = []


Report = PodExplanation | QuotaExplanation


def schema() -> str:
    """As it stands in docs/explain.schema.json."""
    return json_text.schema(Report, API_VERSION)
