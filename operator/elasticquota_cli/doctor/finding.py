"""A finding is one thing that is wrong or worth knowing: where, what with figures, what to do."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal


Level = Literal["error", "warning", "info"]

_WORST_FIRST: Final[tuple[Level, ...]] = ("error", "warning", "info")


@dataclass(frozen=True, slots=True)
class Finding:
    level: Level
    """error: something does not work; warning: not as somebody meant it; info: good to know."""
    object: str
    """``ElasticQuota team-a/team-a``, or what else the finding is about."""
    message: str
    remedy: str
    namespaces: tuple[str, ...] = ()
    """Whose people it concerns; empty: everybody."""

    def concerns(self, namespace: str) -> bool:
        return not self.namespaces or namespace in self.namespaces


def worst_first(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """Within a level by object and text."""
    return tuple(
        sorted(found, key=lambda each: (_WORST_FIRST.index(each.level), each.object, each.message))
    )
