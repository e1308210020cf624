"""Converts outcomes and differences to reports, and reports to text."""

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
        waiting=[_waiting(wait) for wait in found.waiting],
        reclaims=[_reclaimed(reclaim) for reclaim in found.reclaims],
        refused=[_refused(refusal) for refusal in found.refusals],
        notes=notes,
    )


def of_difference(found: difference.Difference, notes: list[str]) -> report.Difference:
    """The report of a difference."""
    return report.Difference(
        api_version=report.API_VERSION,
        settled=found.settled,
        elapsed_milliseconds=found.elapsed,
        profiles=[
            report.ProfileChange(
                before=_profile(change.before) if change.before else None,
                after=_profile(change.after) if change.after else None,
            )
            for change in found.profiles
        ],
        quotas=[
            report.QuotaChange(
                before=_quota(change.before) if change.before else None,
                after=_quota(change.after) if change.after else None,
            )
            for change in found.quotas
        ],
        starts_waiting=[_waiting(wait) for wait in found.starts_waiting],
        stops_waiting=[
            report.StopsWaiting(
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


def as_yaml(found: report.Report) -> str:
    text: str = yaml.safe_dump(
        msgspec.to_builtins(found), sort_keys=False, allow_unicode=True, width=10_000
    )
    return text.rstrip("\n")


def _profile(found: ProfileFigures) -> report.Profile:
    return report.Profile(
        namespace=found.key.namespace,
        name=found.key.name,
        tree_id=found.tree_id,
        nodes=found.nodes,
        ready=found.ready,
        reason=found.reason,
        message=found.message,
    )


def _quota(found: QuotaFigures) -> report.Quota:
    return report.Quota(
        namespace=found.key.namespace,
        name=found.key.name,
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
        accepted=found.accepted,
        reason=found.verdict,
        message=found.message,
    )


def _limits(found: Resources) -> Resources:
    """Without what stands for "no limit"."""
    return {key: amount for key, amount in found.items() if not figures.boundless(key, amount)}


def _waiting(found: Wait) -> report.Waiting:
    return report.Waiting(
        namespace=found.pod.namespace,
        name=found.pod.name,
        quota=found.quota,
        reason=found.reason,
        message=found.message,
    )


def _reclaimed(found: Reclaim) -> report.Reclaimed:
    return report.Reclaimed(
        namespace=found.eviction.pod.namespace,
        name=found.eviction.pod.name,
        quota=found.eviction.quota,
        request=resources.text(found.eviction.request),
        message=found.eviction.message,
        returns=found.returns,
        after_milliseconds=found.after,
    )


def _refused(found: Refusal) -> report.Refused:
    return report.Refused(
        kind=found.kind,
        namespace=found.key.namespace,
        name=found.key.name,
        message=found.message,
        source=found.where,
    )
