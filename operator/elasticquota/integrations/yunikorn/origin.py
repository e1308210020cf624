"""Origin of a quota that is made from a YuniKorn queue: ``yunikorn:root.teams.video``."""

from typing import Final

from elasticquota import names
from elasticquota.integrations.translation.translation import Path


DIALECT: Final = names.YUNIKORN


def of(path: Path) -> str:
    """The origin annotation of the quota for the queue at ``path``."""
    return f"{DIALECT}:{'.'.join(path)}"


def path(origin: str) -> Path | None:
    """The queue that an origin names; None if the quota comes from another system."""
    dialect, _, dotted = origin.partition(":")
    return tuple(dotted.split(".")) if dialect == DIALECT else None
