"""The verdict on a stored quota: accepted, or why not (semantics 6). Published as a condition."""

from collections.abc import Sequence
from typing import Literal

from elasticquota.structs import Struct, replace


Reason = Literal[
    "Accepted",
    "ParentNotFound",
    "ParentNotAParent",
    "ParentRefuses",
    "NameConflict",
    "CycleDetected",
    "TooDeep",
    "MinExceedsParent",
    "TreeMismatch",
    "InvalidSpec",
    "ReservedName",
]


class Verdict(Struct, frozen=True):
    """The reason and message of the condition ``Accepted``."""

    reason: Reason
    message: str
    """Why it is not accepted; empty if it is."""
    warnings: tuple[str, ...] = ()
    """What an accepted quota does not mean as its author may think."""

    @property
    def accepted(self) -> bool:
        """Whether the quota is accepted."""
        return self.reason == "Accepted"

    def but(self, warnings: Sequence[str]) -> "Verdict":
        """Return the same verdict with ``warnings`` added."""
        return replace(self, warnings=(*self.warnings, *warnings)) if warnings else self


ACCEPTED = Verdict("Accepted", "")
