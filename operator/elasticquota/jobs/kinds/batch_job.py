"""How many pods a Job may still have.

The rules are those of the Job controller (kubernetes.io, "Jobs"). It makes no pod for more
completions than are left; none for an index that has succeeded or failed; none after the first
success where no number of completions is written, and the pods that run then go on; none once the
success policy is met or the Job is failing.
"""

import re
from typing import Any, Final

from elasticquota.jobs import pod_sets, states
from elasticquota.jobs.adapter import Sign
from elasticquota.jobs.paths import PathEntry
from elasticquota.model.fault import Fault


_ENDING: Final = Sign("status.conditions", ("SuccessCriteriaMet", "FailureTarget"))
_INDEXES: Final = re.compile(r"(\d{1,10})(?:-(\d{1,10}))?", re.ASCII)


def most_left(job: PathEntry, faults: list[Fault]) -> int:
    """Return how many pods may still run, whatever the parallelism is."""
    if states.holds(_ENDING, job.document):
        return 0
    succeeded = pod_sets.number(job, "status.succeeded", 0, faults)
    if job.at("spec.completions") is None:
        running = pod_sets.number(job, "status.active", 0, faults)
        return running if succeeded else pod_sets.LARGEST
    ended = succeeded
    if job.at("spec.completionMode") == "Indexed":
        ended = max(succeeded, _count(job.at("status.completedIndexes")))
        ended += _count(job.at("status.failedIndexes"))
    return max(pod_sets.number(job, "spec.completions", 0, faults) - ended, 0)


def _count(written: Any) -> int:
    """How many indexes a text such as ``1,3-5`` names; what is no index counts as none."""
    count = 0
    for each in written.split(",") if isinstance(written, str) else ():
        found = _INDEXES.fullmatch(each)
        if found is not None:
            first, last = int(found[1]), int(found[2] or found[1])
            count += max(last - first + 1, 0)
    return count
