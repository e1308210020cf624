"""A queued job: its manifest, its phase, and the last message about it."""

from collections.abc import Hashable, Mapping
from typing import Protocol

from elasticquota import names
from elasticquota.forest.membership import NO_QUOTA
from elasticquota.jobs.adapter import JobAdapter
from elasticquota.jobs.job import Job
from elasticquota.jobs.phase import JobPhase
from elasticquota.model.key import Key
from elasticquota.model.workload import QueuedJob
from elasticquota.structs import Struct
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.events import Regarding
from elasticquota_operator.context.manifest_store import Manifest


class Queued(Struct):
    """A job in the queue of its quota."""

    adapter: JobAdapter
    resource: Resource
    document: Manifest
    job: Job
    phase: JobPhase
    workload: QueuedJob | None = None
    """As it was last given to the ledger, without the devices that it claims."""
    there: int = 0
    """How many of its pods there are."""
    started: int = 0
    """How many of them are admitted."""
    quota: str = NO_QUOTA
    called_back: bool = False
    """Whether it was suspended for being half admitted, since its last admission."""
    said: str = ""
    """Why it waits, or what became of it."""
    facts: tuple[Hashable, ...] = ()
    """Of the wait that ``said`` is about, as values."""
    place: int = 0
    """In line, from 1; 0: in none."""

    @property
    def is_governed(self) -> bool:
        """Whether a quota binds its namespace."""
        return self.quota not in (NO_QUOTA, *names.RESERVED_QUOTAS)

    @property
    def regarding(self) -> Regarding:
        """The job, for its events."""
        key = self.job.key
        return Regarding(
            self.resource.api_version, self.job.kind, key.namespace, key.name, self.job.uid
        )


class JobSink(Protocol):
    """Takes the jobs that count: the ledger, or what adds the devices that they claim."""

    def upsert_job(self, job: QueuedJob, /) -> None: ...
    def delete_job(self, key: Key, /) -> None: ...


class JobLookup(Protocol):
    """The jobs, for writers that report on them."""

    @property
    def queued(self) -> Mapping[Key, Queued]: ...
