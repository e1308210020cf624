"""The job controller holds jobs suspended until their quota has room for all of their pods.

A queued job is in the ledger and is decided upon like a pod. When it is admitted, one
patch unsuspends it and records the phase on it; when it is reclaimed, one patch suspends it. No
other state exists, so a process that dies leaves nothing half done.

While no controller runs, suspended jobs stay suspended. The pods of a job that a user unsuspends
keep their gate until the whole job is admitted. Jobs in namespaces without a quota, jobs created by
other jobs, and jobs in the queue of another system are not changed.
"""

import time
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet

import structlog

from elasticquota.jobs import phase
from elasticquota.jobs.adapter import JobAdapter
from elasticquota.jobs.phase import USUAL, JobPhase, PodsLeft, Terms
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.model import reason_code
from elasticquota.model.decision import Decisions, Eviction, Release
from elasticquota.model.key import Key
from elasticquota.model.workload import QueuedJob
from elasticquota_kube.client import retry
from elasticquota_kube.client.paths import Resource
from elasticquota_operator.context.controller_context import ControllerContext
from elasticquota_operator.context.manifest_store import ManifestStore
from elasticquota_operator.context.pending_changes import EngineTimer
from elasticquota_operator.jobs.cache import JobCache
from elasticquota_operator.jobs.ordering import JobOrdering
from elasticquota_operator.jobs.queued_job import JobSink, Queued
from elasticquota_operator.jobs.suspender import JobSuspender, Turn
from elasticquota_operator.workqueue.work_queue import WorkQueue


log = structlog.get_logger(__name__)


