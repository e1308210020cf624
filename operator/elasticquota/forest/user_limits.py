"""Which limits apply to a pod: those of its user, of one of its groups, and of all users together.

They apply in every quota of its path (Y9).

* User: in each quota the limit that names the user, else the limit of ``*``.
* Group: only one of the user's groups counts, the same in all quotas. The nearest quota that has a
  limit of one of them, or of ``*``, decides: the first of them in its limits counts. If it has only
  ``*``, the user counts together with all such users (as YuniKorn tracks them). A user without
  groups has no group limit.
"""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from elasticquota.model.holder import Holder
from elasticquota.model.limit import Limit
from elasticquota.model.quota import Quota
from elasticquota.resources import Resources


class Subject(NamedTuple):
    """A user, a group, or all users: its amounts and applications are counted together."""

    kind: Literal["user", "group", "all"]
    name: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.name}" if self.name else self.kind


class Scope(NamedTuple):
    """A subject in a quota, with all quotas below it."""

    quota: str
    subject: Subject


class Bound(NamedTuple):
    """The most that a subject may hold in a quota."""

    scope: Scope
    max: Resources
    """Accounting units; a missing key is unlimited."""
    applications: int
    """The most at one time; 0: unlimited."""


def of(holder: Holder, path: Sequence[Quota]) -> tuple[Bound, ...]:
    """Return all limits on a pod of ``holder``; ``path`` goes from its quota to the root."""
    group = next((found for quota in path if (found := quota.limits.group_of(holder.groups))), "")
    return tuple(bound for quota in path for bound in _at(quota, holder.user, group))


def _at(quota: Quota, user: str, group: str) -> Iterator[Bound]:
    limits = quota.limits
    if not quota.is_limited:
        return
    if limits.applications or quota.admission:
        yield Bound(Scope(quota.name, Subject("all")), quota.admission, limits.applications)
    yield from _bound(quota, Subject("user", user), limits.of_user(user))
    if group:
        yield from _bound(quota, Subject("group", group), limits.of_group(group))


def _bound(quota: Quota, subject: Subject, limit: Limit | None) -> Iterator[Bound]:
    if limit is not None:
        yield Bound(Scope(quota.name, subject), limit.max, limit.applications)
