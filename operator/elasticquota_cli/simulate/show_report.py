"""Converts outcomes and differences to reports, and reports to text."""

from collections.abc import Sequence

import msgspec
import yaml

from elasticquota import resources
from elasticquota.model.decision import Wait
from elasticquota.resources import Resources
from elasticquota.wire.codec import figures
from elasticquota_cli.simulate import difference, outcome, report
from elasticquota_cli.simulate.apply import Refusal
from elasticquota_cli.simulate.outcome import ProfileFigures, QuotaFigures
from elasticquota_cli.simulate.settle import Reclaim


def of_outcome(found: outcome.Outcome, notes: list[str]) -> report.Simulation:
    """The report of an outcome."""
    return report.Simulation(
        api_version=report.API_VERSION,
        settled=found.settled,
        elapsed_milliseconds=found.elapsed,
        profiles=[_profile(profile) for profile in found.profiles],
        quotas=[_quota(quota) for quota in found.quotas],
        waiting=_waiting(found.waiting),
        reclaims=_reclaimed(found.reclaims),
        refused=_refused(found.refusals),
        notes=notes,
    )


def of_difference(found: difference.Difference, notes: list[str]) -> report.Difference:
    """The report of a difference."""
    return report.Difference(
        api_version=report.API_VERSION,
        settled=found.settled,
        elapsed_milliseconds=found.elapsed,
        profiles=[
            report.ProfileChange(*(_profile(side) if side else None for side in each))
            for each in found.profiles
        ],
        quotas=[
            report.QuotaChange(*(_quota(side) if side else None for side in each))
            for each in found.quotas
        ],
        starts_waiting=_waiting(found.starts_waiting),
        stops_waiting=[
            report.StopsWaiting(*each.wait.pod, quota=each.wait.quota, runs=each.runs)
            for each in found.stops_waiting
        ],
        reclaims=_reclaimed(found.reclaims),
        refused=_refused(found.refusals),
        notes=notes,
    )


def as_yaml(found: report.Report) -> str:
    """The report as YAML, without a line end."""
    text: str = yaml.safe_dump(
        msgspec.to_builtins(found), sort_keys=False, allow_unicode=True, width=10_000
    )
    return text.rstrip("\n")


def _profile(found: ProfileFigures) -> report.Profile:
    return report.Profile(
        *found.key,
        tree_id=found.tree_id,
        nodes=found.nodes,
        ready=found.good,
        reason=found.reason,
        message=found.message,
    )


def _quota(found: QuotaFigures) -> report.Quota:
    return report.Quota(
        *found.key,
        tree=found.tree,
        parent=found.parent,
        request=resources.text(found.request),
        used=resources.text(found.used),
        runtime=resources.text(found.runtime),
        min=resources.text(found.min),
        max=resources.text(_limits(found.max)),
        borrowed=resources.text(found.borrowed),
        lent=resources.text(found.lent),
        pods=report.Pods(running=found.running, waiting=found.waiting),
        accepted=found.good,
        reason=found.verdict,
        message=found.message,
    )


def _limits(found: Resources) -> Resources:
    """Without what stands for "no limit"."""
    return {key: amount for key, amount in found.items() if not figures.boundless(key, amount)}


def _waiting(found: Sequence[Wait]) -> list[report.Waiting]:
    return [
        report.Waiting(*wait.pod, quota=wait.quota, reason=wait.reason, message=wait.message)
        for wait in found
    ]


def _reclaimed(found: Sequence[Reclaim]) -> list[report.Reclaimed]:
    return [
        report.Reclaimed(
            *reclaim.eviction.pod,
            quota=reclaim.eviction.quota,
            request=resources.text(reclaim.eviction.request),
            message=reclaim.eviction.message,
            returns=reclaim.returns,
            after_milliseconds=reclaim.after,
        )
        for reclaim in found
    ]


def _refused(found: Sequence[Refusal]) -> list[report.Refused]:
    return [
        report.Refused(refusal.kind, *refusal.key, message=refusal.message, source=refusal.where)
        for refusal in found
    ]
