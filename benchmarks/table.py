"""The result table: measured values, their targets, and the usual method beside them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Target:
    """The bound for a figure, in the figure's unit; an upper bound unless ``at_least``."""

    bound: float
    at_least: bool = False

    def __str__(self) -> str:
        return f"{'>=' if self.at_least else '<='} {_short(self.bound)}"

    def reached(self, figure: float) -> bool:
        return figure >= self.bound if self.at_least else figure <= self.bound


@dataclass(frozen=True, slots=True)
class Row:
    """One figure; those of the usual method have the same unit."""

    case: str
    figure: float
    unit: str
    reach: Target | None = None
    each_leaf: float | None = None
    """The usual method as its users run it."""
    once: float | None = None
    """The usual method in its best case."""
    note: str = ""

    @property
    def reached(self) -> bool:
        return self.reach is None or self.reach.reached(self.figure)

    def cells(self) -> tuple[str, ...]:
        verdict = ("yes" if self.reached else "NO") if self.reach else ""
        return (
            self.case,
            f"{_short(self.figure)} {self.unit}".rstrip(),
            str(self.reach or ""),
            verdict,
            self._beside(self.each_leaf),
            self._beside(self.once),
            self.note,
        )

    def _beside(self, theirs: float | None) -> str:
        return "" if theirs is None else f"{_short(theirs)} ({_short(theirs / self.figure)}x)"


BESIDE: Final = ("usual, each leaf", "usual, once")
_WIDTHS: Final = (66, 10, 8, 7, 21, 1, 20)
"""Of the columns: rows are printed before the next ones are known."""


def head(beside: tuple[str, str]) -> str:
    """The first two lines, in Markdown; ``beside`` are the headings of the other methods."""
    rule = "|" + "|".join("-" * (width + 2) for width in _WIDTHS) + "|"
    return f"{_line(('case', 'ours', 'reach', 'reached', *beside, 'note'))}\n{rule}"


def line(row: Row) -> str:
    """One row below ``head``."""
    return _line(row.cells())


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(str.ljust, cells, _WIDTHS)) + " |"


def _short(figure: float) -> str:
    """Three significant digits; whole numbers in groups of three."""
    if abs(figure) >= 100:
        return f"{figure:,.0f}"
    return f"{figure:.3g}"
