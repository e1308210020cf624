"""A limit is the most that a user, or all users of a group together, may hold in a quota (Y9).

It counts admitted pods, in the quota and in all quotas below. An application is all pods of one
namespace that give the same application name. It counts as long as one of its pods is admitted.
"""

from typing import Final

from elasticquota.resources import Resources
from elasticquota.structs import Struct, field


ALL: Final = "*"
"""As a user: each user that no other limit of the quota names. As a group: all users together that
are in no group which another limit of the quota names."""


class Limit(Struct, frozen=True):
    """One limit, which applies to each of the users and to each of the groups."""

    users: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    max: Resources = field(default_factory=dict)
    """Accounting units; a key that is missing is unlimited."""
    applications: int = 0
    """The most at one time; 0: unlimited."""


class QuotaLimits(Struct, frozen=True):
    """All limits of one quota, in the order in which groups are looked up."""

    applications: int = 0
    """The most at one time, of all users together; 0: unlimited."""
    each: tuple[Limit, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.applications or self.each)

    def of_user(self, name: str) -> Limit | None:
        """Return the limit that names the user, else that of ``ALL``; None if there is none."""
        return self._first(name) or self._first(ALL)

    def of_group(self, name: str) -> Limit | None:
        """Return the limit of the group, which may be ``ALL``; None if there is none."""
        return next((limit for limit in self.each if name in limit.groups), None)

    def group_of(self, groups: tuple[str, ...]) -> str:
        """Return which of a user's ``groups``, or ``ALL``, counts in this quota; empty: none."""
        named = [group for limit in self.each for group in limit.groups]
        if not groups:
            return ""
        return next((group for group in named if group in groups), ALL if ALL in named else "")

    def _first(self, user: str) -> Limit | None:
        return next((limit for limit in self.each if user in limit.users), None)


NONE: Final = QuotaLimits()
