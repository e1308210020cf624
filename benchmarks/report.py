"""The cases of a benchmark, one after the other: rows are printed as they come.

A case that fails keeps the rows of the others. What failed is printed at the end, and the process
ends with an error.
"""

import os
import platform
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from benchmarks import table
from benchmarks.table import Row


class Report:
    """``beside`` are the headings of the other methods, ``around`` says what shares the machine."""

    def __init__(self, beside: tuple[str, str] = table.BESIDE, around: str = "") -> None:
        """Print what machine it is."""
        self._beside = beside
        python, cores, load = platform.python_version(), os.cpu_count(), os.getloadavg()[0]
        print(f"Python {python}, {cores} cores, load {load:.1f} before{around and f'; {around}'}\n")
        self._rows: list[Row] = []
        self._failed: dict[str, str] = {}
        """What each case said that failed."""

    @contextmanager
    def case(self, name: str) -> Iterator[None]:
        """Run the block as this case; nothing that it raises ends the others."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - said at the end
            self._failed[name] = _why(error)
            print(f"failed: {name}: {self._failed[name]}", file=sys.stderr, flush=True)

    def add(self, rows: Iterable[Row]) -> None:
        """Print each row as soon as it is there."""
        for row in rows:
            if not self._rows:
                print(table.head(self._beside))
            self._rows.append(row)
            print(table.line(row), flush=True)

    def end(self) -> None:
        """Print how many bounds are kept. Raises ``SystemExit`` when a case failed."""
        bound = [row for row in self._rows if row.reach is not None]
        print(f"\n{sum(row.reached for row in bound)} of {len(bound)} reached")
        if self._failed:
            raise SystemExit(
                "\n".join(f"failed: {name}: {why}" for name, why in self._failed.items())
            )


def _why(error: BaseException) -> str:
    """The name and text of an error, and of each in a group."""
    if isinstance(error, BaseExceptionGroup):
        return "; ".join(map(_why, error.exceptions))
    return f"{type(error).__name__}: {error}".removesuffix(": ")
