"""A crowd that never rests: some make pods as fast as they are let, others delete them, and one
scribbles on quotas, so that whoever read one a moment ago read an old one.

Whatever the API server says, they go on: it may be away, and so may the webhook. Half of the
deletions are forced.
"""

import itertools
import random
import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress

from urllib3.exceptions import HTTPError

import threads
import users
from scenes import HIGH, LOW, Pool
from settled import GUARDED, HOW


BEAT = 0.05
"""Seconds that somebody waits who has nothing to do, or was refused."""


class Crowd:
    """``size`` pods of one cpu are there, more or less, each of one of ``quotas``."""

    def __init__(self, pool: Pool, quotas: Sequence[str], size: int, seed: int) -> None:
        self._pool = pool
        self._quotas = quotas
        self._size = size
        self._chance = random.Random(seed)
        self._there: list[str] = []
        self._lock = threading.Lock()
        self._done = threading.Event()
        self.made = 0
        self.deleted = 0

    def at_work(self) -> AbstractContextManager[None]:
        """They work inside the block."""
        works = (self._make, self._make, self._delete, self._scribble)
        return threads.at_work(works, self._done)

    @property
    def full(self) -> bool:
        return len(self._there) >= self._size

    def _make(self) -> None:
        user = users.User(self._pool.admin.configuration)
        while not self._done.is_set():
            if self.full:
                self._done.wait(BEAT)
                continue
            with self._lock:
                self.made += 1
                name = f"pod-{self.made}"
                quota = self._chance.choice(self._quotas)
                priority = self._chance.choice((LOW, LOW, HIGH))
                labels = {GUARDED: self._chance.choice(HOW)} if self._chance.random() < 0.1 else {}
            manifest = self._pool.pod_manifest(name, quota, priority=priority, labels=labels)
            try:
                user.create(manifest)
            except (users.RefusedError, HTTPError):
                self._done.wait(BEAT)
            with self._lock:
                self._there.append(name)  # an error does not say that it is not there
        user.close()

    def _delete(self) -> None:
        """A few, when all are there."""
        user = users.User(self._pool.admin.configuration)
        while not self._done.is_set():
            if not self.full:
                self._done.wait(BEAT)
                continue
            for _ in range(self._size // 20):
                with self._lock:
                    name = self._there.pop(self._chance.randrange(len(self._there)))
                    grace = self._chance.choice((0, None))
                    self.deleted += 1
                try:
                    user.delete("Pod", name, self._pool.namespace, grace)
                except (users.RefusedError, HTTPError):
                    self._done.wait(BEAT)
        user.close()

    def _scribble(self) -> None:
        user = users.User(self._pool.admin.configuration)
        for turn in itertools.count():
            if self._done.wait(BEAT):
                break
            quota = self._pool.name(self._quotas[turn % len(self._quotas)])
            note = {"metadata": {"annotations": {"note": str(turn)}}}
            with suppress(users.RefusedError, HTTPError):
                user.patch("ElasticQuota", quota, self._pool.namespace, change=note)
        user.close()
