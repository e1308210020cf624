"""The ungater takes our gate off admitted pods and reports to the others why they wait.

What happens when it is stale or dies: while no controller runs, gated pods stay gated and nothing
else happens to them. A release rests on what this process saw, which may be some moments old; the
patch tests the pod's uid, what it was judged by and that the gate is where we saw it, so a stale
release changes nothing (``ungate``). Between release and its echo in the watch the pod counts as
admitted (an expectation in the ledger, set before the call), so two cycles never use the same room.
When the answer is lost the release is repeated: if the first one worked, the gate is found gone.

The message goes into the pod's PodScheduled condition, which the scheduler overwrites after the
release, so nothing is left to clean up. It is written when the quota or the reason changes; for the
first pods of a queue and for those outside of any queue also when a fact changes; at most every
10 s per pod. A change of the reason, as when a pause ends, has 10 s of its own and waits for no
other message. Facts are compared as values, and the stored message by the reason code at its end.
What another process wrote is taken as it is: a restart writes no message again, except where the
text of one of the first pods differs.
"""

from collections.abc import Callable, Hashable, Sequence
from http import HTTPStatus
from typing import Any, Final, NamedTuple

import structlog

from elasticquota import names, texts
from elasticquota.forecast import expectation
from elasticquota.model import reason_code
from elasticquota.model.decision import Decisions, Release, Unscheduled, Wait
from elasticquota.model.pod import Pod
from elasticquota_kube.client import retry
from elasticquota_kube.client.paths import PODS, QUOTAS
from elasticquota_kube.client.rest import errors
from elasticquota_kube.client.rest.errors import ApiError
from elasticquota_kube.events import Regarding
from elasticquota_operator.context import backlog
from elasticquota_operator.context.controller_context import ControllerContext
from elasticquota_operator.context.runnable import run_all
from elasticquota_operator.workqueue.workers import ItemRefused, Workers
from elasticquota_operator.writers import exact_positions, ungate


MESSAGE_INTERVAL: Final = 10.0
"""Seconds between two wait messages to one pod."""

_HELD: Final = {"type": "PodScheduled", "reason": "SchedulingGated"}

log = structlog.get_logger(__name__)


class _Step(NamedTuple):
    """A change of the message of one pod; the interval is between two equal ones."""

    uid: str
    before: str = ""
    """The reason that the pod states; empty as long as that stays, or if it states none."""
    after: str = ""


class _WrittenMessage(NamedTuple):
    """What the last message of this process to a pod said."""

    quota: str
    facts: tuple[Hashable, ...]


