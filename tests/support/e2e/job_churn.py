"""A crowd with jobs of four kinds: some submit, others end, delete and suspend them, start them
themselves, and change their priorities in line.

Whatever the API server says, they go on. They never look before they act, so the controller is
doing something else to the same job half of the time.
"""

import random
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from typing import Final, NamedTuple

from urllib3.exceptions import HTTPError

import job_facts
import threads
import users
from scenes import HIGH, LOW, Pool


SIZES: Final = (2, 2, 3, 4, 6)
"""Pods of a job."""

TURN: Final = 4.0
"""Seconds in which each of the jobs is disturbed once, more or less, as far as the API server
keeps up."""


class _Named(NamedTuple):
    kind: str
    name: str


class JobCrowd:
    """``size`` jobs are there, more or less, each of one of ``quotas``."""

    def __init__(self, pool: Pool, quotas: Sequence[str], size: int, seed: int) -> None:
        self._pool = pool
        self._quotas = quotas
        self._size = size
        self._chance = random.Random(seed)
        self._there: list[_Named] = []
        self._lock = threading.Lock()
        self._done = threading.Event()
        self.made = 0
        self.disturbed = 0

    def at_work(self) -> AbstractContextManager[None]:
        """They work inside the block."""
        works = (self._submit, self._submit, self._disturb, self._disturb)
        return threads.at_work(works, self._done)

    @property
    def full(self) -> bool:
        return len(self._there) >= self._size

    def _submit(self) -> None:
        """One in eight without waiting for its turn."""
        user = users.User(self._pool.admin.configuration)
        while not self._done.is_set():
            if self.full:
                self._done.wait(TURN / self._size)
                continue
            with self._lock:
                kind = self._chance.choice(tuple(job_facts.MAKERS))
                name = f"job-{self.made}"
                self.made += 1
                quota = self._chance.choice(self._quotas)
                size = self._chance.choice(SIZES)
                priority = self._chance.choice((None, None, LOW, HIGH))
                eager = self._chance.random() < 1 / 8
            manifest = job_facts.manifest(self._pool, kind, quota, name, size, priority=priority)
            if eager:
                on = job_facts.switched(kind, suspended=False)
                manifest["spec"] |= on["spec"]
            with suppress(users.RefusedError, HTTPError):
                user.create(manifest)
            with self._lock:
                self._there.append(_Named(kind, name))
        user.close()

    def _disturb(self) -> None:
        user = users.User(self._pool.admin.configuration)
        works: tuple[Callable[[users.User, _Named], None], ...] = (
            self._end,
            self._end,
            self._delete,
            self._delete,
            self._suspend,
            self._start,
            self._prefer,
        )
        while not self._done.wait(TURN / self._size):
            if not self.full:
                continue
            with self._lock:
                job = self._chance.choice(self._there)
                work = self._chance.choice(works)
                self.disturbed += 1
            with suppress(users.RefusedError, HTTPError):
                work(user, job)
        user.close()

    def _end(self, user: users.User, job: _Named) -> None:
        user.patch(*job, self._pool.namespace, change=job_facts.ended(job.kind))

    def _delete(self, user: users.User, job: _Named) -> None:
        with self._lock:
            if job in self._there:
                self._there.remove(job)
        user.delete(*job, self._pool.namespace)

    def _suspend(self, user: users.User, job: _Named) -> None:
        off = job_facts.switched(job.kind, suspended=True)
        user.patch(*job, self._pool.namespace, change=off)

    def _start(self, user: users.User, job: _Named) -> None:
        on = job_facts.switched(job.kind, suspended=False)
        user.patch(*job, self._pool.namespace, change=on)

    def _prefer(self, user: users.User, job: _Named) -> None:
        """By its unit, where it waits."""
        with self._lock:
            priority = self._chance.choice((-7, 7, 5000))
        unit = f"{job.name}-{job.kind.lower()}-qu"
        change = {"spec": {"priority": priority}}
        user.patch("QueueUnit", unit, self._pool.namespace, change=change)
