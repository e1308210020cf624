"""Two recordings of a session say the same, apart from what differs in every cluster.

Random parts of names, ages, times of the day, wait estimates, and the order of
lines in one block become equal. All words and all other figures have to agree.
"""

import itertools
import re
from collections import Counter
from collections.abc import Iterator
from typing import Final


_RULES: Final = tuple(
    (re.compile(pattern), text)
    for pattern, text in (
        (r"\b([a-z]+)-[0-9a-f]{7,10}-[a-z0-9]{5}\b", r"\1-POD"),
        (r"\b(report|samples)-[a-z0-9]{5}\b", r"\1-POD"),
        (r"\b([a-z]+-)[0-9a-f]{7,10}\b", r"\1HASH"),
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "TIME"),
        (r" \(x\d+ over (\d+[smh])+\)", ""),
        (r"\b(\d+[smhd])+(?![a-z])", "AGE"),
        (r"\bPosition \d+ of \d+", "Position N of M"),
        (r"^(Waits +).*", r"\1AGE"),
        (r"^(Expected +).*?(;.*)?$", r"\1RANGE"),
        (r" Expected to start in [^.]* as of \d\d:\d\d UTC\.", ""),
        (r"Expected to start in [^.]*\.", "Expected RANGE."),
        (r"\b\d+ s(?= +Quota)", "AGE"),
        # 1.30 writes the former size last, and none of a new ReplicaSet.
        (r"(Scaled \w+ replica set \S+)(?: from \d+)? to (\d+)(?: from \d+)?", r"\1 to \2"),
        (r"[ \t]+", " "),
    )
)


def blocks(page: str) -> Iterator[tuple[str, ...]]:
    """The parts of a page that a recording fills: each is its lines, made comparable and sorted.

    Text outside of the console blocks is one part, in order.
    """
    outside: list[str] = []
    inside: list[str] | None = None
    for line in page.splitlines():
        if line.startswith("```"):
            if inside is None:
                inside = []
            else:
                yield tuple(sorted(inside))
                inside = None
        else:
            (outside if inside is None else inside).append(_line(line))
    yield tuple(outside)


def difference(page: str, now: str) -> str:
    """The lines that differ between two recordings, with ``-`` and ``+``; empty without any."""
    found = []
    for before, after in itertools.zip_longest(blocks(page), blocks(now), fillvalue=()):
        is_, was = Counter(after), Counter(before)
        found += [f"- {line}" for line in (was - is_).elements()]
        found += [f"+ {line}" for line in (is_ - was).elements()]
    return "\n".join(found)


def _line(line: str) -> str:
    for pattern, text in _RULES:
        line = pattern.sub(text, line)
    return line.strip()