class Ungater:
    """``apply()`` in each cycle; ``run()`` as a task."""

    def __init__(
        self,
        context: ControllerContext,
        *,
        expects: Callable[[Wait], str] = lambda _wait: "",
        wait: retry.Backoff = retry.jittered,
    ) -> None:
        """``expects`` returns the sentence about the expected start, for a message that is due."""
        self._api = context.api
        self._ledger = context.ledger
        self._recorder = context.recorder
        self._touch = context.touch
        self._expects = expects
        self._backlog = context.backlog
        self._outcomes = context.outcomes
        self._reported_unscheduled: set[str] = set()
        self._releases: Workers[str, tuple[Release, Pod]] = Workers(
            "releases",
            self._release,
            at_once=backlog.RELEASING,
            wait=wait,
            on_ready=self._offer_again,
            relation=lambda _uid, item: item[0].pod.namespace,
        )
        self._backlog.add_queue(self._releases)
        self._messages: Workers[_Step, Wait] = Workers(
            "wait messages",
            self._write_message,
            interval=MESSAGE_INTERVAL,
            relation=lambda _step, wait: wait.pod.namespace,
        )
        self._written: dict[str, _WrittenMessage] = {}
        """By uid of a waiting pod."""
        self._too_large: set[str] = set()
        """Pods whose release the store did not take, until it is tried again: no message fits."""

    def apply(self, decisions: Decisions) -> None:
        for release in decisions.releases:
            pod = self._ledger.pods.get(release.pod)
            if pod is not None and not self._releases.is_refused(release.uid):
                self._ledger.expect_release(release.uid)
                # As it is now: by the time of the call the watch may show another label.
                self._releases.put(release.uid, (release, pod))
        self._report_unscheduled(decisions.unscheduled)
        self._messages.replace(
            {self._step(wait): wait for wait in decisions.waits if self._is_news(wait)}
        )
        if len(self._written) > 2 * len(decisions.waits):
            waiting = {wait.uid for wait in decisions.waits}
            self._written = {uid: each for uid, each in self._written.items() if uid in waiting}

    async def run(self) -> None:
        """Carry out until cancelled."""
        await run_all(self._releases, self._messages)

    def _report_unscheduled(self, found: Sequence[Unscheduled]) -> None:
        for pod in found:
            if pod.uid not in self._reported_unscheduled:
                log.info("unscheduled", pod=str(pod.pod), quota=pod.quota)
                self._recorder.record(
                    Regarding.pod(pod.pod, pod.uid),
                    "QuotaUnscheduled",
                    pod.message,
                    action="Admit",
                    type="Warning",
                )
        self._reported_unscheduled = {pod.uid for pod in found}

    async def _release(self, item: tuple[Release, Pod]) -> None:
        release, decided = item
        try:
            await self._confirm(release, decided.quota_label)
            await ungate.open_gate(self._api, release, decided)
        except ApiError as error:
            if error.is_unserved or error.is_conflict:
                raise  # whether it worked is unknown, and asking again is harmless
            self._roll_back(release, error)
            return
        self._backlog.add_released(release)
        log.info("released", pod=str(release.pod), quota=release.quota)
        self._outcomes.admitted(release)
        self._recorder.record(
            Regarding.pod(release.pod, release.uid),
            "QuotaAdmitted",
            release.message,
            action="Release",
        )

    async def _confirm(self, release: Release, label: str) -> None:
        """Raises `ApiError` if the quota that the pod names is there and was only not seen yet.

        Quotas and pods come by different watches: a pod may be seen before the quota that was made
        for it, and would be admitted by the default quota, which holds no pod.
        """
        if label in ("", release.quota) or label in names.RESERVED_QUOTAS:
            return
        if any(quota.name == label for quota in self._ledger.quotas.values()):
            return
        with errors.ignore_not_found():  # of the kind
            if await self._api.list(QUOTAS, params={"fieldSelector": f"metadata.name={label}"}):
                why = f"quota '{label}' is there, and the watch has not shown it yet"
                raise ApiError(HTTPStatus.PRECONDITION_FAILED, "Behind", why)

    def _roll_back(self, release: Release, error: ApiError) -> None:
        """The pod waits again, outside of its queue, and its room goes to others until it is ready.

        Raises `ItemRefused`, unless the pod is gone.
        """
        self._ledger.forget_release(release.uid)
        if error.is_not_found:
            return
        of_server = error.status >= HTTPStatus.INTERNAL_SERVER_ERROR  # a webhook, or the store
        if error.is_forbidden or error.reason == ungate.CHANGED or of_server:
            may_not = "the controller may not remove the gate: " if error.is_forbidden else ""
            self._recorder.record(
                Regarding.pod(release.pod, release.uid),
                "QuotaReleaseRefused",
                f"{may_not}{error.message}",
                action="Release",
                type="Warning",
            )
        self._ledger.withhold(release.uid)
        if error.is_too_large_to_store:
            self._too_large.add(release.uid)
        raise ItemRefused(str(error), object=str(release.pod)) from error

    def _offer_again(self, uid: str) -> None:
        """The back-off of a refused release is over."""
        self._too_large.discard(uid)
        self._ledger.offer_again(uid)
        self._touch()

    async def _write_message(self, wait: Wait) -> None:
        if not self._is_news(wait):
            return
        is_new_ground = self._is_new_ground(wait)
        with errors.ignore_not_found():
            if not await self._write(wait):
                return
            self._written[wait.uid] = _WrittenMessage(wait.quota, wait.facts)
            if not is_new_ground:
                return
            log.info("waits", pod=str(wait.pod), quota=wait.quota, reason=wait.reason)
            self._recorder.record(
                Regarding.pod(wait.pod, wait.uid),
                "QuotaWait",
                wait.message,
                action="Admit",
                latest=True,
            )

    async def _write(self, wait: Wait) -> bool:
        """Set the message; False when the pod has no condition that says it is gated."""
        try:
            # A gated pod has this one condition, as a rule.
            await self._patch_message(wait, 0)
        except ApiError as error:
            if not error.is_invalid:
                raise
        else:
            return True
        pod = await self._api.get(PODS, wait.pod.namespace, wait.pod.name)
        index = _condition_index(pod)
        if index is None:
            return False
        await self._patch_message(wait, index)
        return True

    async def _patch_message(self, wait: Wait, index: int) -> None:
        place = f"/status/conditions/{index}"
        tests = [
            {"op": "test", "path": f"{place}/{field}", "value": value}
            for field, value in _HELD.items()
        ]
        change = [
            {"op": "test", "path": "/metadata/uid", "value": wait.uid},
            *tests,
            {
                "op": "add",
                "path": f"{place}/message",
                "value": texts.message(expectation.message(wait, self._expects(wait))),
            },
        ]
        await self._api.patch(
            PODS, wait.pod.namespace, wait.pod.name, change, kind="json", subresource="status"
        )

    def _is_news(self, wait: Wait) -> bool:
        pod = self._ledger.pods.get(wait.pod)
        return (
            pod is not None
            and pod.uid == wait.uid
            and pod.gated
            and wait.uid not in self._too_large
            and (self._is_new_ground(wait) or self._has_new_facts(wait))
            and not expectation.is_said(wait, pod.waiting_message)
        )

    def _step(self, wait: Wait) -> _Step:
        stated = reason_code.at_end(self._ledger.pods[wait.pod].waiting_message)
        if stated in ("", wait.reason):
            return _Step(wait.uid)
        return _Step(wait.uid, stated, wait.reason)

    def _is_new_ground(self, wait: Wait) -> bool:
        """Whether its quota or its reason differs from the last message, not only figures."""
        last = self._written.get(wait.uid)
        if last is not None and last.quota != wait.quota:
            return True
        return reason_code.at_end(self._ledger.pods[wait.pod].waiting_message) != wait.reason

    def _has_new_facts(self, wait: Wait) -> bool:
        last = self._written.get(wait.uid)
        return exact_positions.has(wait.place) and (last is None or last.facts != wait.facts)


def _condition_index(pod: dict[str, Any]) -> int | None:
    for index, condition in enumerate((pod.get("status") or {}).get("conditions") or []):
        if all(condition.get(field) == value for field, value in _HELD.items()):
            return index
    return None
