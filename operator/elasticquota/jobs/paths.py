"""A path names a field from the top of an object: ``spec.template``; ``*`` is every entry there.

Entries are those of a map or a list. Where there is nothing, or something that has no fields,
there is simply nothing: who needs it says so.
"""

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from elasticquota.wire.codec import fields


_FORM: Final = re.compile(r"[A-Za-z][A-Za-z0-9]*(\.([A-Za-z][A-Za-z0-9]*|\*(?=\.)))*")
_LONGEST: Final = 253
_NAMES: Final = ("name", "groupName")


class Entry(NamedTuple):
    """One of those that the ``*`` of a path stands for, or the object itself."""

    name: str
    """Its key in a map; in a list what it calls itself, else its index. Empty for the object."""
    where: str
    """Its path for people: ``spec.workerGroupSpecs[0]``; empty for the object."""
    stem: str
    """The path up to its ``*``; empty for the object."""
    value: Any
    document: Any

    def at(self, path: str) -> Any:
        """What stands at a path, which leads through this entry if it has the same ``*``."""
        inner = self._inner(path)
        return value(self.document, path) if inner is None else value(self.value, inner)

    def shown(self, path: str) -> str:
        """The path for people."""
        inner = self._inner(path)
        return path if inner is None else f"{self.where}.{inner}"

    def _inner(self, path: str) -> str | None:
        start = f"{self.stem}.*."
        return path.removeprefix(start) if self.stem and path.startswith(start) else None


def fault(path: str) -> str:
    """Why this is no path, in a sentence; empty: it is one."""
    if len(path) <= _LONGEST and _FORM.fullmatch(path):
        return ""
    return (
        "must be the names of fields joined by dots, such as spec.template, "
        f"with * for every entry of a map or list, got {fields.shown(path)}"
    )


def value(document: Any, path: str) -> Any:
    """What stands at a path without ``*``; None: nothing."""
    for step in path.split("."):
        if not isinstance(document, dict):
            return None
        document = document.get(step)
    return document


def values(document: Any, path: str) -> Iterator[Any]:
    """What stands at a path, once for every entry that a ``*`` in it stands for."""
    step, _, rest = path.partition(".")
    found = _members(document) if step == "*" else [value(document, step)]
    for each in found:
        if rest:
            yield from values(each, rest)
        else:
            yield each


def entries(document: Any, path: str) -> Iterator[Entry]:
    """The entries of the first ``*`` of a path; one that has none leads to the object itself."""
    stem, star, _ = path.partition(".*.")
    if not star:
        yield Entry("", "", "", document, document)
        return
    found = value(document, stem)
    if isinstance(found, dict):
        for key, each in found.items():
            yield Entry(key, f"{stem}.{fields.shown_key(key)}", stem, each, document)
    elif isinstance(found, list):
        for index, each in enumerate(found):
            own = (value(each, name) for name in _NAMES)
            name = next((text for text in own if isinstance(text, str) and text), str(index))
            yield Entry(name, f"{stem}[{index}]", stem, each, document)


def nested(path: str, leaf: Any) -> dict[str, Any]:
    """The smallest object that has ``leaf`` at a path without ``*``."""
    for step in reversed(path.split(".")):
        leaf = {step: leaf}
    return dict(leaf)


def _members(document: Any) -> list[Any]:
    if isinstance(document, dict):
        return list(document.values())
    return document if isinstance(document, list) else []
