"""Reads a section of the configuration, with a fault for each key that it does not take.

A fault has the path, what is wanted and what was found. No value is converted from another type,
unknown keys are refused, and all faults of a document are found together.
"""

import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, Final, Literal, TypeVar, Union

from msgspec import Meta

from elasticquota import texts
from elasticquota.model.fault import Fault
from elasticquota_config.fields import section
from elasticquota_config.fields.section import Section, ValueCheck


S = TypeVar("S", bound=Section)
Place = tuple[int | str, ...]

_MAPPING: Final = "a mapping of keys to values"
_SINGLE: Final = {int: "a whole number", bool: "true or false", str: "a text"}


class FaultsError(Exception):
    """The document is no section of the kind; its faults are in the order of their texts."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(sorted(faults, key=str))
        super().__init__("\n".join(map(str, self.faults)))


def read(kind: type[S], document: object) -> S:
    """Read a section from a decoded document; raises `FaultsError`."""
    reader = _Reader()
    found = reader.section(kind, document, ())
    if found is None:
        raise FaultsError(reader.faults)
    return found


def nearest(word: str, known: Sequence[str]) -> str:
    """End of the sentence that refuses ``word``: the nearest known word, or all of them."""
    near = texts.nearest(word, known)
    return f", did you mean {near}?" if near else f"; known here: {', '.join(known)}"


class _Reader:
    """Each method returns what it read; a value with a fault is None, and the fault is noted."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self._by_origin: Mapping[Any, Callable[[Any, object, Place], Any]] = {
            Annotated: self._checked,
            Union: self._optional,
            types.UnionType: self._optional,
            Literal: self._choice,
            tuple: self._list,
            dict: self._mapping,
        }

    def section(self, kind: type[S], written: object, at: Place) -> S | None:
        if not isinstance(written, Mapping):
            self._refuse_type(_MAPPING, written, at)
            return None
        before = len(self.faults)
        fields, hints = section.keys(kind), typing.get_type_hints(kind, include_extras=True)
        values = {}
        for key, value in written.items():
            if not isinstance(key, str):
                self._refuse("keys must be texts", (*at, key))
            elif key not in fields:
                self._refuse(f"unknown key{nearest(key, tuple(fields))}", (*at, key))
            else:
                values[fields[key]] = self._value(hints[fields[key]], value, (*at, key))
        for key in section.required(kind):
            if key not in written:
                self._refuse("must be given", (*at, key))
        if len(self.faults) > before:
            return None
        try:
            return kind(**values)
        except ValueError as error:
            self._refuse(str(error), at)
            return None

    def _value(self, hint: Any, written: object, at: Place) -> Any:
        read = self._by_origin.get(typing.get_origin(hint))
        if read is not None:
            return read(typing.get_args(hint), written, at)
        if issubclass(hint, Section):
            return self.section(hint, written, at)
        if type(written) is not hint:
            self._refuse_type(_SINGLE[hint], written, at)
            return None
        return written

    def _checked(self, arguments: Sequence[Any], written: object, at: Place) -> Any:
        base, *rules = arguments
        before = len(self.faults)
        found = self._value(base, written, at)
        for rule in rules:
            if len(self.faults) > before:
                return None
            if isinstance(rule, ValueCheck):
                problem = rule.fault(found)
            else:
                wanted = _out_of_bounds(rule, found)
                problem = f"must be {wanted}, got {_shown(written)}" if wanted else ""
            if problem:
                self._refuse(problem, at)
        return found

    def _optional(self, arguments: Sequence[Any], written: object, at: Place) -> Any:
        return None if written is None else self._value(arguments[0], written, at)

    def _choice(self, choices: Sequence[str], written: object, at: Place) -> Any:
        if written is False and "off" in choices:  # YAML reads a bare ``off`` as false
            return "off"
        if not (isinstance(written, str) and written in choices):
            *others, last = (repr(choice) for choice in choices)
            self._refuse_type(f"one of {', '.join(others)} or {last}", written, at)
        return written

    def _list(self, arguments: Sequence[Any], written: object, at: Place) -> Any:
        if not isinstance(written, list | tuple):
            self._refuse_type("a list", written, at)
            return None
        each = arguments[0]
        return tuple(self._value(each, item, (*at, index)) for index, item in enumerate(written))

    def _mapping(self, arguments: Sequence[Any], written: object, at: Place) -> Any:
        if not isinstance(written, Mapping):
            self._refuse_type(_MAPPING, written, at)
            return None
        of_keys, of_values = arguments
        return {
            self._value(of_keys, key, (*at, key)): self._value(of_values, value, (*at, key))
            for key, value in written.items()
        }

    def _refuse_type(self, wanted: str, written: object, at: Place) -> None:
        self._refuse(f"must be {wanted}, got {_shown(written)}", at)

    def _refuse(self, problem: str, at: Place) -> None:
        path = ".".join(str(part) for part in at) or "the file"
        self.faults.append(Fault(path, problem))


def _out_of_bounds(rule: Meta, found: Any) -> str:
    """What is wanted instead of ``found``; empty: nothing."""
    is_text = isinstance(found, str)
    if rule.ge is not None and found < rule.ge:
        return f"at least {rule.ge}"
    if rule.le is not None and found > rule.le:
        return f"at most {rule.le}"
    if rule.min_length is not None and len(found) < rule.min_length:
        return f"a {'text' if is_text else 'list'} that is not empty"
    if rule.max_length is not None and len(found) > rule.max_length:
        return f"at most {rule.max_length} {'characters long' if is_text else 'entries'}"
    if rule.pattern is not None and not re.fullmatch(rule.pattern, found):
        return "a Kubernetes name (lower case letters, digits, '-' and '.')"
    return ""


def _shown(value: object) -> str:
    if value is None:
        return "nothing"
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
