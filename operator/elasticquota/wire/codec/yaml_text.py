"""Read YAML as JSON values: texts, numbers, booleans, null, lists and maps.

Values are built from the parser's events, not by a PyYAML loader: an untrusted file must not use up
the stack, nor the memory by aliases of aliases, and each error has its line. Plain words have the
same meaning as in kubectl (``yes`` is true, ``0x10`` is 16); dates and ``1:30`` stay text. Keys are
always text.
"""

import math
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Final

import yaml


DEEPEST: Final = 100
"""Levels of nesting; Kubernetes objects have far fewer."""
MOST_REPEATED: Final = 100_000
"""Values that all aliases of one document may expand to."""

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG: Final = "tag:yaml.org,2002:"
_PLAIN_TAGS: Final = frozenset(_TAG + kind for kind in ("int", "float", "bool", "null"))
_MERGE: Final = "<<"

_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"), True),
    **dict.fromkeys(("false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"), False),
}
_WHOLE: Final = re.compile(
    r"([-+]?)(?:(0|[1-9][0-9]{0,60})|0x([0-9a-fA-F]{1,40})|0o?([0-7]{1,60})|0b([01]{1,160}))"
)
_DECIMAL: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]{1,4})?")


class YamlError(ValueError):
    """The text is no YAML that we read; the message has the problem and the line (from 1)."""

    def __init__(self, problem: str, line: int) -> None:
        super().__init__(f"line {line}: {problem}")


def documents(text: str) -> Iterator[Any]:
    """Yield the value of each document, None for an empty one; raises `YamlError`."""
    loader = _LOADER(text)
    try:
        while loader.check_event():
            if isinstance(loader.get_event(), yaml.DocumentStartEvent):
                yield _Document(loader.get_event).value(loader.get_event())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        # The parser marks a missing end behind the last line.
        line = min(mark.line, text.rstrip("\n").count("\n")) if mark else 0
        raise YamlError(error.problem or "not YAML", line + 1) from None
    except yaml.YAMLError as error:
        raise YamlError(" ".join(str(error).split()), 1) from None
    finally:
        loader.dispose()


class _Document:
    """Builds the value of one document from the events that follow."""

    def __init__(self, following: Callable[[], Any]) -> None:
        self._next = following
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._values = 0
        self._repeated = 0

    def value(self, event: Any, level: int = 1) -> Any:
        """The value that begins with ``event``; takes the events up to its end."""
        kind = type(event)
        if kind is yaml.AliasEvent:
            return self._repeat(event)
        before = self._values
        self._values += 1
        if kind is yaml.ScalarEvent:
            value = _scalar(event)
        elif event.tag not in (None, "!", f"{_TAG}map", f"{_TAG}seq"):
            raise _error(f"the tag {event.tag} is not understood", event)
        elif level > DEEPEST:
            raise _error(f"nested more than {DEEPEST} levels deep", event)
        else:
            value = self._list(level) if kind is yaml.SequenceStartEvent else self._map(level)
        if event.anchor:
            self._anchors[event.anchor] = (value, self._values - before)
        return value

    def _list(self, level: int) -> list[Any]:
        found = []
        while type(event := self._next()) is not yaml.SequenceEndEvent:
            found.append(self.value(event, level + 1))
        return found

    def _map(self, level: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        while type(key := self._next()) is not yaml.MappingEndEvent:
            if type(key) is not yaml.ScalarEvent:
                raise _error("a key must be a text", key)
            self._values += 1
            event = self._next()
            value = self.value(event, level + 1)
            if key.value == _MERGE:
                for each in _maps(value, event):
                    merged = {**each, **merged}
            else:
                found[key.value] = value
        return {**merged, **found}

    def _repeat(self, event: Any) -> Any:
        if event.anchor not in self._anchors:
            raise _error(f"the alias *{event.anchor} names nothing that comes before it", event)
        value, size = self._anchors[event.anchor]
        self._values += size
        self._repeated += size
        if self._repeated > MOST_REPEATED:
            raise _error(f"aliases stand for more than {MOST_REPEATED} values", event)
        return value


def _maps(value: Any, event: Any) -> list[dict[str, Any]]:
    """The maps of a ``<<`` key; the map's own entries win, then those of the first."""
    maps = value if isinstance(value, list) else [value]
    if not all(isinstance(each, dict) for each in maps):
        raise _error("<< must name a map or a list of maps", event)
    return maps


def _scalar(event: Any) -> Any:
    if event.tag is None:
        return _plain(event.value) if event.implicit[0] else event.value
    if event.tag in _PLAIN_TAGS:
        return _plain(event.value)
    if event.tag not in ("!", f"{_TAG}str"):
        raise _error(f"the tag {event.tag} is not understood", event)
    return event.value


@lru_cache(maxsize=65536)
def _plain(text: str) -> str | int | float | bool | None:
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789":
        return text
    whole = _WHOLE.fullmatch(text)
    if whole:
        sign, *digits = whole.groups()
        for figures, base in zip(digits, (10, 16, 8, 2), strict=True):
            if figures is not None:
                return int(sign + figures, base)
    if _DECIMAL.fullmatch(text):
        number = float(text)
        if math.isfinite(number):
            return number
    return text


def _error(problem: str, event: Any) -> YamlError:
    return YamlError(problem, event.start_mark.line + 1)
