"""A figure is one thing that a row asserts: what the product says of it, and what is expected."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from elasticquota.resources import Resources


@dataclass(frozen=True)
class Figure:
    """``what`` begins with the name of the field that expects it."""

    what: str
    found: Any
    expected: Any
    rounded: bool = False
    """A runtime, which may be rounded another way than the peer's: by less than two units."""

    @property
    def agrees(self) -> bool:
        if self.rounded:
            return bool(abs(self.found - self.expected) < 2)
        return bool(self.found == self.expected)

    def __str__(self) -> str:
        return f"{self.what} is {self.found!r}, expected {self.expected!r}"


def of_amounts(
    what: str, found: Resources, expected: Resources, *, rounded: bool = False
) -> Iterator[Figure]:
    """One figure per expected resource; a resource that was not found is 0."""
    for resource, amount in expected.items():
        yield Figure(f"{what} {resource}", found.get(resource, 0), amount, rounded)
