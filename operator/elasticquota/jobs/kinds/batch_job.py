"""How many pods a Job may still have.

The rules are those of the Job controller (kubernetes.io, "Jobs"). It makes no pod for more
completions than are left; none for an index that has succeeded or failed; none after the first
success where no number of completions is written, and the pods that run then go on; none once the
success policy is met or the Job is failing.
"""

import re
from typing import Any, Final

from elasticquota.jobs import paths, pod_sets, states
from elasticquota.jobs.adapter import Sign


_ENDING: Final = Sign("status.conditions", ("SuccessCriteriaMet", "FailureTarget"))
_INDEXES: Final = re.compile(r"(\d{1,10})(?:-(\d{1,10}))?", re.ASCII)


def most_left(document: Any, faults: list[str]) -> int:
    """Return how many pods may still run, whatever the parallelism is."""
    if states.holds(_ENDING, document):
        return 0
    succeeded = _number(document, "status.succeeded", faults)
    if paths.value(document, "spec.completions") is None:
        running = _number(document, "status.active", faults)
        return running if succeeded else pod_sets.MOST_PODS
    ended = succeeded
    if paths.value(document, "spec.completionMode") == "Indexed":
        completed, failed = (
            _count(paths.value(document, f"status.{name}Indexes"))
            for name in ("completed", "failed")
        )
        ended = max(succeeded, completed) + failed
    return max(_number(document, "spec.completions", faults) - ended, 0)


def _number(document: Any, path: str, faults: list[str]) -> int:
    found = paths.value(document, path)
    return 0 if found is None else pod_sets.read_number(found, path, faults)


def _count(written: Any) -> int:
    """How many indexes a text such as ``1,3-5`` names; what is no index counts as none."""
    count = 0
    for each in written.split(",") if isinstance(written, str) else ():
        found = _INDEXES.fullmatch(each)
        if found is not None:
            first, last = int(found[1]), int(found[2] or found[1])
            count += max(last - first + 1, 0)
    return count
