"""The one answer of ``why``, for people and for programs: ``why.elasticquota.dev/v1alpha1``.

docs/explain.md describes it, docs/why.schema.json is made from these classes. A part that does not
concern the object, or that the user may not read, is missing. Amounts are canonical quantities;
null is no limit.
"""

from typing import Final, Literal

import msgspec


API_VERSION: Final = "why.elasticquota.dev/v1alpha1"

Amounts = dict[str, str]
Basis = Literal["computed", "published"]
"""Computed from all objects by the controller's own code, or last published in statuses."""
Rule = Literal["label", "namespace", "annotation", "default", "system", "none", "unknown"]
State = Literal["Waiting", "Fits", "Admitted", "Running", "Terminating", "Finished", "Unlimited"]


class _Part(msgspec.Struct, frozen=True, rename="camel"):
    pass


class About(_Part, frozen=True):
    """The object in question: a pod, a workload, a job that is queued as a whole, or a quota."""

    kind: str
    namespace: str
    name: str


class WorkloadPods(_Part, frozen=True):
    """The pods of the object that count, and how many of them wait or have a node."""

    total: int
    waiting: int
    running: int


class PathRow(_Part, frozen=True):
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


class QueuePlace(_Part, frozen=True):
    """Place in the queue of the quota, from 1."""

    place: int
    length: int


class EvictionRow(_Part, frozen=True):
    """A pod that would be evicted if nothing changed."""

    namespace: str
    name: str
    quota: str
    request: Amounts
    message: str


class ReclaimAnswer(_Part, frozen=True):
    """Whether an admitted pod may be reclaimed; beyond is what its quota has above its runtime."""

    possible: bool
    beyond: Amounts
    why: str


class VerdictRow(_Part, frozen=True):
    """The controller's verdict on a quota."""

    accepted: bool
    reason: str
    message: str


class Expected(_Part, frozen=True):
    """When the pod may start."""

    time: str
    """In what time, counted from ``at``; empty: there is nothing to go by."""
    at: str
    """When the controller said so."""
    because: str
    """What the estimate rests on, or why there is none."""


class PodAnswer(_Part, frozen=True):
    """A pod, or a job that is queued as a whole; of a workload the first of its pods that waits."""

    kind: str
    namespace: str
    name: str
    state: State
    message: str
    """Of a waiting pod the controller's words: those on the pod, or else computed."""
    quota: str
    """Empty: none."""
    tree: str
    rule: Rule
    rule_message: str
    request: Amounts
    priority: int
    since: str = ""
    """When it was created; empty for one that is written by hand."""
    reason: str = ""
    """The reason of a waiting pod, as in its condition."""
    line: QueuePlace | None = None
    """Null: it is in no queue, or its place is not known."""
    verdict: VerdictRow | None = None
    """The controller's verdict on the quota; null for a quota without an object, or if unknown."""
    quota_without_label: str = ""
    """The quota that it belonged to without its label; empty: the same, or it is not known."""
    path: list[PathRow] = []
    """From its quota up to the root, as far as they may be read."""
    edits: list[str] = []
    """Edits of quotas, or of the pod, by which it starts; of quotas only those that were tried."""
    can_do: list[str] = []
    """What its owner can do while it waits."""
    expected: Expected | None = None
    reclaim: ReclaimAnswer | None = None
    evictions: list[EvictionRow] = []
    """Evictions that would make room for it, or for other pods of its quota."""


class FigureRow(_Part, frozen=True):
    """One resource of a quota; null is no limit, or not published."""

    resource: str
    min: str
    max: str | None
    weight: str | None
    request: str
    used: str
    admitted: str
    runtime: str | None


class GroundRow(_Part, frozen=True):
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


class ShareRow(_Part, frozen=True):
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


class LevelRow(_Part, frozen=True):
    """How a parent's runtime is shared among its children: guarantees first, the rest by weight."""

    parent: str
    resource: str
    runtime: str
    guaranteed: str
    left: str
    """What is left after the guarantees; negative when the runtime is less than these."""
    shares: list[ShareRow]


class WaitingRow(_Part, frozen=True):
    """A pod behind the gate; place 0 is in no queue."""

    namespace: str
    name: str
    place: int
    reason: str
    message: str


class QuotaPods(_Part, frozen=True):
    """Pods of a quota and of all quotas below it."""

    admitted: int
    waiting: int


class QuotaAnswer(_Part, frozen=True):
    """What a quota may use, and how its runtime is computed."""

    namespace: str
    name: str
    tree: str
    path: list[str]
    """Names from the quota to the root, as far as the user may read."""
    verdict: VerdictRow | None
    pods: QuotaPods | None
    figures: list[FigureRow]
    ground: list[GroundRow] = []
    levels: list[LevelRow] = []
    waiting: list[WaitingRow] = []
    would_reclaim: list[EvictionRow] = []
    would_lose: list[EvictionRow] = []


class WhyAnswer(_Part, frozen=True, tag_field="kind", tag="Answer"):
    """Why a pod, a workload or a job waits or runs, or what a quota may use."""

    api_version: Literal["why.elasticquota.dev/v1alpha1"]
    basis: Basis
    about: About
    summary: str
    pods: WorkloadPods | None = None
    """Null: it is about a quota."""
    pod: PodAnswer | None = None
    quota: QuotaAnswer | None = None
    notes: list[str] = []
