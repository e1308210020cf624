"""A quota that stands for a queue of YuniKorn says which: ``yunikorn:root.teams.video``."""

from typing import Final

from elasticquota.integrations.translation.translation import Path


DIALECT: Final = "yunikorn"


def of(path: Path) -> str:
    """What stands on the quota of that queue."""
    return f"{DIALECT}:{'.'.join(path)}"


def path(origin: str) -> Path | None:
    """The queue of a quota that says this; None where it is of something else."""
    dialect, _, dotted = origin.partition(":")
    return tuple(dotted.split(".")) if dialect == DIALECT else None
