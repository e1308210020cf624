"""The result table: measured values, their targets, and the usual method beside them."""

from dataclasses import dataclass


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


BESIDE = ("usual, each leaf", "usual, once")


def text(rows: list[Row], beside: tuple[str, str] = BESIDE) -> str:
    """Aligned columns that are valid Markdown; ``beside`` are the headings of the other methods."""
    lines = [("case", "ours", "reach", "reached", *beside, "note"), *(row.cells() for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    written = ["| " + " | ".join(map(str.ljust, line, widths)) + " |" for line in lines]
    written.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(written)


def _short(figure: float) -> str:
    """Three significant digits; whole numbers in groups of three."""
    if abs(figure) >= 100:
        return f"{figure:,.0f}"
    return f"{figure:.3g}"
