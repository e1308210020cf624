"""Follows the cycles of a controller and counts what each quota borrows and lends, by the second.

Borrowed is what is used above min, of the resources that the quota names. Lent is the part of min
that the quota does not ask for and that others may use. A root and a parent have neither: their
quotas borrow and lend, so a sum over all quotas counts nothing twice. An amount counts from the
second of the cycle that saw it to the second of the cycle that saw it change.
"""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from itertools import chain

from elasticquota import resources
from elasticquota.model.decision import QuotaStatus
from elasticquota.model.key import Key
from elasticquota.model.resource_hours import MOST_RESOURCES, ResourceHours, Totals
from elasticquota.resources import EMPTY, Resources


Statuses = tuple[QuotaStatus, ...]


class Meter:
    """The resource-hours of all quotas; mutable. The cost of a cycle is that of what changed."""

    def __init__(self) -> None:
        self._known: dict[Key, ResourceHours] = {}
        self._before: Statuses = ()
        self._restored: set[Key] = set()
        """Quotas whose amounts in force are those of a stored status."""

    def of(self, quota: Key) -> ResourceHours | None:
        """Return the resource-hours of a quota; None: it never borrowed or lent."""
        return self._known.get(quota)

    def restore(self, quota: Key, found: ResourceHours | None) -> None:
        """Replace the resource-hours of a quota by what its status says."""
        if found == self._known.get(quota):
            return
        if found is None:
            self._known.pop(quota, None)
        else:
            self._known[quota] = found
        self._restored.add(quota)

    def follow(self, statuses: Statuses, now: int) -> set[str]:
        """Count up to ``now``, epoch seconds; return the names of the quotas that have news.

        Quotas without a status are forgotten. A status that is the same object as in the last
        cycle costs nothing.
        """
        changed = {key.name for key in self._restored}
        for status in self._to_look_at(statuses):
            if self._count(status, now):
                changed.add(status.key.name)
        if not self._has_the_same_quotas(statuses):
            there = {status.key for status in statuses}
            for key in self._known.keys() - there:
                del self._known[key]
        self._before, self._restored = statuses, set()
        return changed

    def _has_the_same_quotas(self, statuses: Statuses) -> bool:
        """Whether no quota came or went; one may go in the cycle in which another one comes."""
        if len(statuses) != len(self._before) or len(self._known) > len(statuses):
            return False
        pairs = zip(statuses, self._before, strict=True)
        return all(status is was or status.key == was.key for status, was in pairs)

    def _to_look_at(self, statuses: Statuses) -> Iterable[QuotaStatus]:
        if len(statuses) != len(self._before):
            return statuses
        pairs = zip(statuses, self._before, strict=True)
        new = [status for status, before in pairs if status is not before]
        if not self._restored:
            return new
        return chain(new, [each for each in statuses if each.key in self._restored])

    def _count(self, status: QuotaStatus, now: int) -> bool:
        """Whether the amounts in force changed."""
        borrows, lends = borrowed(status), lent(status)
        known = self._known.get(status.key)
        if known is None:
            if not borrows and not lends:
                return False
            known = ResourceHours(now, now)
        elif known.borrowed == borrows and known.lent == lends:
            return False
        at = max(now, known.at)
        totals = _bounded(known.totals(at), status.min.keys() | status.max.keys())
        self._known[status.key] = ResourceHours(known.since, at, borrows, lends, totals)
        return True


def borrowed(status: QuotaStatus) -> Resources:
    """Return what a quota uses above its min, accounting units; only what is above 0."""
    return EMPTY if _is_above(status) else status.above_min


def lent(status: QuotaStatus) -> Resources:
    """Return the part of its min that a quota does not ask for, accounting units, above 0.

    A quota that does not lend asks for all of its min itself (``QuotaStatus.child_request``).
    """
    if _is_above(status):
        return EMPTY
    idle = resources.subtract(status.min, status.request)
    return resources.positive(resources.masked(idle, status.min))


def _bounded(totals: Totals, named: AbstractSet[str]) -> Totals:
    """Drop resources beyond `MOST_RESOURCES`, those that the quota does not name first.

    Otherwise a user who edits the resources of a quota again and again grows its status without
    end.
    """
    return Totals(*(_of_most(each, named) for each in totals))


def _of_most(totals: Resources, named: AbstractSet[str]) -> Resources:
    if len(totals) <= MOST_RESOURCES:
        return totals
    kept = sorted(totals, key=lambda key: (key not in named, key))[:MOST_RESOURCES]
    return resources.masked(totals, kept)


def _is_above(status: QuotaStatus) -> bool:
    """Whether the quota is in no tree, a root, or a parent, whose quotas borrow and lend."""
    return status.is_parent or status.tree in ("", status.key.name)
