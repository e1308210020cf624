"""Which limits bind a pod: those of its user, of one of its groups, and of all together.

They bind on every quota of its path. A user has the limit that names it, else that of ``*``, in
each quota anew. Of its groups one counts, and counts everywhere: the first that the nearest quota
with a limit of any of them names; where that quota has one of ``*`` instead, all such users
together (as YuniKorn tracks them). Who has no groups is bound by none.
"""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from elasticquota.model.holder import Holder
from elasticquota.model.limit import Limit
from elasticquota.model.quota import Quota
from elasticquota.resources import Resources


class Subject(NamedTuple):
    """Whose amounts and applications are counted together."""

    kind: Literal["user", "group", "all"]
    name: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.name}" if self.name else self.kind


class Place(NamedTuple):
    """At which quota, with all below it, and of whom."""

    quota: str
    subject: Subject


class Bound(NamedTuple):
    """What may be held at a place."""

    place: Place
    max: Resources
    applications: int
    """0: as many as there are."""


def of(holder: Holder, path: Sequence[Quota]) -> tuple[Bound, ...]:
    """All bounds of a pod, from its own quota to the root of ``path``."""
    group = next((found for quota in path if (found := quota.limits.group_of(holder.groups))), "")
    return tuple(bound for quota in path for bound in _at(quota, holder.user, group))


def _at(quota: Quota, user: str, group: str) -> Iterator[Bound]:
    limits = quota.limits
    if not quota.is_limited:
        return
    if limits.applications or quota.admission:
        yield Bound(Place(quota.name, Subject("all")), quota.admission, limits.applications)
    yield from _bound(quota, Subject("user", user), limits.of_user(user))
    if group:
        yield from _bound(quota, Subject("group", group), limits.of_group(group))


def _bound(quota: Quota, subject: Subject, limit: Limit | None) -> Iterator[Bound]:
    if limit is not None:
        yield Bound(Place(quota.name, subject), limit.max, limit.applications)
