"""Between the decision and the writers: admitted groups and jobs wait for nodes, if it is on.

``hold()`` takes the releases of groups and jobs out of a decision, asks for nodes, and puts them
back once the autoscaler has these. Meanwhile the ledger counts them as being released, so no other
workload gets their room. A refusal returns the room, and keeps the workload out of its queue for a
back-off. What was asked for a workload that is not admitted any more is withdrawn: only admitted
demand makes a cluster grow.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Final

import structlog

from elasticquota.model.decision import Decisions, Release, Wait
from elasticquota.model.key import Key
from elasticquota.model.selector import Selector
from elasticquota.provisioning import answer, manifests
from elasticquota.provisioning.step import ProvisioningStep, ProvisioningTerms
from elasticquota.structs import replace
from elasticquota_operator.context.controller_context import ControllerContext
from elasticquota_operator.context.pending_changes import EngineTimer
from elasticquota_operator.context.runnable import run_all
from elasticquota_operator.informers import crd_informer
from elasticquota_operator.jobs.controller import JobController
from elasticquota_operator.provisioning import bookings, idle_requests, reporting
from elasticquota_operator.provisioning import held as workloads
from elasticquota_operator.provisioning.admitted import AdmittedWorkloads
from elasticquota_operator.provisioning.attempts import Attempts
from elasticquota_operator.provisioning.held import HeldWorkload
from elasticquota_operator.provisioning.requests import Requests


_SETTLES: Final = 10_000
"""Milliseconds. Which of several pools a workload waits in is found again after a restart, and only
then is it known what it asks for."""

log = structlog.get_logger(__name__)


class Provisioner:
    """Call ``refresh()`` before each cycle and ``hold()`` after it if leading; ``run()`` as task.

    Without ``terms`` it is off, and decisions pass as they are.
    """

    def __init__(
        self,
        context: ControllerContext,
        terms: ProvisioningTerms | None,
        jobs: JobController,
        *,
        now: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        every: float = crd_informer.ASKS_EVERY,
    ) -> None:
        """``now`` returns epoch milliseconds."""
        self._ledger = context.ledger
        self._recorder = context.recorder
        self._touch = context.touch
        self._leading = context.leading
        self._terms = terms
        self._jobs = jobs
        self._now = now
        self._admitted = AdmittedWorkloads(context.ledger, jobs, terms)
        self._requests = Requests(context, every=every)
        self._attempts = Attempts(context, self._requests)
        self._held: dict[Key, HeldWorkload] = {}
        self._until: dict[Key, int] = {}
        """When groups that were put back may be admitted again, epoch milliseconds."""
        self._leads_since: int | None = None
        """Epoch milliseconds; None: it does not."""
        self._timer = EngineTimer(context.touch)
        self.filled: Sequence[asyncio.Event] = () if terms is None else (self._requests.filled,)
        """All set once it is known which requests there are."""

    async def run(self) -> None:
        """Watch and write until canceled; return at once if it is off."""
        if self._terms is not None:
            writer = self._attempts.writer
            await run_all(self._requests, writer.asks, writer.deletions)

    def refresh(self) -> None:
        """Put groups whose back-off is over into their queues again."""
        if not self._leading():
            self._leads_since = None
            self._drop_all()
            return
        now = self._now()
        if self._leads_since is None:
            self._leads_since = now
        for group in [group for group, until in self._until.items() if until <= now]:
            del self._until[group]
            self._ledger.resume_group(group)

    def hold(self, decisions: Decisions) -> Decisions:
        """The decisions to carry out: without the workloads that wait, with those that may go."""
        if self._terms is None or not self._requests.is_served:
            return decisions
        now = self._now()
        decisions = self._take_in(self._without_victims(decisions), now)
        started: list[Release] = []
        waits: list[tuple[HeldWorkload, Wait]] = []
        due: list[int] = list(self._until.values())
        for held in list(self._held.values()):
            wanted = self._admitted.terms_in(held.releases[0].quota)
            if not held.is_intact(self._ledger) or wanted not in (None, held.terms):
                self._let_go(held)
                continue
            observes = held.is_observed(self._ledger)
            if wanted is None or observes:
                text = "its tree only observes" if observes else "its profile asks for no nodes"
                started += self._start(held, [ProvisioningStep("start", text, now)])
                continue
            steps = [self._attempts.step(held, part, wanted, now) for part in held.parts]
            back = next((each for each in steps if each.verdict == "back"), None)
            holding = next((each for each in steps if each.verdict == "hold"), None)
            if back is not None:
                self._put_back(held, back)
                due.append(back.due)
            elif holding is not None:
                due.append(holding.due)
                waits += [(held, wait) for wait in reporting.waits(held, holding, self._ledger)]
            else:
                started += self._start(held, steps)
        settled = self._settled_from(now)
        if settled > now:
            due.append(settled)
        else:
            self._withdraw()
        # The next answer that is due, or the next back-off that is over.
        self._timer.set((min(due) - now) / 1000 if due else None)
        return self._whole(decisions, started, waits)

    # -- which workloads wait

    def _take_in(self, decisions: Decisions, now: int) -> Decisions:
        """Hold the admitted groups and jobs of these decisions."""
        taken: set[str] = set()
        for held in self._admitted.workloads(decisions, now):
            if workloads.can_be_asked_for(held):
                self._held[held.subject] = held
                for release in held.releases:
                    taken.add(release.uid)
                    self._ledger.await_nodes(release.uid)
            else:
                log.info("starts without a request", workload=str(held.subject))
        if not taken:
            return decisions
        jobs = decisions.jobs
        return replace(
            decisions,
            releases=tuple(each for each in decisions.releases if each.uid not in taken),
            jobs=replace(
                jobs, releases=tuple(each for each in jobs.releases if each.uid not in taken)
            ),
        )

    def _without_victims(self, decisions: Decisions) -> Decisions:
        """What is to be evicted of a workload that waits is not evicted: it goes back."""
        of = {release.uid: held for held in self._held.values() for release in held.releases}
        chosen = [each for each in decisions.of_workloads.evictions if each.uid in of]
        if not chosen:
            return decisions
        victims = {each.uid for each in chosen}
        for held, why in {of[each.uid].subject: (of[each.uid], each) for each in chosen}.values():
            text = f"{why.message}; no pod of it has started, and it asks for its nodes no longer"
            self._recorder.record(
                reporting.regarding(held, self._jobs),
                "ProvisioningWithdrawn",
                text,
                action="Reclaim",
            )
            self._let_go(held)
        jobs = decisions.jobs
        return replace(
            decisions,
            evictions=tuple(each for each in decisions.evictions if each.uid not in victims),
            jobs=replace(
                jobs, evictions=tuple(each for each in jobs.evictions if each.uid not in victims)
            ),
        )

    # -- what becomes of one

    def _start(self, held: HeldWorkload, steps: Sequence[ProvisioningStep]) -> list[Release]:
        """The releases of a workload that may start, with the annotations of what was booked."""
        del self._held[held.subject]
        for release in held.releases:
            self._ledger.start_awaiting(release.uid)
        booked: dict[tuple[str, Selector], dict[str, str]] = {}
        for part in held.parts:
            self._attempts.forget(part)
            stored = self._attempts.ours(part)
            if stored is None:
                continue
            if answer.read(stored).state == "provisioned":
                name = part.asking.name(part.attempt)
                place = part.asking.namespace, part.nodes
                booked[place] = manifests.consumption(name, held.terms.class_name)
            else:
                # An answer that comes later would be for nothing.
                self._attempts.writer.delete(stored)
        text = "; ".join(dict.fromkeys(each.text for each in steps))
        log.info("starts", workload=str(held.subject), why=text)
        of_pods = {} if held.is_job else booked
        return [
            replace(
                release,
                message=f"{release.message} {text}",
                annotations=of_pods.get((release.pod.namespace, release.nodes), {}),
            )
            for release in held.releases
        ]

    def _put_back(self, held: HeldWorkload, back: ProvisioningStep) -> None:
        """Return the room of a workload, which is out of its queue until its back-off is over."""
        for part in held.parts:
            self._attempts.remember(part)
            stored = self._attempts.ours(part)
            if stored is not None and answer.read(stored).state != "refused":
                self._attempts.writer.delete(stored)
        self._let_go(held)
        log.info("not provisioned", workload=str(held.subject), why=back.text)
        until = self._jobs.back_off(held.subject) if held.is_job else back.due
        text = f"{back.text}; it is asked for again from {_clock(until)} on"
        if held.is_job:
            self._jobs.explain_back_off(held.subject, text)
        else:
            self._until[held.subject] = until
            self._ledger.postpone_group(held.subject, text)
        self._recorder.record(
            reporting.regarding(held, self._jobs),
            "ProvisioningRefused",
            text,
            action="Admit",
            type="Warning",
        )

    def _let_go(self, held: HeldWorkload) -> None:
        """Count a workload as waiting again."""
        del self._held[held.subject]
        for release in held.releases:
            self._ledger.forget_release(release.uid)
        self._touch()

    def _drop_all(self) -> None:
        """On a standby nothing is held: the leader says what is."""
        for found in list(self._held.values()):
            self._let_go(found)
        for group in list(self._until):
            del self._until[group]
            self._ledger.resume_group(group)

    def _settled_from(self, now: int) -> int:
        """When it is known what all workloads ask for, epoch milliseconds."""
        if self._leads_since is None or not self._ledger.snapshot.pools:
            return now
        return self._leads_since + _SETTLES

    def _withdraw(self) -> None:
        """Delete what was asked for workloads that wait, except for what is asked for now."""
        stored, held = self._requests.store.list(), self._held.values()
        for each in idle_requests.find(stored, held, self._until, self._ledger, self._jobs):
            self._attempts.writer.delete(each)

    def _whole(
        self,
        decisions: Decisions,
        started: Sequence[Release],
        waits: Sequence[tuple[HeldWorkload, Wait]],
    ) -> Decisions:
        queued = self._jobs.queued
        releases = [*decisions.releases, *(each for each in started if each.pod not in queued)]
        annotated = bookings.annotated(releases, self._ledger, self._jobs, self._requests)
        jobs = decisions.jobs
        return replace(
            decisions,
            releases=tuple(annotated),
            waits=(*decisions.waits, *(wait for held, wait in waits if not held.is_job)),
            jobs=replace(
                jobs,
                releases=(*jobs.releases, *(each for each in started if each.pod in queued)),
                waits=(*jobs.waits, *(wait for held, wait in waits if held.is_job)),
            ),
        )


def _clock(at: int) -> str:
    return time.strftime("%H:%M:%SZ", time.gmtime(at / 1000))
