"""The leader compares the policies that the release made with those that are stored, every minute.

Without a policy or its binding the API server checks nothing, and says nothing. They are read one
by one, because the chart grants them by name. While they cannot be read, the last report stays.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

import structlog

from elasticquota.wire.admission import admission_policies
from elasticquota.wire.admission.admission_policies import (
    BindingManifest,
    InstalledPolicy,
    PolicyObject,
)
from elasticquota.wire.admission.review import AnyObject
from elasticquota_kube.client import paths, retry
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.client.rest.errors import ApiError


EVERY: Final = 60.0
"""Seconds between two comparisons."""
STANDBY: Final = 5.0
"""Seconds after which a standby looks whether it leads: an alert must not end with a leader."""

T = TypeVar("T")

log = structlog.get_logger(__name__)


class PolicyObjects:
    """Run ``run()`` as a task; it reports each policy and binding after each comparison."""

    def __init__(
        self,
        api: Api,
        made: Sequence[InstalledPolicy],
        *,
        leading: Callable[[], bool],
        report: Callable[[str, str, bool], None],
        every: float = EVERY,
        wait: retry.Backoff = retry.jittered,
    ) -> None:
        """``report`` gets a kind, a name, and whether it is in force as the release made it."""
        self._api = api
        self._made = made
        self._leading = leading
        self._report = report
        self._every = every
        self._loop = retry.Loop(wait)
        self._said: dict[tuple[str, str], str] = {}
        """The fault of each object that has one."""

    async def run(self) -> None:
        """Compare until canceled."""
        await self._loop.run(self._compare_all, _failed)

    async def _compare_all(self) -> None:
        """Compare all policies if this process leads, and wait until the next try."""
        if not self._leading():
            await asyncio.sleep(min(self._every, STANDBY))
            return
        for each in self._made:
            await self._compare(each)
        await asyncio.sleep(self._every)

    async def _compare(self, made: InstalledPolicy) -> None:
        policies, bindings = paths.POLICIES[made.kind]
        policy = await self._read(policies, made.name, AnyObject)
        binding = await self._read(bindings, made.binding, BindingManifest)
        found = admission_policies.judged(made, stored=policy is not None, binding=binding)
        for each in found:
            self._report(each.kind, each.name, not each.fault)
            self._say(each)

    async def _read(self, resource: Resource, name: str, into: type[T]) -> T | None:
        """One object; None: it is not stored, or the API server does not know its kind."""
        try:
            return await self._api.get(resource, None, name, into=into)
        except ApiError as error:
            if error.is_not_found:
                return None
            raise

    def _say(self, found: PolicyObject) -> None:
        before = self._said.pop((found.kind, found.name), "")
        if found.fault:
            self._said[found.kind, found.name] = found.fault
        if found.fault and found.fault != before:
            log.warning(
                "not in force as the release made it",
                kind=found.kind,
                name=found.name,
                why=found.fault,
            )


def _failed(error: Exception, seconds: float) -> None:
    log.warning("policies were not read", why=str(error), retry_seconds=round(seconds, 1))