class JobController:
    """Call ``refresh()`` before a cycle, ``apply()`` after it if leading; ``run()`` is a task."""

    def __init__(
        self,
        context: ControllerContext,
        ordering: JobOrdering,
        *,
        terms: Terms = USUAL,
        sink: JobSink | None = None,
        now: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        wait: retry.Backoff = retry.jittered,
    ) -> None:
        """``sink`` takes the jobs, by default the ledger; ``now`` returns epoch milliseconds."""
        self._ledger = context.ledger
        self._sink: JobSink = context.ledger if sink is None else sink
        self._touch = context.touch
        self._settings = context.settings
        self._ordering = ordering
        self._leading = context.leading
        self._now = now
        self._terms = terms
        self._delayed: WorkQueue[Key] = WorkQueue(clock=now)
        """Jobs to refresh: changed ones at once, others when their phase changes by itself."""
        self._cache = JobCache(context, self._delayed, gone=self._forget, sink=self._sink)
        self._queued = self._cache.queued
        self._forest: object = None
        """The forest of the last ``refresh()``."""
        self._order_changes = 0
        """Of what orders jobs, until the last ``refresh()``."""
        self._generation = 0
        """Of the snapshot of the last ``refresh()``."""
        self._led = False
        """Whether this process led at the last ``refresh()``."""
        self._timer = EngineTimer(context.touch)
        self._turns = JobSuspender(context, self._cache, wait=wait).turns

    @property
    def queued(self) -> Mapping[Key, Queued]:
        """Queued jobs by their key in the ledger."""
        return self._queued

    def store(self, adapter: JobAdapter, resource: Resource) -> ManifestStore:
        """A store for the objects of one kind, which the watch fills."""
        return self._cache.store(adapter, resource)

    def refresh(self) -> None:
        """Update the phases, and the jobs in the ledger: of changed jobs, or all after a change of
        quotas, or of what orders jobs.
        """
        if not self._queued:
            return
        cluster = self._ledger.update(self._settings.accounting)
        for key in sorted(self._concerned(cluster)):
            queued = self._queued[key]
            pods = cluster.index.pods_of(key)
            queued.there = len(pods)
            queued.started = sum(
                not pod.gated or key in cluster.covered for key, pod in pods.items()
            )
            self._settle(key, self._bind(queued, cluster))
            due = phase.due(queued.phase, self._terms, self._pods_left(queued))
            self._delayed.remove(key)
            if due is not None:
                self._delayed.add_after(key, due - self._now())
        # A standby moves no job and needs no timer.
        first = self._delayed.next_at() if self._leading() else None
        self._timer.set(None if first is None else (first - self._now()) / 1000)

    def apply(self, decisions: Decisions) -> None:
        """Carry out what was decided about the jobs of the ledger."""
        decided = decisions.jobs
        for release in decided.releases:
            self._start(self._queued[release.pod], release)
        for eviction in decided.evictions:
            self._stop(self._queued[eviction.pod], eviction)
        for wait in decided.waits:
            found = self._queued[wait.pod]
            if wait.facts != found.facts or reason_code.at_end(found.said) != wait.reason:
                found.said, found.place, found.facts = wait.message, wait.place, wait.facts
            self._call_back(wait.pod, found)

    def back_off(self, key: Key) -> int:
        """Keep a job that was admitted and not started out of its queue for its back-off.

        Returns when that ends, epoch milliseconds. The caller says why by ``explain_back_off``.
        """
        found = self._queued[key]
        found.phase = JobPhase("Backoff", self._now(), found.phase.attempts + 1)
        self._cache.refresh(key)
        return phase.due(found.phase, self._terms, "none") or found.phase.since

    def explain_back_off(self, key: Key, said: str) -> None:
        """Record the back-off on the job, and why."""
        found = self._queued[key]
        found.said, found.place = said, 0
        self._turns.put(key, Turn(found.job.uid, key, found.phase, None, "", said))

    async def run(self) -> None:
        """Patch jobs until canceled."""
        await self._turns.run()

    def _forget(self, key: Key) -> None:
        self._turns.forget(key)

    # -- phases

    def _concerned(self, cluster: ClusterSnapshot) -> AbstractSet[Key]:
        """The jobs of which anything may have changed since the last ``refresh()``."""
        all_jobs = (
            cluster.forest is not self._forest
            or self._ordering.changes != self._order_changes
            or self._leading() != self._led
        )
        changed, due = self._ledger.changed_jobs.since(self._generation), self._delayed.drain()
        self._forest, self._led = cluster.forest, self._leading()
        self._order_changes = self._ordering.changes
        self._generation = cluster.generation
        if all_jobs or changed is None:
            return self._queued.keys()
        return self._queued.keys() & (changed | due)

    def _bind(self, queued: Queued, cluster: ClusterSnapshot) -> QueuedJob | None:
        """Update the quota of one job, and return what the quota counts."""
        workload = self._workload(queued)
        if workload is None:
            return None
        before, queued.quota = queued.quota, cluster.members.quota_of(workload)
        # The queue of the quota says whether priorities count.
        return workload if queued.quota == before else self._workload(queued)

    def _settle(self, key: Key, workload: QueuedJob | None) -> None:
        """Update the phase of one job, and the job in the ledger.

        ``workload`` is what its quota counts in the phase of before.
        """
        queued = self._queued[key]
        if self._leading() and queued.is_governed and self._advance(key, queued):
            workload = self._workload(queued)
        if not queued.is_governed or self._turns.is_refused(key):
            workload = None
        if workload == queued.workload or self._starts_as_decided(key, queued.workload, workload):
            return
        queued.workload = workload
        if workload is None:
            self._sink.delete_job(key)
        else:
            self._sink.upsert_job(workload)
        self._touch()

    def _starts_as_decided(self, key: Key, before: QueuedJob | None, now: QueuedJob | None) -> bool:
        """Whether a job that asks for other pods now is just being started with those of before.

        Then it counts as it was decided until the API server answers. A start that waits for its
        turn, or to be tried again, is given up: what the job asks now is decided.
        """
        if before is None or now is None or before.request == now.request:
            return False
        if before.uid not in self._ledger.releasing:
            return False
        if self._turns.is_in_flight(key):
            return True
        self._turns.forget(key)
        self._ledger.forget_release(before.uid)
        return False

    def _advance(self, key: Key, queued: Queued) -> bool:
        """Bring its phase up to date, and the job's object with it; return whether it changed."""
        before = queued.phase
        after = phase.after(before, queued.job, queued.started, self._terms, self._now())
        if after != before:
            queued.phase, queued.place = after, 0
            queued.said = phase.message(before, after)
            log.info("job moves", job=phase.title(queued.job), phase=after.phase)
        if after.phase in phase.ADMITTED:
            queued.called_back = False
        if key not in self._turns:
            self._correct(key, queued)
        return after != before

    def _correct(self, key: Key, queued: Queued) -> None:
        """Patch a job whose object says that it is started or admitted, and its phase does not."""
        uid, now = queued.job.uid, queued.phase
        if now.phase == "Backoff" and not queued.job.suspended:
            self._turns.put(key, Turn(uid, key, now, True, "QuotaBackoff", queued.said))
        elif phase.claims_too_much(queued.document, now):
            self._turns.put(key, Turn(uid, key, now, None, "", queued.said))

    def _workload(self, queued: Queued) -> QueuedJob | None:
        priority = self._ordering.priority(queued)
        return phase.queued(
            queued.phase, queued.job, queued.adapter, priority, self._pods_left(queued)
        )

    def _pods_left(self, queued: Queued) -> PodsLeft:
        before = self._ledger.jobs.get(phase.ledger_key(queued.job.key, queued.adapter))
        if before is not None and before.uid in self._ledger.releasing:
            return "none"  # it is being started and keeps what it holds
        return phase.pods_left(queued.phase, queued.job, queued.there, self._terms, self._now())

    # -- what is done

    def _start(self, queued: Queued, release: Release) -> None:
        self._ledger.expect_release(release.uid)
        wanted = JobPhase("Dequeued", self._now(), queued.phase.attempts)
        self._put(queued, release, wanted, "QuotaAdmitted", suspended=False)

    def _stop(self, queued: Queued, eviction: Eviction) -> None:
        self._ledger.expect_eviction(eviction.uid)
        wanted = JobPhase("Enqueued", self._now())
        self._put(queued, eviction, wanted, "QuotaReclaim", suspended=True)

    def _call_back(self, key: Key, queued: Queued) -> None:
        """Suspend, once, a job with only some pods admitted; more would fight its operator."""
        if queued.called_back or not phase.is_half_admitted(
            queued.phase, queued.job, queued.started
        ):
            return
        queued.called_back = True
        said = (
            "it was started again before all of its pods had gone, and there is no room for the "
            f"whole of it; {queued.started} of them were still admitted"
        )
        self._turns.put(key, Turn(queued.job.uid, key, queued.phase, True, "QuotaReclaim", said))

    def _put(
        self,
        queued: Queued,
        decided: Release | Eviction,
        wanted: JobPhase,
        reason: str,
        *,
        suspended: bool,
    ) -> None:
        key, uid, said = decided.pod, decided.uid, decided.message
        if suspended:
            said = f"Suspended: {said}."
        evicted = decided if isinstance(decided, Eviction) else None
        admitted = decided if isinstance(decided, Release) else None
        turn = Turn(queued.job.uid, key, wanted, suspended, reason, said, uid, evicted, admitted)
        self._turns.put(key, turn)
