"""A holder is for whom a pod holds what it holds: a user with groups, and an application."""

from dataclasses import dataclass
from typing import Final


UNKNOWN: Final = "nobody"
"""The user of pods of which nobody knows who created them."""


@dataclass(frozen=True, slots=True)
class Holder:
    """What limits go by."""

    user: str = UNKNOWN
    """Who created the pod, or what it was made from."""
    groups: tuple[str, ...] = ()
    application: str = ""
    """As the pod names it; empty: it is of the one of its namespace."""


NOBODY: Final = Holder()
