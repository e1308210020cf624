"""A tape turns bytes into JSON documents, so that who changes the bytes changes the documents.

Blind changes of bytes hardly ever give JSON. Here every byte string is a document, made of the
field names and texts of the examples, and near strings are near documents.
"""

import math
import struct
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec


ODD_WORDS: Final = ("", " ", "~/", "a b", "\x00", "\u202e", "[", '{"cpu":', "-1", "1e3", "500m")


def words(*examples: Any) -> tuple[str, ...]:
    """Every key and text in the examples, and some that are odd everywhere."""
    return (*sorted(set().union(*map(_words, examples))), *ODD_WORDS)


class Tape:
    """Bytes read from left to right; past the end they are zeros."""

    def __init__(self, data: bytes, words: Sequence[str]) -> None:
        """``words`` are the texts that documents are likely to be made of."""
        self._data = data
        self._words = words

    def take(self, count: int) -> bytes:
        taken, self._data = self._data[:count], self._data[count:]
        return taken.ljust(count, b"\0")

    def number(self, below: int) -> int:
        return self.take(1)[0] % below

    def word(self) -> str:
        return self._words[self.number(len(self._words))]

    def text(self) -> str:
        return self.take(self.number(40)).decode(errors="replace")

    def value(self, depth: int = 6) -> Any:
        """Any JSON value."""
        leaves: list[Callable[[], Any]] = [
            lambda: None,
            lambda: bool(self.number(2)),
            lambda: self.number(256) - 128,
            lambda: int.from_bytes(self.take(self.number(32)), signed=True),
            self.fraction,
            self.word,
            self.text,
        ]
        branches: list[Callable[[], Any]] = [
            lambda: [self.value(depth - 1) for _ in range(self.number(6))],
            lambda: {self.text(): self.value(depth - 1) for _ in range(self.number(6))},
            lambda: {self.word(): self.value(depth - 1) for _ in range(self.number(8))},
        ]
        choices = leaves + branches if depth else leaves
        return choices[self.number(len(choices))]()

    def fraction(self) -> float:
        found = float(struct.unpack("<d", self.take(8))[0])
        return found if math.isfinite(found) else 0.5

    def texts(self) -> dict[str, str]:
        """A map as labels and annotations are, some values of it JSON."""
        return {self.word(): self.written() for _ in range(self.number(6))}

    def written(self) -> str:
        return msgspec.json.encode(self.value()).decode() if self.number(2) else self.text()

    def altered(self, example: Any) -> Any:
        """The example, here and there with another value in place of its own."""
        if 0 < self.number(256) < 32:
            return self.value()
        if isinstance(example, dict):
            return {key: self.altered(value) for key, value in example.items()}
        if isinstance(example, list):
            return [self.altered(value) for value in example]
        return example


def _words(example: Any) -> set[str]:
    if isinstance(example, str):
        return {example}
    if isinstance(example, dict):
        return set(example).union(*map(_words, example.values()))
    return set().union(*map(_words, example)) if isinstance(example, list) else set()
