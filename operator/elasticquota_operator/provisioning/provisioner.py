"""Between the decision and the writers: admitted groups and jobs wait for nodes, if it is on.

``apply()`` takes the releases of groups and jobs out of a decision, asks for nodes, and puts them
back once the autoscaler has these. Meanwhile the ledger counts them as being released, so no other
workload gets their room. A refusal returns the room, and keeps the workload out of its queue for a
back-off. What was asked for a workload that is not admitted any more is withdrawn: only admitted
demand makes a cluster grow.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

import structlog

from elasticquota.jobs import phase
from elasticquota.model import moments
from elasticquota.model.decision import Decisions, Release, Wait
from elasticquota.model.key import Key
from elasticquota.provisioning import answer, manifests, step
from elasticquota.provisioning.step import Step, Terms
from elasticquota_kube.client.errors import ApiError
from elasticquota_kube.events import Regarding
from elasticquota_operator.controller_context import ControllerContext
from elasticquota_operator.informers import crd_informer
from elasticquota_operator.informers.manifest_store import Manifest
from elasticquota_operator.jobs.controller import JobController
from elasticquota_operator.provisioning import held as workloads
from elasticquota_operator.provisioning.held import Held, Part
from elasticquota_operator.provisioning.request_writer import Ask, RequestWriter
from elasticquota_operator.provisioning.requests import Requests


_REMEMBERED: Final = 4096
"""Workloads of which the number of attempts is remembered."""

log = structlog.get_logger(__name__)


class Provisioner:
    """Call ``refresh()`` before each cycle and ``apply()`` after it if leading; ``run()`` as task.

    Without ``terms`` it is off, and decisions pass as they are.
    """

    def __init__(
        self,
        context: ControllerContext,
        terms: Terms | None,
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
        self._requests = Requests(context, every=every)
        self._writer = RequestWriter(context, self._requests, self._fail, self._take)
        self._held: dict[Key, Held] = {}
        self._until: dict[Key, int] = {}
        """When groups that were put back may be admitted again, epoch milliseconds."""
        self._tried: dict[str, int] = {}
        """By the start of the names, the last attempt, whose request may be gone."""
        self._failures: dict[Key, ApiError] = {}
        """Requests that the API server did not accept."""
        self._taken: set[Key] = set()
        """Names of requests that are not ours to use."""
        self._alarm: asyncio.TimerHandle | None = None
        self.filled: Sequence[asyncio.Event] = () if terms is None else (self._requests.filled,)
        """All set once it is known which requests there are."""

    async def run(self) -> None:
        """Watch and write until canceled; return at once if it is off."""
        if self._terms is None:
            return
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._requests.run())
            tasks.create_task(self._writer.asks.run())
            tasks.create_task(self._writer.deletions.run())

    def refresh(self) -> None:
        """Put groups whose back-off is over into their queues again."""
        if not self._leading():
            self._drop_all()
            return
        now = self._now()
        for group in [group for group, until in self._until.items() if until <= now]:
            del self._until[group]
            self._ledger.resume_group(group)

    def apply(self, decisions: Decisions) -> Decisions:
        """The decisions to carry out: without the workloads that wait, with those that may go."""
        terms = self._terms
        if terms is None or not self._requests.is_served:
            return decisions
        now = self._now()
        decisions = self._without_victims(decisions)
        decisions = self._take_in(decisions, terms, now)
        started: list[Release] = []
        waits: list[tuple[Held, Wait]] = []
        due: list[int] = list(self._until.values())
        for found in list(self._held.values()):
            if not found.is_intact(self._ledger):
                self._let_go(found)
                continue
            steps = [self._step(found, part, terms, now) for part in found.parts]
            back = next((each for each in steps if each.verdict == "back"), None)
            holding = next((each for each in steps if each.verdict == "hold"), None)
            if back is not None:
                self._put_back(found, back)
                due.append(back.due)
            elif holding is not None:
                due.append(holding.due)
                waits += [(found, wait) for wait in self._waits(found, holding)]
            else:
                started += self._start(found, steps, terms)
        self._withdraw()
        self._set_alarm(due, now)
        return self._whole(decisions, started, waits, terms)

    # -- which workloads wait

    def _take_in(self, decisions: Decisions, terms: Terms, now: int) -> Decisions:
        """Hold the admitted groups and jobs of these decisions."""
        taken: set[str] = set()
        for found in self._units(decisions, terms, now):
            if workloads.can_be_asked_for(found):
                self._held[found.subject] = found
                for release in found.releases:
                    taken.add(release.uid)
                    self._ledger.expect_release(release.uid)
            else:
                log.info("starts without a request", workload=str(found.subject))
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

    def _units(self, decisions: Decisions, terms: Terms, now: int) -> Iterator[Held]:
        gangs: dict[Key, list[Release]] = {}
        for release in decisions.releases:
            if release.gang is not None and release.pod in self._ledger.pods:
                gangs.setdefault(release.gang, []).append(release)
        for releases in gangs.values():
            pods = [self._ledger.pods[release.pod] for release in releases]
            yield workloads.gang(releases, pods, terms, now)
        for release in decisions.jobs.releases:
            if (found := self._jobs.queued.get(release.pod)) is not None:
                yield workloads.job(release, found, terms, now)

    def _without_victims(self, decisions: Decisions) -> Decisions:
        """What is to be evicted of a workload that waits is not evicted: it goes back."""
        of = {release.uid: found for found in self._held.values() for release in found.releases}
        victims = {each.uid for each in decisions.of_workloads.evictions} & of.keys()
        if not victims:
            return decisions
        for found in {of[uid].subject: of[uid] for uid in victims}.values():
            self._let_go(found)
        jobs = decisions.jobs
        return replace(
            decisions,
            evictions=tuple(each for each in decisions.evictions if each.uid not in victims),
            jobs=replace(
                jobs, evictions=tuple(each for each in jobs.evictions if each.uid not in victims)
            ),
        )

    # -- what becomes of one

    def _step(self, found: Held, part: Part, terms: Terms, now: int) -> Step:
        """The next step by one of its requests, which is made if it is not there."""
        asking = part.asking
        if part.attempt and (stored := self._ours(part)) is not None:
            found_answer = answer.read(stored)
            if found_answer.state != "refused":
                part.was_open = True
            elif part.was_open:  # the clock of the autoscaler may be another one
                found_answer = replace(found_answer, at=None)
            result = step.step(
                asking.name(part.attempt),
                found_answer,
                min(_made(stored, found.since), found.since),
                part.attempt,
                terms,
                now,
            )
            if result.verdict != "back" or result.due > now:
                return result
            self._writer.delete(stored)
            part.attempt, part.was_open = self._free(part, part.attempt + 1), False
        elif not part.attempt:
            part.attempt = self._known(part) or self._free(part, 1 + self._last_tried(part))
            if self._ours(part) is not None:
                return self._step(found, part, terms, now)
        key = Key(asking.namespace, asking.name(part.attempt))
        if key in self._taken or self._requests.get(*key) is not None:
            part.attempt = self._free(part, part.attempt)
            key = Key(asking.namespace, asking.name(part.attempt))
        failure = self._failures.pop(key, None)
        if failure is not None and failure.is_not_found:
            return Step("start", f"{key.name}: the kind is not served any more", now)
        if failure is not None:
            text = f"ProvisioningRequest {key.name}: {failure.message}"
            return Step("back", text, now + step.backoff(part.attempt, terms))
        self._writer.ask(Ask(asking, part.attempt, part.sets, part.nodes))
        return step.step(key.name, None, found.since, part.attempt, terms, now)

    def _ours(self, part: Part) -> Manifest | None:
        name = part.asking.name(part.attempt)
        stored = self._requests.get(part.asking.namespace, name)
        if stored is None or not manifests.is_ours(stored, part.asking, part.attempt):
            return None
        return stored

    def _known(self, part: Part) -> int:
        """The last attempt that is stored and ours, as after a restart; 0: there is none."""
        asking = part.asking
        return max(
            (
                attempt
                for attempt, stored in self._requests.of_prefix(asking.namespace, asking.prefix)
                if manifests.is_ours(stored, asking, attempt)
            ),
            default=0,
        )

    def _free(self, part: Part, first: int) -> int:
        """The first attempt from ``first`` on whose name no object has."""
        asking, attempt = part.asking, first
        while True:
            key = Key(asking.namespace, asking.name(attempt))
            if key not in self._taken and self._requests.get(*key) is None:
                return attempt
            attempt += 1

    def _last_tried(self, part: Part) -> int:
        return self._tried.get(part.asking.prefix, 0)

    def _start(self, found: Held, steps: Sequence[Step], terms: Terms) -> list[Release]:
        """The releases of a workload that may start, with the annotations of what was booked."""
        del self._held[found.subject]
        booked: dict[str, dict[str, str]] = {}
        for part in found.parts:
            self._tried.pop(part.asking.prefix, None)
            stored = self._ours(part)
            if stored is None:
                continue
            if answer.read(stored).state == "provisioned":
                name = part.asking.name(part.attempt)
                booked[part.asking.namespace] = manifests.consumption(name, terms.class_name)
            else:
                self._writer.delete(stored)  # an answer that comes later would be for nothing
        text = "; ".join(dict.fromkeys(each.text for each in steps))
        log.info("starts", workload=str(found.subject), why=text)
        return [
            replace(
                release,
                message=f"{release.message}; {text}",
                annotations={} if found.is_job else booked.get(release.pod.namespace, {}),
            )
            for release in found.releases
        ]

    def _put_back(self, found: Held, back: Step) -> None:
        """Return the room of a workload, which is out of its queue until its back-off is over."""
        for part in found.parts:
            self._remember(part)
            stored = self._ours(part)
            if stored is not None and answer.read(stored).state != "refused":
                self._writer.delete(stored)
        self._let_go(found)
        log.info("not provisioned", workload=str(found.subject), why=back.text)
        until = self._jobs.back_off(found.subject) if found.is_job else back.due
        text = f"{back.text}; it is asked for again from {_clock(until)} on"
        if found.is_job:
            self._jobs.explain_back_off(found.subject, text)
        else:
            self._until[found.subject] = until
            self._ledger.postpone_group(found.subject, text)
        self._recorder.record(
            self._regarding(found), "ProvisioningRefused", text, action="Admit", type="Warning"
        )

    def _remember(self, part: Part) -> None:
        """Remember the attempt, whose request may be deleted."""
        self._tried[part.asking.prefix] = part.attempt
        if len(self._tried) > _REMEMBERED:
            del self._tried[next(iter(self._tried))]

    def _let_go(self, found: Held) -> None:
        """Count a workload as waiting again."""
        del self._held[found.subject]
        for release in found.releases:
            self._ledger.forget_release(release.uid)
        self._touch()

    def _drop_all(self) -> None:
        """On a standby nothing is held: the leader says what is."""
        for found in list(self._held.values()):
            self._let_go(found)
        for group in list(self._until):
            del self._until[group]
            self._ledger.resume_group(group)

    def _withdraw(self) -> None:
        """Delete what was asked for workloads that wait, except for what is asked for now."""
        parts = [part for found in self._held.values() for part in found.parts]
        asked = {Key(each.asking.namespace, each.asking.name(each.attempt)) for each in parts}
        held = {
            Key(each.asking.namespace, each.asking.subject): {
                owner.uid for owner in each.asking.owners
            }
            for each in parts
        }
        for stored in self._requests.store.list():
            subject, metadata = manifests.subject(stored), stored["metadata"]
            if subject is None or Key(metadata["namespace"], metadata["name"]) in asked:
                continue
            if metadata.get("deletionTimestamp") is not None:
                continue
            if manifests.is_owned(stored, held.get(subject, ())) or self._is_idle(stored, subject):
                self._writer.delete(stored)

    def _is_idle(self, stored: Manifest, subject: Key) -> bool:
        """Whether a request is for a workload that waits, and for which nothing is asked now."""
        refused = answer.read(stored).state == "refused"
        owned = self._jobs.queued.get(subject)
        if owned is not None:
            job = self._ledger.jobs.get(subject)
            is_back = owned.phase.phase == "Backoff"
            waits = is_back or (job is not None and self._ledger.is_gated(job))
            return (
                waits and not (is_back and refused) and manifests.is_owned(stored, (owned.job.uid,))
            )
        if subject in self._until and refused:
            return False  # it stays for people to read until the back-off is over
        pods = [
            pod
            for name, uid in manifests.owner_names(stored)
            if (pod := self._ledger.pods.get(Key(subject.namespace, name))) and pod.uid == uid
        ]
        return bool(pods) and all(self._ledger.is_gated(pod) for pod in pods)

    # -- what is reported

    def _waits(self, found: Held, holding: Step) -> Iterator[Wait]:
        for release in found.releases:
            where = self._quota(release.quota)
            text = f"{where}: WaitingForProvisioning: {holding.text}"
            yield Wait(release.pod, release.uid, release.quota, "WaitingForProvisioning", text)

    def _quota(self, name: str) -> str:
        forest = self._ledger.snapshot.forest
        tree = forest.trees.get(forest.tree_of.get(name, "-"))
        return f"quota {name} (tree {tree.root if tree is not None else '-'})"

    def _regarding(self, found: Held) -> Regarding:
        queued = self._jobs.queued.get(found.subject)
        if queued is not None:
            job = queued.job
            return Regarding(
                queued.resource.api_version, job.kind, job.key.namespace, job.key.name, job.uid
            )
        first = found.releases[0]
        return Regarding("v1", "Pod", first.pod.namespace, first.pod.name, first.uid)

    def _whole(
        self,
        decisions: Decisions,
        started: Sequence[Release],
        waits: Sequence[tuple[Held, Wait]],
        terms: Terms,
    ) -> Decisions:
        queued = self._jobs.queued
        releases = [*decisions.releases, *(each for each in started if each.pod not in queued)]
        jobs = decisions.jobs
        return replace(
            decisions,
            releases=tuple(self._annotated(releases, terms)),
            waits=(*decisions.waits, *(wait for found, wait in waits if not found.is_job)),
            jobs=replace(
                jobs,
                releases=(*jobs.releases, *(each for each in started if each.pod in queued)),
                waits=(*jobs.waits, *(wait for found, wait in waits if found.is_job)),
            ),
        )

    def _annotated(self, releases: Iterable[Release], terms: Terms) -> Iterator[Release]:
        """With the annotations of what was booked for the jobs of these pods."""
        for release in releases:
            pod = self._ledger.pods.get(release.pod)
            if pod is None or not pod.jobs or release.annotations:
                yield release
                continue
            coverage = self._ledger.snapshot.job_of(pod)
            name = "" if coverage is None else self._booked(coverage.job.key)
            booked = manifests.consumption(name, terms.class_name) if name else {}
            yield replace(release, annotations=booked) if booked else release

    def _booked(self, job: Key) -> str:
        """The name of the request that was provisioned for a job; empty: there is none."""
        queued = self._jobs.queued.get(job)
        if queued is None or queued.phase.phase not in phase.ADMITTED:
            return ""
        found = [
            (str(stored["metadata"].get("creationTimestamp")), str(stored["metadata"]["name"]))
            for stored in self._requests.of_subject(job)
            if manifests.is_owned(stored, (queued.job.uid,))
            and answer.read(stored).state == "provisioned"
        ]
        return max(found)[1] if found else ""

    # -- as a client of the writer

    def _fail(self, key: Key, error: ApiError) -> None:
        self._failures[key] = error
        self._touch()

    def _take(self, key: Key) -> None:
        self._taken.add(key)
        self._touch()

    def _set_alarm(self, due: Sequence[int], now: int) -> None:
        """Wake the engine when the next answer is due, or the next back-off over."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if due:
            seconds = max(0.2, (min(due) - now) / 1000)
            self._alarm = asyncio.get_running_loop().call_later(seconds, self._touch)


def _made(stored: Manifest, otherwise: int) -> int:
    made = moments.read(str(stored["metadata"].get("creationTimestamp")))
    return otherwise if made is None else made


def _clock(at: int) -> str:
    return time.strftime("%H:%M:%SZ", time.gmtime(at / 1000))
