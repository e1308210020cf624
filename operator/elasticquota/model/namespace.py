"""A namespace: whether it is going away, because then nothing in it is worth admitting, and which
quota its label says its pods belong to.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Namespace:
    name: str
    terminating: bool = False
    quota: str | None = None
    """What its label says, whoever wrote it; None: it has none."""
