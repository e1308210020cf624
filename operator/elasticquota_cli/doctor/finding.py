"""A finding is one problem or notice: the object, a message with figures, and a remedy."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal


Level = Literal["error", "warning", "info"]

_WORST_FIRST: Final[tuple[Level, ...]] = ("error", "warning", "info")


@dataclass(frozen=True, slots=True)
class Finding:
    """One result of a rule."""

    level: Level
    """error: something does not work; warning: probably not intended; info: good to know."""
    object: str
    """``ElasticQuota team-a/team-a``, or another subject of the finding."""
    message: str
    remedy: str
    namespaces: tuple[str, ...] = ()
    """The namespaces that it concerns; empty: all."""

    def concerns(self, namespace: str) -> bool:
        """Whether the finding is about this namespace or about all."""
        return not self.namespaces or namespace in self.namespaces


def worst_first(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings by level, within a level by object and text."""
    return tuple(
        sorted(found, key=lambda each: (_WORST_FIRST.index(each.level), each.object, each.message))
    )
