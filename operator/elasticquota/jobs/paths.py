"""Paths name a field from the top of an object: ``spec.template``; ``*`` stands for every entry.

Entries are those of a map or a list. A path that leads nowhere gives None or no entries; the caller
decides whether that is a fault.
"""

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from elasticquota.wire.codec import fields


_FORM: Final = re.compile(r"[A-Za-z][A-Za-z0-9]*(\.([A-Za-z][A-Za-z0-9]*|\*(?=\.)))*")
_LONGEST: Final = 253
_NAMES: Final = ("name", "groupName")


class PathEntry(NamedTuple):
    """One entry that the ``*`` of a path stands for, or the object itself."""

    name: str
    """Its key in a map; in a list its own name, else its index. Empty for the object."""
    where: str
    """Its path for messages: ``spec.workerGroupSpecs[0]``; empty for the object."""
    stem: str
    """The path up to its ``*``; empty for the object."""
    value: Any
    document: Any

    def at(self, path: str) -> Any:
        """The value at a path; a path with the same ``*`` is looked up in this entry.

        One with another ``*`` is looked up in the entry there that has this one's name.
        """
        inner = self._inner(path)
        if inner is not None:
            return value(self.value, inner)
        stem, star, rest = path.partition(".*.")
        if not star:
            return value(self.document, path)
        for name, _, each in _named(value(self.document, stem), stem):
            if name == self.name:
                return value(each, rest)
        return None

    def shown(self, path: str) -> str:
        """The path for messages, with this entry in place of the ``*``."""
        inner = self._inner(path)
        return path if inner is None else f"{self.where}.{inner}"

    def _inner(self, path: str) -> str | None:
        start = f"{self.stem}.*."
        return path.removeprefix(start) if self.stem and path.startswith(start) else None


def fault(path: str) -> str:
    """A sentence that says why this is not a valid path; empty: it is valid."""
    if len(path) <= _LONGEST and _FORM.fullmatch(path):
        return ""
    return (
        "must be the names of fields joined by dots, such as spec.template, "
        f"with * for every entry of a map or list, got {fields.shown(path)}"
    )


def value(document: Any, path: str) -> Any:
    """The value at a path without ``*``; None: there is none."""
    for step in path.split("."):
        if not isinstance(document, dict):
            return None
        document = document.get(step)
    return document


def text(document: Any, path: str, key: str) -> str:
    """The text of one key of a map, such as of annotations; empty: there is none."""
    found = value(document, path)
    return fields.text(found.get(key)) if isinstance(found, dict) else ""


def values(document: Any, path: str) -> Iterator[Any]:
    """The values at a path, one for each entry that a ``*`` in it stands for."""
    step, _, rest = path.partition(".")
    found = [each for _, each in _keyed(document)] if step == "*" else [value(document, step)]
    for each in found:
        if rest:
            yield from values(each, rest)
        else:
            yield each


def entries(document: Any, path: str) -> Iterator[PathEntry]:
    """The entries of the first ``*`` of a path; for a path without ``*``, the object itself."""
    stem, star, _ = path.partition(".*.")
    if not star:
        yield PathEntry("", "", "", document, document)
        return
    for name, where, each in _named(value(document, stem), stem):
        yield PathEntry(name, where, stem, each, document)


def _named(found: Any, stem: str) -> Iterator[tuple[str, str, Any]]:
    """The entries of a map or list at ``stem``: name, path for messages, value."""
    if isinstance(found, dict):
        for key, each in found.items():
            yield key, f"{stem}.{fields.shown_key(key)}", each
    elif isinstance(found, list):
        for index, each in enumerate(found):
            own = (value(each, name) for name in _NAMES)
            name = next((text for text in own if isinstance(text, str) and text), str(index))
            yield name, f"{stem}[{index}]", each


def pointers(document: Any, path: str) -> Iterator[tuple[str, Any]]:
    """The values at a path, each with its JSON pointer (RFC 6901)."""
    found = [("", document)]
    for step in path.split("."):
        found = [
            (f"{pointer}/{str(key).replace('~', '~0').replace('/', '~1')}", member)
            for pointer, value in found
            for key, member in _keyed(value)
            if step in ("*", key)
        ]
    yield from found


def nested(path: str, leaf: Any) -> dict[str, Any]:
    """The smallest object with the value ``leaf`` at a path without ``*``."""
    for step in reversed(path.split(".")):
        leaf = {step: leaf}
    return dict(leaf)


def _keyed(document: Any) -> list[tuple[Any, Any]]:
    if isinstance(document, dict):
        return list(document.items())
    return list(enumerate(document)) if isinstance(document, list) else []
