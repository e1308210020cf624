"""An operator looks at all jobs of its kind in one namespace, round after round, as operators do.

It knows nothing but what is stored, so whoever starts another one goes on where the first stopped.
What the API server refuses because somebody was faster is left to the next round.
"""

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, Self

from urllib3.exceptions import HTTPError

import users
from users import Document, RefusedError, User


FINISH = "example.com/finish"
"""Annotation with which a test has a job come to its end."""

BEAT = 0.1
"""Seconds between two rounds, unless said otherwise."""

_OTHERS_WERE_FASTER = (404, 409)


class Operator(ABC):
    """``with operator.at_work(): ...``; at its end it is dead, and what it made stays."""

    kind: ClassVar[str]
    makes: ClassVar[str] = "Pod"
    """Kind of the objects that it makes."""
    mark: ClassVar[str]
    """Label of these."""
    done: ClassVar[Document]
    """What the status of a job says that has succeeded."""

    def __init__(self, admin: User, namespace: str, beat: float = BEAT) -> None:
        self.user = users.User(admin.configuration)
        self.namespace = namespace
        self._beat = beat
        self._done = threading.Event()

    @contextmanager
    def at_work(self) -> Iterator[Self]:
        self._done.clear()
        thread = threading.Thread(target=self._work, name=f"operator of {self.kind}")
        thread.start()
        try:
            yield self
        finally:
            self._done.set()
            thread.join()
            self.user.close()

    @abstractmethod
    def act(self, job: Document, parts: Sequence[Document]) -> None:
        """Bring what it made of a job closer to what the job says."""

    def is_over(self, job: Document) -> bool:
        """Whether its status says that it has ended."""
        return bool({**status(job), **self.done} == status(job))

    def clear(self, _job: Document, parts: Sequence[Document]) -> None:
        """Take away what it made."""
        self.remove(parts)

    # -- hands

    def make(self, job: Document, name: str, labels: Document, manifest: Document) -> None:
        """A part of the job, which goes with it."""
        meta = job["metadata"]
        owner = {"apiVersion": job["apiVersion"], "kind": self.kind, "controller": True}
        template = manifest.get("metadata") or {}
        self.user.create(
            {
                **manifest,
                "metadata": {
                    **template,
                    "name": name,
                    "namespace": meta["namespace"],
                    "labels": {**template.get("labels", {}), **labels},
                    "ownerReferences": [{**owner, "name": meta["name"], "uid": meta["uid"]}],
                },
            }
        )

    def remove(self, parts: Sequence[Document]) -> None:
        """Ask them to go, once."""
        for part in parts:
            meta = part["metadata"]
            if "deletionTimestamp" not in meta:
                self.user.delete(self.makes, meta["name"], meta["namespace"])

    def tell(self, job: Document, said: Document) -> None:
        """Write a status, where it says something else."""
        if {**status(job), **said} != status(job):
            meta = job["metadata"]
            self.user.patch(
                self.kind,
                meta["name"],
                meta["namespace"],
                change={"status": said},
                subresource="status",
            )

    # -- rounds

    def _work(self) -> None:
        while not self._done.wait(self._beat):
            try:
                self._look()
            except HTTPError:
                continue  # the API server may be away

    def _look(self) -> None:
        jobs = self.user.list(self.kind, self.namespace)
        made: dict[str, list[Document]] = {}
        for part in self.user.list(self.makes, self.namespace, labelSelector=self.mark):
            for owner in part["metadata"].get("ownerReferences") or ():
                made.setdefault(owner["uid"], []).append(part)
        for job in jobs:
            if self._done.is_set():
                return
            named = {"apiVersion": users.KINDS[self.kind].api_version, "kind": self.kind, **job}
            try:
                self._attend(named, made.get(job["metadata"]["uid"], []))
            except RefusedError as refused:
                if refused.code not in _OTHERS_WERE_FASTER and refused.code < 500:
                    raise

    def _attend(self, job: Document, parts: Sequence[Document]) -> None:
        if "deletionTimestamp" in job["metadata"] or self.is_over(job):
            return
        if FINISH in (job["metadata"].get("annotations") or {}):
            self.clear(job, parts)
            self.tell(job, self.done)
        else:
            self.act(job, parts)


def status(job: Document) -> Any:
    """As stored; nothing is said of one that is new."""
    return job.get("status") or {}


def names(parts: Sequence[Document]) -> set[str]:
    return {part["metadata"]["name"] for part in parts}


def run(pods: Sequence[Document]) -> bool:
    """Whether all of these pods run."""
    return all(pod["status"]["phase"] == "Running" for pod in pods)


def conditions(**said: bool) -> Document:
    """A status of nothing but these conditions."""
    return {
        "conditions": [
            {"type": type_, "status": "True" if true else "False"} for type_, true in said.items()
        ]
    }
