"""Reads the queued jobs of a live cluster, which have a unit.

The controller keeps a QueueUnit for each job that it queues, so without units no job is read. The
phase is in an annotation of the job; everything else is derived as the controller does.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from elasticquota.jobs import job, phase, queue_units
from elasticquota.jobs import queues as jobs_queues
from elasticquota.jobs.adapter import JobAdapter, JobKind
from elasticquota.jobs.job import Job
from elasticquota.jobs.kinds import table
from elasticquota.jobs.phase import Terms
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.workload import QueuedJob
from elasticquota.structs import Struct
from elasticquota.wire.codec import fields
from elasticquota.wire.codec.metadata import SpecManifest
from elasticquota.wire.integrations import job_queues
from elasticquota_cli.live import listing
from elasticquota_config.model import Configuration
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api, Document
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.client.rest.errors import ApiError


T = TypeVar("T")


class LiveJobs(Struct, frozen=True):
    """The queued jobs, and what is needed to count them."""

    labels: tuple[str, ...]
    """The labels that tie a pod to its job."""
    terms: Terms
    units: Mapping[Key, SpecManifest]
    found: Sequence[tuple[Job, JobAdapter, Document]]
    by_age: frozenset[str]
    """Quotas in whose queues priorities do not count."""
    notes: tuple[str, ...]


async def read(api: Api, chosen: Configuration) -> LiveJobs:
    """Read all queued jobs of the kinds that the configuration knows; raises `Failure`."""
    adapters = chosen.kinds_of_jobs()
    stored = await _list(api, paths.QUEUE_UNITS, SpecManifest) or ()
    kept = {each.metadata.key: each for each in stored}
    queues = await _list(api, paths.JOB_QUEUES, SpecManifest) if kept else ()
    queued: list[tuple[Job, JobAdapter, Document]] = []
    notes: list[str] = []
    for resource, adapter in _kinds(kept.values(), adapters, notes):
        documents = await _list(api, resource, dict[str, Any])
        if documents is None:
            text = "you may not read them: queued ones are not counted here"
            notes.append(f"{resource.plural}: {text}")
        jobs = [(job.read(each, adapter), adapter, each) for each in documents or ()]
        queued += [each for each in jobs if queue_units.place(each[0]) in kept]
    return LiveJobs(
        labels=table.labels(adapters),
        terms=chosen.jobs.terms(),
        units=kept,
        found=tuple(queued),
        by_age=frozenset(
            each.metadata.name
            for each in queues or ()
            if each.metadata.namespace == jobs_queues.HOME
            and jobs_queues.by_age(job_queues.read(each))
        ),
        notes=tuple(notes),
    )


async def _list(api: Api, resource: Resource, kind: type[T]) -> Sequence[T] | None:
    """All objects; none when there is no such kind, and None when they may not be read."""
    try:
        return await listing.of(api, resource, into=kind)
    except ApiError:
        return ()


def counted(jobs: LiveJobs, stored: Iterable[Pod], now: int) -> Iterator[QueuedJob]:
    """The jobs as their quotas count them beside the ``stored`` pods; ``now`` in epoch ms."""
    bearing: dict[str, list[Pod]] = defaultdict(list)
    for pod in stored:
        for mark in pod.jobs:
            bearing[f"{pod.key.namespace}/{mark}"].append(pod)
    for each, adapter, document in jobs.found:
        namespace_labels = phase.pod_labels(each)
        pods = {
            pod.key: pod
            for mark in namespace_labels
            for pod in bearing[f"{each.key.namespace}/{mark}"]
        }
        started = sum(not pod.gated for pod in pods.values())
        far = phase.after(phase.stored(document), each, started, jobs.terms, now)
        rest = phase.pods_left(far, each, len(pods), jobs.terms, now)
        unit = jobs.units[queue_units.place(each)]
        queued = phase.queued(far, each, adapter, _priority(jobs, unit), rest)
        if queued is not None:
            yield queued


def _kinds(
    stored: Iterable[SpecManifest], adapters: Iterable[JobAdapter], notes: list[str]
) -> Iterator[tuple[Resource, JobAdapter]]:
    """The kinds that have units, with their adapters."""
    known = {adapter.identity: adapter for adapter in adapters}
    for api_version, kind in sorted({_consumer(unit) for unit in stored}):
        group, _, version = api_version.rpartition("/")
        adapter = known.get(JobKind(group, kind))
        if adapter is None:
            notes.append(f"how jobs of kind {kind} are read is not known here: name --config")
        else:
            yield Resource(group, version, adapter.plural), adapter


def _consumer(unit: SpecManifest) -> tuple[str, str]:
    said = fields.mapping(fields.mapping(unit.spec, "spec", []).get("consumerRef"), "", [])
    return str(said.get("apiVersion", "")), str(said.get("kind", ""))


def _priority(jobs: LiveJobs, unit: SpecManifest) -> int:
    if fields.mapping(unit.spec, "spec", []).get("queue") in jobs.by_age:
        return 0
    return queue_units.priority({"spec": unit.spec}) or 0
