"""Adds the devices of claims to the requests of queued jobs, whose pods may not exist yet.

* A claim that is generated from a template counts once for each pod for which the job reserves
  room. The pods draw on it with their other resources (``ledger.job_reservations``).
* A claim that the templates name counts once for the whole job, if it counts in the job or in one
  of its pods; the pod draws on it, too. If it counts in another pod or job (``pod_claims``), this
  one adds nothing for it, and waits while that one waits.
* A waiting job whose claim, template or class does not exist, or cannot be read, waits with a line
  that says so. An admitted one counts without it.
* Extended resources that devices of a class serve count for that class, too.

Like pods, jobs count by the objects of now alone: neither the order of events nor a restart
matters.
"""

from collections.abc import Iterator, Mapping

from elasticquota import resources
from elasticquota.devices import demand, references
from elasticquota.devices.pod_claims import PodClaims
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.claims import (
    ClaimingJob,
    ClaimingSet,
    ClaimReference,
    ClaimTemplate,
    ClassDemand,
    DeviceClaim,
)
from elasticquota.model.fault import Fault
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.workload import QueuedJob
from elasticquota.resources import Resources
from elasticquota.structs import replace


class JobClaims:
    """Takes queued jobs; the jobs of the ledger follow at once, and after each ``flush()``."""

    def __init__(self, ledger: Ledger, pods: PodClaims) -> None:
        """``pods`` has the claims, the templates and the classes."""
        self._ledger = ledger
        self._pods = pods
        self._jobs: dict[Key, QueuedJob] = {}
        """As written."""
        self._users: dict[Key, set[Key]] = {}
        """Claim -> the jobs whose templates name it."""
        self._instances: dict[Key, set[Key]] = {}
        """Template -> the jobs whose pods get a claim of it."""
        self._classes = ClassDemand()
        self._follows = False

    def job(self, key: Key) -> QueuedJob | None:
        """Return a job as it was written; None: there is none."""
        return self._jobs.get(key)

    def upsert_job(self, job: QueuedJob) -> None:
        """Take in a job that is queued or admitted."""
        self._forget(job.key)
        self._jobs[job.key] = job
        for used, reference in _used(job):
            if reference.claim:
                claim = Key(job.key.namespace, reference.claim)
                self._users.setdefault(claim, set()).add(job.key)
                if used.number and isinstance(job, ClaimingJob):
                    self._pods.reserve(claim, job)
            else:
                template = Key(job.key.namespace, reference.template)
                self._instances.setdefault(template, set()).add(job.key)
        self._pods.flush()
        self._count({job.key})
        self.flush()

    def delete_job(self, key: Key) -> None:
        """Take in that a job is gone, or not queued any more."""
        self._forget(key)
        self._ledger.delete_job(key)
        self._pods.flush()
        self.flush()

    def flush(self) -> bool:
        """Bring the jobs of the ledger up to date, after the pods; return whether one changed."""
        pods = self._pods
        concerned = set[Key]().union(
            *(self._users.get(claim, ()) for claim in pods.changed_claims),
            *(self._instances.get(template, ()) for template in pods.changed_templates),
        )
        pods.changed_claims.clear()
        pods.changed_templates.clear()
        if pods.classes != self._classes or pods.follows != self._follows:
            self._classes, self._follows = pods.classes, pods.follows
            concerned = set(self._jobs)
        return self._count(concerned)

    def _count(self, concerned: set[Key]) -> bool:
        changed = False
        for key in sorted(concerned):
            counted = self._counted(self._jobs[key])
            if counted != self._ledger.jobs.get(key):
                self._ledger.upsert_job(counted)
                changed = True
        return changed

    def _forget(self, key: Key) -> None:
        job = self._jobs.pop(key, None)
        if job is None:
            return
        for _, reference in _used(job):
            index = self._users if reference.claim else self._instances
            name = Key(key.namespace, reference.claim or reference.template)
            users = index.get(name, set())
            users.discard(key)
            if not users:
                index.pop(name, None)
            if reference.claim:
                self._pods.release(name, key)

    def _counted(self, job: QueuedJob) -> QueuedJob:
        """Return ``job`` as it counts."""
        if not (isinstance(job, ClaimingJob) and job.sets and self._pods.follows):
            parts = tuple(self._named(part, {}) for part in job.parts)
            return replace(job, request=self._named(job.request, {}), parts=parts)
        total: dict[str, int] = {}
        parts_by_size: dict[frozenset[tuple[str, int]], Resources] = {}
        obstacles: list[Fault] = []
        seen: set[str] = set()
        for each in job.sets:
            of_one, shared = self._claimed(job, each, seen, obstacles)
            if each.number:
                total = resources.add(total, {key: n * each.number for key, n in of_one.items()})
                total = resources.add(total, shared)
            part = self._named(each.request, resources.add(of_one, shared))
            parts_by_size[frozenset(part.items())] = part
        return replace(
            job,
            request=self._named(job.request, total),
            parts=tuple(parts_by_size.values()),
            obstacle=str(obstacles[0]) if obstacles else job.obstacle,
        )

    def _claimed(
        self, job: ClaimingJob, pods: ClaimingSet, seen: set[str], obstacles: list[Fault]
    ) -> tuple[Mapping[str, int], Mapping[str, int]]:
        """Return what each pod of a set claims by templates, and what the set claims by name.

        By resource. ``seen`` are the claims that the job has counted by name; those of now are
        added.
        """
        of_one: dict[str, int] = {}
        shared: dict[str, int] = {}
        for reference in references.distinct(pods.claims):
            faults: list[Fault] = []
            if not reference.claim:
                devices = self._by_template(Key(job.key.namespace, reference.template), faults)
                of_one = resources.add(of_one, devices)
            elif reference.claim not in seen:
                devices = self._by_name(job, Key(job.key.namespace, reference.claim), faults)
                shared = resources.add(shared, devices)
                if pods.number:
                    seen.add(reference.claim)
            where = f"{pods.where}.spec.resourceClaims[{reference.name}]"
            obstacles += [fault.below(where) for fault in faults]
        return of_one, shared

    def _by_template(self, key: Key, faults: list[Fault]) -> Mapping[str, int]:
        found = self._pods.template(key)
        if found is None:
            faults.append(references.missing_template(key))
            return {}
        return self._devices(found, demand.of_spec(found.spec, self._pods.classes), faults)

    def _by_name(self, job: ClaimingJob, key: Key, faults: list[Fault]) -> Mapping[str, int]:
        found, holder = self._pods.claim(key), self._pods.holder(key)
        if found is None:
            faults.append(references.missing_claim(key))
            return {}
        if holder is not None and not _is_of(holder, job):
            if holder.gated:
                faults.append(references.held(key, holder))
            return {}
        devices = demand.of_claim(found, self._pods.classes)
        if found.allocated is not None:
            return demand.resources(devices, self._pods.classes)
        return self._devices(found, devices, faults)

    def _devices(
        self, found: DeviceClaim | ClaimTemplate, devices: Mapping[str, int], faults: list[Fault]
    ) -> Mapping[str, int]:
        faults += references.unread(found)
        unknown = references.unknown_class(found, self._pods.classes)
        if unknown is not None:
            faults.append(unknown)
        return demand.resources(devices, self._pods.classes)

    def _named(self, request: Resources, claimed: Mapping[str, int]) -> Resources:
        """Return a request of pods without a node with what they claim, under all names."""
        classes = self._pods.classes

        def is_plugin(resource: str) -> bool:
            return bool(classes.served.get(resource))

        return demand.named(request, claimed, classes, self._pods.served_by, is_plugin)


def _used(job: QueuedJob) -> Iterator[tuple[ClaimingSet, ClaimReference]]:
    """Iterate over the references to claims and templates, with the pods that have them."""
    for each in job.sets if isinstance(job, ClaimingJob) else ():
        for reference in each.claims:
            yield each, reference


def _is_of(holder: Pod | ClaimingJob, job: ClaimingJob) -> bool:
    """Whether a claim that counts in ``holder`` counts in the job or in one of its pods."""
    if not isinstance(holder, Pod):
        return holder.key == job.key
    same = holder.key.namespace == job.key.namespace
    return same and not set(holder.jobs).isdisjoint(job.labels)
