"""The object that a user made, found by the chain of owners from a pod upwards.

A user who may create pods may write any owner reference. So each owner is read, by name, in the
namespace of the pod, and counts only if it has the uid of the reference. Only kinds of a table are
read, and of them only metadata (`kinds`). The chain ends at an owner that is not read: the last one
that was found stands for the pods.

What was read is kept for ``MEMORY``: owners rarely change. An owner that is not there, or that the
controller may not read, is asked again after the same time.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import structlog

from elasticquota.jobs.adapter import JobKind
from elasticquota.model.owner import Owner
from elasticquota.reporting import kinds
from elasticquota.reporting.kinds import ServedResource
from elasticquota.wire.codec.metadata import SpecManifest
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.client.rest.errors import ApiError


MEMORY: Final = 3600.0
"""Seconds for which the answer about an owner is used."""
REMEMBERED: Final = 10_000
"""Answers that are kept."""
LENGTH: Final = 8
"""Owners in a chain; references may form a circle."""

log = structlog.get_logger(__name__)


class _Answer(NamedTuple):
    """What was read of an owner."""

    until: float
    exists: bool
    """With the uid of the reference."""
    controller: Owner | None = None


class TopOwner(NamedTuple):
    """The end of a chain; ``owner`` is None if not even the first owner was found."""

    owner: Owner | None


class OwnerReader:
    """Lives in one event loop; ``reads`` counts the requests that it has made."""

    def __init__(
        self,
        api: Api,
        table: Mapping[JobKind, ServedResource],
        *,
        clock: Callable[[], float],
    ) -> None:
        self._api = api
        self._table = table
        self._clock = clock
        self._answers: OrderedDict[tuple[str, str, str], _Answer] = OrderedDict()
        self.reads = 0

    def known(self, namespace: str, owner: Owner) -> TopOwner | None:
        """The end of the chain from ``owner``, if it is known without a request."""
        found = self._walk(namespace, owner)
        return found if isinstance(found, TopOwner) else None

    async def top(self, namespace: str, owner: Owner) -> TopOwner:
        """The end of the chain from ``owner``. Raises `ApiError` when the API server is away."""
        while not isinstance(found := self._walk(namespace, owner), TopOwner):
            await self._read(namespace, found)
        return found

    def _walk(self, namespace: str, owner: Owner) -> TopOwner | Owner:
        """The end of the chain, or the first owner in it that has to be read."""
        last: Owner | None = None
        following: Owner | None = owner
        for _ in range(LENGTH):
            if following is None or JobKind(following.group, following.kind) not in self._table:
                break
            answer = self._answers.get(_key(namespace, following))
            if answer is None or answer.until < self._clock():
                return following
            if not answer.exists:
                break
            last, following = following, answer.controller
        return TopOwner(last)

    async def _read(self, namespace: str, owner: Owner) -> None:
        served = self._table[JobKind(owner.group, owner.kind)]
        resource = Resource(owner.group, kinds.version(owner, served), served.plural)
        until = self._clock() + MEMORY
        self.reads += 1
        try:
            stored = await self._api.get(
                resource, namespace, owner.name, into=SpecManifest, metadata_only=True
            )
        except ApiError as error:
            if error.is_transient:
                raise
            if not error.is_not_found:
                log.info("owner not read", kind=owner.kind, why=str(error))
            answer = _Answer(until, exists=False)
        else:
            same = stored.metadata.uid == owner.uid
            answer = _Answer(until, same, stored.metadata.controller if same else None)
        key = _key(namespace, owner)
        self._answers[key] = answer
        self._answers.move_to_end(key)
        if len(self._answers) > REMEMBERED:
            self._answers.popitem(last=False)


def _key(namespace: str, owner: Owner) -> tuple[str, str, str]:
    """A forged reference has the uid of another object, so the uid alone is not enough."""
    return namespace, f"{owner.group}/{owner.kind}/{owner.name}", owner.uid
