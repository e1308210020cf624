"""A limit is the most that a user, or all of a group together, may hold in a quota (Y9).

It counts what was let in, in the quota and all below it. An application is what the pods of one
namespace are that name the same one; it counts as long as any of its pods is let in.
"""

from dataclasses import dataclass, field
from typing import Final

from elasticquota.resources import Resources


ALL: Final = "*"
"""As a user: each one that no other limit of the quota names. As a group: the users of none that
any does, together."""


@dataclass(frozen=True, slots=True)
class Limit:
    """For each of the users, and for each of the groups."""

    users: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    max: Resources = field(default_factory=dict)
    """Accounting units; a key that is missing is unlimited."""
    applications: int = 0
    """The most at one time; 0: as many as there are."""


@dataclass(frozen=True, slots=True)
class Limits:
    """All of one quota, in the order in which groups are looked for."""

    applications: int = 0
    """The most at one time, whoever's they are; 0: as many as there are."""
    each: tuple[Limit, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.applications or self.each)

    def of_user(self, name: str) -> Limit | None:
        """The limit of the user: where it is named, else that of all others."""
        return self._first(name) or self._first(ALL)

    def of_group(self, name: str) -> Limit | None:
        """The limit of the group, or of ``ALL`` others."""
        return next((limit for limit in self.each if name in limit.groups), None)

    def group_of(self, groups: tuple[str, ...]) -> str:
        """The group of somebody in ``groups`` that counts here; empty: none."""
        named = [group for limit in self.each for group in limit.groups]
        if not groups:
            return ""
        return next((group for group in named if group in groups), ALL if ALL in named else "")

    def _first(self, user: str) -> Limit | None:
        return next((limit for limit in self.each if user in limit.users), None)


NONE: Final = Limits()
