"""Read YAML as JSON values: texts, numbers, booleans, null, lists and maps.

Values are built from the parser's events without recursion: an untrusted file must not exhaust
the stack, nor the memory by aliases of aliases. Plain words have the same meaning as in kubectl
(``yes`` is true, ``0x10`` is 16); dates and ``1:30`` stay text. Keys are always text.
"""

import math
import re
from collections.abc import Iterator
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
    try:
        for event in _parsed(text):
            if isinstance(event, yaml.DocumentStartEvent):
                builder = _Builder()
            elif isinstance(event, yaml.DocumentEndEvent):
                yield builder.root
            elif not isinstance(event, yaml.StreamStartEvent | yaml.StreamEndEvent):
                builder.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        # The parser marks a missing end behind the last line.
        line = min(mark.line, text.rstrip("\n").count("\n")) if mark else 0
        raise YamlError(error.problem or "not YAML", line + 1) from None
    except yaml.YAMLError as error:
        raise YamlError(" ".join(str(error).split()), 1) from None


def _parsed(text: str) -> Iterator[Any]:
    loader = _LOADER(text)
    try:
        while loader.check_event():
            yield loader.get_event()
    finally:
        loader.dispose()


class _Frame:
    """A list or map under construction."""

    __slots__ = ("anchor", "before", "key", "merges", "value")

    def __init__(self, value: Any, anchor: str | None, before: int) -> None:
        self.value = value
        self.anchor = anchor
        self.before = before
        self.key: str | None = None
        self.merges: list[Any] = []


class _Builder:
    """Builds the value of one document; pass its events to ``take()`` in order."""

    def __init__(self) -> None:
        self.root: Any = None
        self._stack: list[_Frame] = []
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._values = 0
        self._repeated = 0

    def take(self, event: Any) -> None:
        kind = type(event)
        if kind is yaml.ScalarEvent:
            self._values += 1
            frame = self._stack[-1] if self._stack else None
            if frame is not None and frame.key is None and type(frame.value) is dict:
                frame.key = event.value
                return
            self._put(_scalar(event), event)
            if event.anchor:
                self._anchors[event.anchor] = (_scalar(event), 1)
        elif kind is yaml.MappingStartEvent:
            self._open({}, event)
        elif kind is yaml.SequenceStartEvent:
            self._open([], event)
        elif kind is yaml.AliasEvent:
            self._repeat(event)
        else:
            self._close(event)

    def _open(self, value: Any, event: Any) -> None:
        if event.tag not in (None, "!", f"{_TAG}map", f"{_TAG}seq"):
            raise _error(f"the tag {event.tag} is not understood", event)
        if len(self._stack) >= DEEPEST:
            raise _error(f"nested more than {DEEPEST} levels deep", event)
        self._values += 1
        self._stack.append(_Frame(value, event.anchor, self._values))

    def _close(self, event: Any) -> None:
        frame = self._stack.pop()
        for merged in frame.merges:
            frame.value = {**merged, **frame.value}
        if frame.anchor:
            self._anchors[frame.anchor] = (frame.value, self._values - frame.before + 1)
        self._put(frame.value, event)

    def _repeat(self, event: Any) -> None:
        if event.anchor not in self._anchors:
            raise _error(f"the alias *{event.anchor} names nothing that comes before it", event)
        value, size = self._anchors[event.anchor]
        self._values += size
        self._repeated += size
        if self._repeated > MOST_REPEATED:
            raise _error(f"aliases stand for more than {MOST_REPEATED} values", event)
        self._put(value, event)

    def _put(self, value: Any, event: Any) -> None:
        if not self._stack:
            self.root = value
            return
        frame = self._stack[-1]
        if type(frame.value) is list:
            frame.value.append(value)
            return
        if frame.key is None:
            raise _error("a key must be a text", event)
        if frame.key == _MERGE:
            frame.merges.extend(_merged(value, event))
        else:
            frame.value[frame.key] = value
        frame.key = None


def _merged(value: Any, event: Any) -> list[dict[str, Any]]:
    """The maps of a ``<<`` key, in their order; ``_close`` lets the map's own entries win."""
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
