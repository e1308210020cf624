"""Which mutants are tried, and how many of each package were detected.

The name of a mutant is the module, the function and a number:
``elasticquota.ledger.pods.usage.x_added__mutmut_3``.
"""

import fnmatch
import random
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Self


DETECTED: Final = frozenset({"killed", "timeout"})
COLUMNS: Final = ("package", "mutants", "killed", "timed out", "survived", "detected")


def package_of(name: str) -> str:
    return name.split(".")[1]


def matching(names: Iterable[str], words: Iterable[str]) -> list[str]:
    """The names that a word asks for, all without words; a word without a dot is a package.

    Raises ``ValueError`` for a word that asks for none.
    """
    known = list(names)
    chosen: set[str] = set()
    patterns = [word if "." in word else f"elasticquota.{word}.*" for word in words]
    for pattern in patterns:
        found = fnmatch.filter(known, pattern)
        if not found:
            raise ValueError(f"no mutant is called {pattern}")
        chosen.update(found)
    return [name for name in known if name in chosen or not patterns]


def sample(names: Iterable[str], size: int, seed: int) -> list[str]:
    """``size`` names of each package, or all if there are fewer; the same for the same seed.

    A package's part does not depend on which other packages are sampled.
    """
    packages: dict[str, list[str]] = {}
    for name in sorted(names):
        packages.setdefault(package_of(name), []).append(name)
    return [
        name
        for package, members in sorted(packages.items())
        for name in sorted(
            random.Random(f"{seed} {package}").sample(members, min(size, len(members)))  # noqa: S311
        )
    ]


@dataclass(frozen=True, slots=True)
class Table:
    """How many mutants of each package got which verdict; prints as Markdown."""

    verdicts: Mapping[str, Counter[str]]

    @classmethod
    def of(cls, verdicts: Mapping[str, str]) -> Self:
        """Counts the verdicts by name: ``killed``, ``timeout``, ``survived``, ``no tests``, ..."""
        counts: dict[str, Counter[str]] = {}
        for name, verdict in sorted(verdicts.items()):
            counts.setdefault(package_of(name), Counter())[verdict] += 1
        return cls(counts)

    def least(self) -> float:
        """The percent of mutants detected in the package where it is lowest."""
        return min(map(_percent, self.verdicts.values()))

    def __str__(self) -> str:
        rows = [COLUMNS, ("---",) * len(COLUMNS)]
        rows += [_row(package, found) for package, found in self.verdicts.items()]
        if len(self.verdicts) > 1:
            rows.append(_row("all", sum(self.verdicts.values(), Counter())))
        return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _row(package: str, found: Counter[str]) -> tuple[str, ...]:
    survived = found.total() - _detected(found)
    counts = (found.total(), found["killed"], found["timeout"], survived)
    return (package, *map(str, counts), f"{_percent(found):.1f}%")


def _detected(found: Counter[str]) -> int:
    return sum(found[verdict] for verdict in DETECTED)


def _percent(found: Counter[str]) -> float:
    return 100 * _detected(found) / found.total()
