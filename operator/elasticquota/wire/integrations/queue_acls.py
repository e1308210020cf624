"""``submitacl`` and ``adminacl`` of YuniKorn's queues (Y8): users and groups that have access.

``*`` is everyone, else there are users and after one space groups, each separated by commas. An
empty list gives no user access.
"""

from collections.abc import Iterable
from typing import Final

from elasticquota.model.fault import Fault
from elasticquota.structs import Struct
from elasticquota.wire.codec import fields


_EVERYONE: Final = "*"
_LONGEST: Final = 64 * 1024


class Acl(Struct, frozen=True):
    """Who has access."""

    everyone: bool = False
    users: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()

    def lists(self, user: str, groups: Iterable[str]) -> bool:
        """Whether the user, or one of the groups, has access."""
        return self.everyone or user in self.users or not self.groups.isdisjoint(groups)


def read(written: object, where: str, faults: list[Fault]) -> Acl | None:
    """Return the list at ``where``; None if there is none, or if it is a fault."""
    if written is None:
        return None
    if not isinstance(written, str) or len(written) > _LONGEST:
        faults.append(fields.mismatch(where, "a text", written))
        return None
    parts = written.split(" ")
    if len(parts) > 2:
        faults.append(
            Fault(
                where,
                f"must be users, one space and groups, got {fields.shown(written)} with "
                f"{len(parts) - 1} spaces",
            )
        )
        return None
    users, groups = (_names(part) for part in (*parts, "")[:2])
    if written.strip() == _EVERYONE or {_EVERYONE} in (users, groups):
        return Acl(everyone=True)
    return Acl(users=users - {_EVERYONE}, groups=groups - {_EVERYONE})


def _names(part: str) -> frozenset[str]:
    return frozenset(name for name in part.split(",") if name)
