"""The history of jobs and their pods, change by change, as watches of the API server report it.

All kinds are in one store, so the resource versions order the changes of all kinds. At each change
the held amounts are added up: a job that the controller has started holds its whole request, and
the pods of any other job hold what they request. A job that its user starts has started nothing, as
long as its pods stay at the gate.
"""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import job_facts
import users
from scenes import GATE, Pool, gates
from users import Document


WATCH: Final = 3
"""Seconds after which a watch ends, and the next one continues where it ended."""


class Change(NamedTuple):
    """One object from one version on."""

    version: int
    kind: str
    uid: str
    name: str
    owner: str
    """Uid of the owner."""
    gone: bool
    quota: str
    size: int
    """Of a job, in pods that it may still make; 0 for other objects."""
    is_on: bool
    """A job that is neither suspended nor over; a pod that was admitted and has not ended."""
    phase: str


class History:
    """Watches inside ``at_work()``; ``changes`` has what was seen, in order."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._seen: list[Change] = []
        self._done = threading.Event()

    @contextmanager
    def at_work(self) -> Iterator[None]:
        kinds = (*job_facts.MAKERS, "Pod")
        threads = [threading.Thread(target=self._watch, args=(kind,)) for kind in kinds]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._done.set()
            for thread in threads:
                thread.join()

    @property
    def changes(self) -> Sequence[Change]:
        return sorted(set(self._seen))

    def _watch(self, kind: str) -> None:
        user, version = users.User(self._pool.admin.configuration), ""
        while not self._done.is_set():
            for event in user.watch(kind, self._pool.namespace, version, WATCH):
                assert event["type"] in ("ADDED", "MODIFIED", "DELETED"), event
                change = _change(kind, event["object"], gone=event["type"] == "DELETED")
                version = str(change.version)
                self._seen.append(change)
        user.close()


def _change(kind: str, thing: Document, *, gone: bool) -> Change:
    meta = thing["metadata"]
    labels = meta.get("labels") or {}
    if kind == "Pod":
        is_on = GATE not in gates(thing) and thing["status"]["phase"] in ("Pending", "Running")
    else:
        is_on = not job_facts.is_suspended(kind, thing) and not job_facts.is_over(kind, thing)
    return Change(
        version=int(meta["resourceVersion"]),
        kind=kind,
        uid=meta["uid"],
        name=meta["name"],
        owner=job_facts.owner(thing),
        gone=gone,
        quota=labels.get(job_facts.QUOTA, ""),
        size=0 if job_facts.is_ending(kind, thing) else int(labels.get(job_facts.SIZE, 0)),
        is_on=is_on and not gone,
        phase=job_facts.phase(thing),
    )


@dataclass(slots=True)
class _Held:
    """The amounts held by one job and its parts."""

    name: str = ""
    quota: str = ""
    size: int = 0
    phase: str = ""
    admitted: bool = False
    pods: set[str] = field(default_factory=set)

    @property
    def cpus(self) -> int:
        return max(self.size if self.admitted else 0, len(self.pods))

    def __str__(self) -> str:
        admitted = "admitted" if self.admitted else "not admitted"
        return f"{self.name} of {self.size}, {admitted}, has {len(self.pods)} pods"


Most = Mapping[str, tuple[float, float]]
"""By quota: how many cpus and how many jobs."""


class Replay:
    """All changes again, one after the other, and the held amounts after each.

    ``paths`` lead from each leaf to the root. ``overruns`` are changes by which a quota came to
    hold more than before, and too much; ``starts`` is the number of starts by the controller.
    """

    def __init__(
        self, changes: Iterable[Change], paths: Mapping[str, Sequence[str]], most: Most
    ) -> None:
        self.starts = 0
        self.overruns: list[str] = []
        self._paths = paths
        self._most = most
        self._held: dict[str, _Held] = {}
        self._makers: dict[str, str] = {}
        self._sums = {name: [0, 0] for name in most}
        for change in changes:
            self._follow(change)

    def _follow(self, change: Change) -> None:
        if change.owner:
            self._makers[change.uid] = change.owner
        uid = change.uid
        while uid in self._makers:
            uid = self._makers[uid]
        job = self._held.setdefault(uid, _Held())
        cpus, jobs = job.cpus, int(job.admitted)
        if change.kind == "Pod":
            (job.pods.add if change.is_on else job.pods.discard)(change.uid)
        elif change.uid == uid:
            self._turn(job, change)
        more = (job.cpus - cpus, int(job.admitted) - jobs)
        for name in self._paths[job.quota] if any(more) else ():
            self._book(name, more, change, job)

    def _turn(self, job: _Held, change: Change) -> None:
        """Update the job from its suspend switch and its annotation."""
        job.name, job.quota, job.size = change.name, change.quota, change.size
        is_started = change.phase.startswith("Dequeued") and change.phase != job.phase
        self.starts += change.is_on and is_started
        job.admitted = change.is_on and (job.admitted or is_started)
        job.phase = change.phase

    def _book(self, name: str, more: tuple[int, int], change: Change, job: _Held) -> None:
        held, most = self._sums[name], self._most[name]
        for index, unit in enumerate(("cpus", "jobs")):
            held[index] += more[index]
            if more[index] > 0 and held[index] > most[index]:
                self.overruns.append(
                    f"version {change.version}: {change.kind} {change.name} brings {name} to "
                    f"{held[index]} of {most[index]:g} {unit} ({job})"
                )
