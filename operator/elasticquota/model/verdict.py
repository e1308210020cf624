"""The verdict on a stored quota: accepted, or why not (semantics 6). Published as a condition."""

from dataclasses import dataclass
from typing import Literal


Reason = Literal[
    "Accepted",
    "ParentNotFound",
    "ParentNotAParent",
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


ACCEPTED = Verdict("Accepted", "the quota takes part in its tree")
