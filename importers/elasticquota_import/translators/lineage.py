"""Paths of objects that name their parent: queues, cohorts, namespaces of a hierarchy.

Each name occurs once. An object whose parent is unknown, and every member of a cycle, is a first
level, so its limits hold although its place is lost. What is deeper than our trees can be (EQ1101)
has no path. The result does not depend on the order of the names.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, NamedTuple, TypeVar

from elasticquota.integrations.translation.translation import Path, TranslationWarning
from elasticquota.wire.codec import fields


T = TypeVar("T")

DEEPEST: Final = 32
"""Levels that a tree of ours can have."""

_SHOWN: Final = 6


class Lineage(NamedTuple):
    """The places of all objects, and what is wrong with the parents of some."""

    paths: Mapping[str, Path]
    """By name; what is too deep is absent."""
    faults: Mapping[str, str]
    """By name, one sentence."""


def trace(parents: Mapping[str, str]) -> Lineage:
    """Return the path of each name from the parent that it has; empty means no parent."""
    faults = dict(_faults(parents))
    below: dict[str, list[str]] = defaultdict(list)
    for name, parent in parents.items():
        below["" if name in faults else parent].append(name)
    paths: dict[str, Path] = {}
    level: dict[str, Path] = {name: (name,) for name in below[""]}
    for _ in range(DEEPEST):
        paths |= level
        level = {child: (*path, child) for name, path in level.items() for child in below[name]}
    deep = parents.keys() - paths.keys()
    return Lineage(
        paths, faults | dict.fromkeys(deep, f"is deeper than {DEEPEST} levels; not taken over")
    )


def once(found: Iterable[T], key: Callable[[T], str]) -> tuple[dict[str, T], list[T]]:
    """Return one object for each key, and the objects that are left out: equal ones count once.

    Of different objects with one key, their content decides, never their order.
    """
    chosen: dict[str, T] = {}
    others: list[T] = []
    for each in sorted(found, key=repr):
        first = chosen.setdefault(key(each), each)
        if first != each:
            others.append(each)
    return chosen, others


def named(
    found: Iterable[T],
    key: Callable[[T], str],
    source: Callable[[T], str],
    warnings: list[TranslationWarning],
) -> dict[str, T]:
    """Return one object for each key (``once``); ``warnings`` gets one for each that is left out.

    ``source`` names an object in its warning.
    """
    chosen, others = once(found, key)
    text = "there are two of this name; not taken over"
    warnings += (TranslationWarning(source(other), "", text) for other in others)
    return chosen


def _faults(parents: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, parent in parents.items():
        if parent and parent not in parents:
            shown = fields.shown(parent)
            yield name, f"there is no {shown} in what was given; taken over without a parent"
    for circle in _circles(parents):
        for place, name in enumerate(circle):
            around = (*circle[place:], *circle[:place], name)
            named = " -> ".join(map(fields.shown_key, around))
            shown = named if len(circle) <= _SHOWN else f"a circle of {len(circle)}"
            yield name, f"is its own ancestor ({shown}); taken over without a parent"


def _circles(parents: Mapping[str, str]) -> Iterator[list[str]]:
    seen: dict[str, int] = {}
    for number, start in enumerate(parents):
        walk = []
        name = start
        while name in parents and name not in seen:
            seen[name] = number
            walk.append(name)
            name = parents[name]
        if seen.get(name) == number:
            yield walk[walk.index(name) :]
