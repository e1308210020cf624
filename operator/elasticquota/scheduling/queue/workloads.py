"""Workloads: the pods of one job. They are admitted behind it, and reclaimed together.

A job is admitted once: its pods follow without a queue, as long as they fit in what it reserves
(``ledger.job_reservations``). A suspended job returns all it uses, so it is one victim and not
many, and preemption knows how much that is.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from elasticquota import resources
from elasticquota.ledger.books import Books
from elasticquota.ledger.job_reservations import Coverage
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Release
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.scheduling.status import pod_messages


SOMEWHERE: Final = "*"
"""Represents the nodes of all pods of a job; no node has this name."""


def releases(ledger: Ledger, books: Books) -> Iterator[Release]:
    """Pods that are released with their jobs."""
    for key in sorted(books.covered):
        pod = ledger.pods[key]
        if not pod.gated or pod.uid in ledger.releasing:
            continue
        quota = books.members.quota_of(pod)
        draw = books.job(pod)
        if draw is not None and draw.placeholder.reserves is not None:
            job = draw.placeholder.reserves.job
            yield pod_messages.release(
                pod, quota, f"quota {quota}: admitted with {job}", books.nodes(quota)
            )


def united(pods: Iterable[Pod], books: Books) -> list[Pod]:
    """Pods that may be evicted; a job that is reclaimed as a whole counts as one pod.

    Pods beyond the job's reservation count as single pods.
    """
    found: list[Pod] = []
    jobs: dict[Key, Coverage] = {}
    for pod in pods:
        draw = books.job(pod)
        reserves = draw.placeholder.reserves if draw is not None else None
        if draw is not None and reserves is not None and reserves.whole and draw.admitted:
            jobs[draw.placeholder.key] = draw
        elif pod.reserves is None:
            found.append(pod)
    return found + [_as_one(draw) for draw in jobs.values() if _may_go(draw, books)]


def _may_go(draw: Coverage, books: Books) -> bool:
    uid = draw.placeholder.uid
    return uid not in books.withheld and all(pod.preemptible for pod in draw.pods.values())


def _as_one(draw: Coverage) -> Pod:
    running = [pod for key, pod in draw.pods.items() if not pod.gated or key in draw.covered]
    bound = any(pod.bound for pod in running)
    starts = [pod.started for pod in running if pod.started]
    return replace(
        draw.placeholder,
        request=resources.add(draw.placeholder.request, *(pod.request for pod in running)),
        node_name=SOMEWHERE if bound else "",
        started=min(starts, default=""),
    )
