"""Notes for trees in observe mode: that they are, and what enforcing would do."""

from collections.abc import Iterator
from typing import Final

from elasticquota.model.workload import Counted
from elasticquota_cli.why.computed.moment import Moment


NOTE: Final = "the tree only observes: no pod waits, and none is reclaimed"


def notes(moment: Moment, quota: str, pod: Counted) -> Iterator[str]:
    """Notes on one pod of ``quota``; none when the tree enforces."""
    if not moment.cluster.forest.observes(quota):
        return
    yield NOTE
    for wait in moment.now.would_wait:
        if wait.uid == pod.uid:
            yield f"if it enforced: {wait.stated}"
    for gone in moment.would_go:
        if gone.uid == pod.uid:
            yield f"if it enforced, the pod would be reclaimed: {gone.message}"


def notes_of_quota(moment: Moment, quota: str) -> Iterator[str]:
    """Notes on all pods of ``quota``, as numbers."""
    if not moment.cluster.forest.observes(quota):
        return
    yield NOTE
    waiting = sum(wait.quota == quota for wait in moment.now.would_wait)
    going = sum(gone.quota == quota for gone in moment.would_go)
    if waiting or going:
        numbers = f"{waiting} of its pods would wait now, and {going} would be reclaimed later"
        yield f"if it enforced, {numbers}"
