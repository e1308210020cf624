"""One event on the object that owns waiting pods: how many wait, for which quota, and where.

It is written ``PATIENCE`` seconds after the first of them was seen to wait, then when a value in it
changes and ``INTERVAL`` has passed, and when it is ``refresh`` seconds old. When none waits any
more, another event says so. The next leader writes the event of each owner once more.

A total has the pods of all owners that lead to the same object, such as the old and the new
ReplicaSet of a Deployment. Owners without waiting pods are read for it only if their name begins
like the name of the object.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from elasticquota.model.decision import Wait
from elasticquota.model.owner import Owner
from elasticquota.reporting import waits
from elasticquota.reporting.waits import WaitSummary
from elasticquota.structs import Struct
from elasticquota_kube.events import Recorder
from elasticquota_operator.reporting import report
from elasticquota_operator.reporting.owner_reader import OwnerReader
from elasticquota_operator.reporting.place import OwnerPlace
from elasticquota_operator.reporting.pod_owners import PodOwners
from elasticquota_operator.reporting.report import Reported


PATIENCE: Final = 5.0
INTERVAL: Final = 30.0
"""Seconds between two events on one owner."""
READS: Final = 20
"""Requests for owners in one call of ``report()``."""


class _Reported(Struct):
    """What was reported on an owner last."""

    at: float
    note: str = ""
    """Empty: nothing yet."""


class OwnerWaits:
    """Call ``report()`` from time to time; times are seconds of the recorder's clock."""

    def __init__(
        self, recorder: Recorder, owners: PodOwners, reader: OwnerReader, refresh: float
    ) -> None:
        self._recorder = recorder
        self._owners = owners
        self._reader = reader
        self._refresh = refresh
        self._reported: dict[OwnerPlace, _Reported] = {}

    async def report(self, current_waits: Sequence[Wait], now: float, most: int) -> Reported:
        """Record the events that are due, at most so many, those that are due longest first.

        Raises `ApiError` when the API server is away.
        """
        direct = self._by_direct_owner(current_waits)
        complete = await self._read(direct)
        waiting: dict[OwnerPlace, WaitSummary] = defaultdict(WaitSummary)
        for place, tally in direct.items():
            if (top := place.top(self._reader)) is not None:
                waiting[top].extend(tally)
        complete &= await self._read(self._namesakes(waiting))
        for place in waiting:
            self._reported.setdefault(place, _Reported(now - INTERVAL + PATIENCE))
        totals = self._totals({place.namespace for place in self._reported})
        reported = self._record(waiting, totals, now, most)
        return reported if complete else reported._replace(next_at=now)

    def _record(
        self,
        waiting: Mapping[OwnerPlace, WaitSummary],
        totals: Mapping[OwnerPlace, int],
        now: float,
        most: int,
    ) -> Reported:
        ends: list[float] = []
        count = 0
        for place, reported in sorted(self._reported.items(), key=lambda each: each[1].at):
            total, tally = totals.get(place, 0), waiting.get(place)
            if tally is None and not (reported.note and total):
                del self._reported[place]
                continue
            due = reported.at + min(INTERVAL, self._refresh)
            if due <= now:
                reason = "QuotaAdmitted" if tally is None else "QuotaWait"
                note = waits.none(total) if tally is None else tally.note(total)
                if note == reported.note:
                    due = reported.at + self._refresh
                if due <= now and count < most and self._write(place, reason, note):
                    count += 1
                    reported.at, reported.note = now, note
                    due = now + self._refresh
                    if tally is None:
                        del self._reported[place]
                        continue
            ends.append(due)
        return Reported(count, min(ends, default=None))

    def _write(self, place: OwnerPlace, reason: str, note: str) -> bool:
        return report.record(self._recorder, place.regarding, reason, note)

    def _by_direct_owner(self, current_waits: Iterable[Wait]) -> Mapping[OwnerPlace, WaitSummary]:
        direct: dict[str, dict[Owner, WaitSummary]] = defaultdict(lambda: defaultdict(WaitSummary))
        for wait in current_waits:
            owner = self._owners.get(wait.pod)
            if owner is not None:
                direct[wait.pod.namespace][owner].add(wait)
        return {
            OwnerPlace(namespace, owner): tally
            for namespace, tallies in direct.items()
            for owner, tally in tallies.items()
        }

    async def _read(self, places: Iterable[OwnerPlace]) -> bool:
        """Read the chains of owners; False if there were too many for one time."""
        before = self._reader.reads
        for place in places:
            if self._reader.known(*place) is None:
                if self._reader.reads - before >= READS:
                    return False
                await self._reader.top(*place)
        return True

    def _namesakes(self, tops: Collection[OwnerPlace]) -> Iterable[OwnerPlace]:
        """Owners without a known end whose name begins with the name of one of ``tops``."""
        names: dict[str, set[str]] = defaultdict(set)
        for namespace, owner in tops:
            names[namespace].add(owner.name)
        for namespace, its_names in names.items():
            for owner in list(self._owners.of(namespace)):
                if self._reader.known(namespace, owner) is None and any(
                    owner.name[:end] in its_names
                    for end, letter in enumerate(owner.name)
                    if letter == "-"
                ):
                    yield OwnerPlace(namespace, owner)

    def _totals(self, namespaces: Iterable[str]) -> Mapping[OwnerPlace, int]:
        totals: Counter[OwnerPlace] = Counter()
        for namespace in namespaces:
            for owner, pods in self._owners.of(namespace).items():
                top = OwnerPlace(namespace, owner).top(self._reader)
                if top is not None:
                    totals[top] += pods
        return totals
