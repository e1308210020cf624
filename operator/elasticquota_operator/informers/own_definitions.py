"""Which fields of our kinds the served definitions lack, asked at the start and every 30 seconds.

Koordinator, scheduler-plugins and older versions have a definition of the same name with fewer
fields. The API server drops the others from each object that it reads, and answers without an
error. Its schema of the kind shows it, which each authenticated user may read. The schemas have 200
KB, so each is read again only when its hash in the index of schemas has changed.
"""

import asyncio
from typing import Final

import structlog

from elasticquota import names
from elasticquota.model import definition_fields
from elasticquota_kube.client import discovery, retry
from elasticquota_kube.client.paths import PROFILES, QUOTAS, Resource
from elasticquota_kube.client.rest.errors import ApiError
from elasticquota_operator.context.controller_context import ControllerContext


EVERY: Final = 30.0
"""Seconds between two questions."""
ANSWER: Final = 3.0
"""Seconds for one answer: the first decision waits for it, and is more urgent than a condition."""
_KINDS: Final = {QUOTAS: names.QUOTA_KIND, PROFILES: names.PROFILE_KIND}

log = structlog.get_logger(__name__)


class OwnDefinitions:
    """Run ``run()`` as a task; ``asked`` is set after the first answer, also of an error."""

    def __init__(
        self,
        context: ControllerContext,
        *,
        every: float = EVERY,
        answer: float = ANSWER,
        wait: retry.Backoff = retry.jittered,
    ) -> None:
        self.asked = asyncio.Event()
        self._context = context
        self._answer = answer
        self._every = every
        self._loop = retry.Loop(wait)
        self._read: dict[Resource, str] = {}
        """The hashes of the schemas that were read."""

    async def run(self) -> None:
        """Ask until canceled."""
        await self._loop.run(self._ask, self._failed)

    async def _ask(self) -> None:
        """Ask for all kinds, and wait until it is time for the next question."""
        api = self._context.api.within(self._answer)
        hashes = await discovery.schemas(api)
        for resource, kind in _KINDS.items():
            hashed = hashes.get((resource.group, resource.version), "")
            if hashed and self._read.get(resource) == hashed:
                continue
            fields = definition_fields.FIELDS[kind]
            try:
                lacking = await discovery.lacking(api, resource, kind, fields)
            except ApiError as error:
                if not error.is_not_found:
                    raise
                lacking = ()  # it is not served at all, or no schema is published
            self._note(resource, kind, lacking)
            self._read[resource] = hashed
        self.asked.set()
        self._loop.failures = 0
        await asyncio.sleep(self._every)

    def _note(self, resource: Resource, kind: str, lacking: tuple[str, ...]) -> None:
        context = self._context
        if not context.ledger.note_lacking(f"{resource.plural}.{resource.group}", lacking):
            return
        context.telemetry.fields_dropped(resource, len(lacking))
        context.touch()
        if lacking:
            log.warning(
                "the API server drops fields; is the definition of this version?",
                kind=kind,
                fields=list(lacking),
            )
        else:
            log.info("the definition has all fields again", kind=kind)

    def _failed(self, error: Exception, seconds: float) -> None:
        self.asked.set()
        log.warning("definitions were not read", why=str(error), retry_seconds=round(seconds, 1))
