"""The verdict on a stored quota: accepted, or why not (semantics 6). Published as a condition."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal


Reason = Literal[
    "Accepted",
    "ParentNotFound",
    "ParentNotAParent",
    "ParentRefuses",
    "NameConflict",
    "CycleDetected",
    "MinExceedsParent",
    "TreeMismatch",
    "InvalidSpec",
    "ReservedName",
]


@dataclass(frozen=True, slots=True)
class Verdict:
    reason: Reason
    message: str

    @property
    def accepted(self) -> bool:
        return self.reason == "Accepted"

    def but(self, warnings: Sequence[str]) -> "Verdict":
        """The same verdict, which says what else is to be told."""
        if not warnings:
            return self
        joint = ", but " if self == ACCEPTED else "; "
        return replace(self, message=f"{self.message}{joint}{'; '.join(warnings)}")


ACCEPTED = Verdict("Accepted", "the quota takes part in its tree")
