"""What admitted jobs reserve in a quota: a part of what is in use, which no pod holds.

Which jobs do is news for a pod that waits there; how much each reserves is not.
"""

from collections.abc import Sequence

from elasticquota import names, resources
from elasticquota.forest import wording
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.model.workload import QueuedJob
from elasticquota.resources import Resources
from elasticquota.status.messages import Message


def sentences(cluster: ClusterSnapshot, quota: str) -> list[str]:
    """``Job team/train reserves 2 cpu for pods that it may still start``, one for each job."""
    return [
        _text([job], wording.amounts(left)) for job in _jobs(cluster, quota) if (left := _left(job))
    ]


def added(cluster: ClusterSnapshot, quota: str, message: Message) -> Message:
    """``message`` of what waits in its exhausted quota, with the jobs that reserve a part of it."""
    if message.reason != "QuotaExhausted" or not cluster.account(quota).jobs:
        return message
    key = message.keys[0]
    jobs = [job for job in _jobs(cluster, quota) if job.request.get(key) and key != names.MAX_JOBS]
    if not jobs:
        return message
    text = _text(jobs, f"{wording.amount(key, sum(job.request[key] for job in jobs))} of that")
    titles = (job.title for job in jobs)
    return message._replace(detail=f"{message.detail}; {text}", figures=(*message.facts, *titles))


def _jobs(cluster: ClusterSnapshot, quota: str) -> list[QueuedJob]:
    """The admitted jobs of a quota; their requests are what their pods do not draw."""
    return sorted(cluster.account(quota).running_jobs, key=lambda job: job.title)


def _left(job: QueuedJob) -> Resources:
    kept = {key: amount for key, amount in job.request.items() if key != names.MAX_JOBS}
    return resources.positive(kept)


def _text(jobs: Sequence[QueuedJob], amount: str) -> str:
    who, reserve = ("it", "reserves") if len(jobs) == 1 else ("they", "reserve")
    titles = wording.named([job.title for job in jobs])
    return f"{titles} {reserve} {amount} for pods that {who} may still start"
