"""Rows whose answer the product does not have yet, and what brings it.

The list only shrinks: a row that has its answer and still stands here fails. Where ``figures`` are
named, only those may differ; without, the row has no answer at all.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Missing:
    comes_with: str
    figures: tuple[str, ...] = ()
    """How the figures begin that may differ."""


NOT_YET: Final[dict[str, Missing]] = {}
