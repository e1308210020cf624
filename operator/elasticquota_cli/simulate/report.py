"""The report for programs: ``simulate.elasticquota.dev/v1``, as described in docs/simulate.md.

Within v1 fields are added, never renamed, removed or given another meaning. Amounts are canonical
quantities, and a resource that is not named in ``max`` has no limit. docs/simulate.schema.json is
made from these classes.
"""

from typing import Any, Final, Literal

import msgspec
import yaml

from elasticquota import resources
from elasticquota.model.decision import Wait
from elasticquota_cli.simulate import difference, outcome
from elasticquota_cli.simulate.apply import Refusal
from elasticquota_cli.simulate.course import Reclaim
from elasticquota_cli.simulate.outcome import ProfileFigures, QuotaFigures


API_VERSION: Final = "simulate.elasticquota.dev/v1"

Amounts = dict[str, str]


class _Part(msgspec.Struct, rename="camel", forbid_unknown_fields=True, frozen=True):
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
    """The figures of one quota; tree is the name of its root quota, empty when it is in no tree."""

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
    """An eviction; the pod returns when a workload makes it anew."""

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
    """The world at rest."""

    api_version: Literal["simulate.elasticquota.dev/v1"]
    settled: bool
    rounds: int
    elapsed_milliseconds: int
    profiles: list[Profile]
    quotas: list[Quota]
    waiting: list[Waiting]
    reclaims: list[Reclaimed]
    refused: list[Refused]
    notes: list[str]


class Difference(_Part, tag_field="kind", tag="Difference"):
    """What a change makes different in the world at rest."""

    api_version: Literal["simulate.elasticquota.dev/v1"]
    settled: bool
    rounds: int
    elapsed_milliseconds: int
    profiles: list[ProfileChange]
    quotas: list[QuotaChange]
    starts_waiting: list[Waiting]
    stops_waiting: list[StopsWaiting]
    reclaims: list[Reclaimed]
    refused: list[Refused]
    notes: list[str]


Report = Simulation | Difference


def of_outcome(found: outcome.Outcome, notes: list[str]) -> Simulation:
    return Simulation(
        api_version=API_VERSION,
        settled=found.settled,
        rounds=found.rounds,
        elapsed_milliseconds=found.elapsed,
        profiles=[_profile(profile) for profile in found.profiles],
        quotas=[_quota(quota) for quota in found.quotas],
        waiting=[_waiting(wait) for wait in found.waiting],
        reclaims=[_reclaimed(reclaim) for reclaim in found.reclaims],
        refused=[_refused(refusal) for refusal in found.refusals],
        notes=notes,
    )


def of_difference(found: difference.Difference, notes: list[str]) -> Difference:
    return Difference(
        api_version=API_VERSION,
        settled=found.settled,
        rounds=found.rounds,
        elapsed_milliseconds=found.elapsed,
        profiles=[
            ProfileChange(
                before=_profile(change.before) if change.before else None,
                after=_profile(change.after) if change.after else None,
            )
            for change in found.profiles
        ],
        quotas=[
            QuotaChange(
                before=_quota(change.before) if change.before else None,
                after=_quota(change.after) if change.after else None,
            )
            for change in found.quotas
        ],
        starts_waiting=[_waiting(wait) for wait in found.starts_waiting],
        stops_waiting=[
            StopsWaiting(
                namespace=stopped.wait.pod.namespace,
                name=stopped.wait.pod.name,
                quota=stopped.wait.quota,
                runs=stopped.runs,
            )
            for stopped in found.stops_waiting
        ],
        reclaims=[_reclaimed(reclaim) for reclaim in found.reclaims],
        refused=[_refused(refusal) for refusal in found.refusals],
        notes=notes,
    )


def as_json(report: Report) -> str:
    return msgspec.json.format(msgspec.json.encode(report), indent=2).decode()


def as_yaml(report: Report) -> str:
    text: str = yaml.safe_dump(
        msgspec.to_builtins(report), sort_keys=False, allow_unicode=True, width=10_000
    )
    return text.rstrip("\n")


def schema() -> dict[str, Any]:
    """The JSON Schema of a report."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": API_VERSION,
        **msgspec.json.schema(Report),
    }


def _profile(found: ProfileFigures) -> Profile:
    return Profile(
        namespace=found.key.namespace,
        name=found.key.name,
        tree_id=found.tree_id,
        nodes=found.nodes,
        ready=found.ready,
        reason=found.reason,
        message=found.message,
    )


def _quota(found: QuotaFigures) -> Quota:
    return Quota(
        namespace=found.key.namespace,
        name=found.key.name,
        tree=found.tree,
        parent=found.parent,
        request=resources.text(found.request),
        used=resources.text(found.used),
        runtime=resources.text(found.runtime),
        min=resources.text(found.min),
        max=resources.text(found.max),
        borrowed=resources.text(found.borrowed),
        lent=resources.text(found.lent),
        pods=Pods(running=found.running, waiting=found.waiting),
        accepted=found.accepted,
        reason=found.verdict,
        message=found.message,
    )


def _waiting(found: Wait) -> Waiting:
    return Waiting(
        namespace=found.pod.namespace,
        name=found.pod.name,
        quota=found.quota,
        reason=found.reason,
        message=found.message,
    )


def _reclaimed(found: Reclaim) -> Reclaimed:
    return Reclaimed(
        namespace=found.eviction.pod.namespace,
        name=found.eviction.pod.name,
        quota=found.eviction.quota,
        request=resources.text(found.eviction.request),
        message=found.eviction.message,
        returns=found.returns,
        after_milliseconds=found.after,
    )


def _refused(found: Refusal) -> Refused:
    return Refused(
        kind=found.kind,
        namespace=found.key.namespace,
        name=found.key.name,
        message=found.message,
        source=found.where,
    )
