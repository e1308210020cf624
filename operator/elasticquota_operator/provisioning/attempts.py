"""Which request of a workload counts, and what follows from it.

A workload asks by numbered attempts. The last one that is stored and asks for exactly what is
needed now is ours, also after a restart. Numbers that other users' objects have are passed over.
"""

from collections.abc import Callable
from typing import Any, Final

from elasticquota.jobs import phase
from elasticquota.model import moments
from elasticquota.model.key import Key
from elasticquota.provisioning import answer, manifests, step
from elasticquota.provisioning.step import ProvisioningStep, ProvisioningTerms
from elasticquota.structs import replace
from elasticquota_kube.client.rest.errors import ApiError
from elasticquota_operator.context.controller_context import ControllerContext
from elasticquota_operator.context.manifest_store import Manifest
from elasticquota_operator.provisioning.held import HeldPart, HeldWorkload
from elasticquota_operator.provisioning.request_writer import Ask, RequestWriter
from elasticquota_operator.provisioning.requests import Requests


_REMEMBERED: Final = 4096
"""Workloads of which the number of attempts, a failure, or a name of other users is remembered."""


class Attempts:
    """``writer`` carries out what follows; its workers run as tasks of the caller."""

    def __init__(self, context: ControllerContext, requests: Requests) -> None:
        self._touch: Callable[[], None] = context.touch
        self._requests = requests
        self.writer = RequestWriter(context, requests, self._fail, self._take)
        self._tried: dict[str, int] = {}
        """By the start of the names, the last attempt, whose request may be gone."""
        self._failures: dict[Key, ApiError] = {}
        """Requests that the API server did not accept."""
        self._taken: dict[Key, None] = {}
        """Names of requests that are not ours to use."""

    def step(
        self, held: HeldWorkload, part: HeldPart, terms: ProvisioningTerms, now: int
    ) -> ProvisioningStep:
        """The next step by one request of a workload, which is made if it is not there."""
        asking = part.asking
        if part.attempt and (stored := self.ours(part)) is not None:
            result = self._judged(held, part, stored, terms, now)
            if result.verdict != "back" or result.due > now:
                return result
            self.writer.delete(stored)
            part.attempt, part.was_open = self._free(part, part.attempt + 1), False
        elif not part.attempt:
            part.attempt = self._known(part) or self._free(part, 1 + self._last_tried(part))
            if self.ours(part) is not None:
                return self.step(held, part, terms, now)
        key = Key(asking.namespace, asking.name(part.attempt))
        if self._is_taken(key) or self.writer.is_deleting(key):
            part.attempt = self._free(part, part.attempt)
            key = Key(asking.namespace, asking.name(part.attempt))
        failure = self._failures.pop(key, None)
        if failure is not None and failure.is_not_found:
            return ProvisioningStep("start", f"{key.name}: the kind is not served any more", now)
        if failure is not None:
            text = f"ProvisioningRequest {key.name}: {failure.message}"
            return ProvisioningStep(
                "back", text, now + phase.backoff(part.attempt, terms.first_backoff)
            )
        self.writer.ask(Ask(asking, part.attempt, part.sets, part.nodes))
        return step.step(key.name, None, held.since, part.attempt, terms, now)

    def ours(self, part: HeldPart) -> Manifest | None:
        """The stored request of the current attempt; None: there is none, or it is not ours."""
        name = part.asking.name(part.attempt)
        stored = self._requests.get(part.asking.namespace, name)
        if self.writer.is_deleting(Key(part.asking.namespace, name)):
            return None  # what is asked for by this name goes with it
        if stored is None or not manifests.is_ours(stored, part.asking, part.attempt):
            return None
        return stored

    def forget(self, part: HeldPart) -> None:
        """Forget the attempts of a workload that starts."""
        self._tried.pop(part.asking.prefix, None)

    def remember(self, part: HeldPart) -> None:
        """Remember the attempt of a workload that goes back; its request may be deleted."""
        self._tried[part.asking.prefix] = part.attempt
        _bound(self._tried)

    def _judged(
        self,
        held: HeldWorkload,
        part: HeldPart,
        stored: Manifest,
        terms: ProvisioningTerms,
        now: int,
    ) -> ProvisioningStep:
        read, made = answer.read(stored), _made(stored, held.since)
        if read.state != "refused":
            part.was_open = True
        elif part.was_open or (self._last_tried(part) < part.attempt and (read.at or 0) < made):
            # The refusal is new, whatever the clock of the autoscaler says.
            read = replace(read, at=None)
        name, asked = part.asking.name(part.attempt), min(made, held.since)
        return step.step(name, read, asked, part.attempt, terms, now)

    def _known(self, part: HeldPart) -> int:
        """The last attempt that is stored and ours, as after a restart; 0: there is none."""
        asking = part.asking
        return max(
            (
                attempt
                for attempt, stored in self._requests.of_prefix(asking.namespace, asking.prefix)
                if manifests.is_ours(stored, asking, attempt)
                and not self.writer.is_deleting(Key(asking.namespace, asking.name(attempt)))
            ),
            default=0,
        )

    def _free(self, part: HeldPart, first: int) -> int:
        """The first attempt from ``first`` on whose name no object has."""
        asking, attempt = part.asking, first
        while True:
            key = Key(asking.namespace, asking.name(attempt))
            if not (self._is_taken(key) or self.writer.is_deleting(key)):
                return attempt
            attempt += 1

    def _is_taken(self, key: Key) -> bool:
        return key in self._taken or self._requests.get(*key) is not None

    def _last_tried(self, part: HeldPart) -> int:
        return self._tried.get(part.asking.prefix, 0)

    def _fail(self, key: Key, error: ApiError) -> None:
        self._failures[key] = error
        _bound(self._failures)
        self._touch()

    def _take(self, key: Key) -> None:
        self._taken[key] = None
        _bound(self._taken)
        self._touch()


def _bound(found: dict[Any, Any]) -> None:
    """Forget the oldest entry of too many; what is wrong by then is found out again."""
    if len(found) > _REMEMBERED:
        del found[next(iter(found))]


def _made(stored: Manifest, otherwise: int) -> int:
    made = moments.read(str(stored["metadata"].get("creationTimestamp")))
    return otherwise if made is None else made
