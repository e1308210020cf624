"""A field holds what it should, or a sentence names its path and says what stands there instead.

For documents whose shape nobody guarantees: custom resources that were stored under another schema
than ours, and JSON in annotations. What fits is kept, what does not is left out, null is the same
as absent, and a list or map that is too long is cut, so that no object costs more than its share.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, TypeGuard

import msgspec


_LABEL_VALUE: Final = re.compile(r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")
_LONGEST_NAME: Final = 253 + 1 + 63
_SHOWN: Final = 40
_LONGEST_ANNOTATION: Final = 64 * 1024
_MOST_BITS_SHOWN: Final = 128
_NAME: Final = re.compile(
    r"(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
)


def mapping(
    value: object, where: str, faults: list[str], most: int | None = None
) -> Mapping[str, Any]:
    """The map; of more than ``most`` entries the first ones by key."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        faults.append(f"{where}: must be a map, got {shown(value)}")
        return {}
    if most is not None and len(value) > most:
        faults.append(_too_long(where, len(value), most, "by name"))
        return dict(sorted(value.items())[:most])
    return value


def no_others(
    found: Mapping[str, Any], known: Collection[str], where: str, what: str, faults: list[str]
) -> None:
    """A field that is not ``known``: it may be a limit with a letter too many."""
    unread = found.keys() - known
    if not unread:
        return  # as nearly always
    for key in sorted(map(str, unread)):
        at = ".".join(part for part in (where, shown_key(key)) if part)
        faults.append(f"{at}: is no field of {what}")


def sequence(value: object, where: str, faults: list[str], most: int) -> Sequence[Any]:
    """The list; of more than ``most`` items the first ones."""
    if value is None:
        return ()
    if not isinstance(value, list):
        faults.append(f"{where}: must be a list, got {shown(value)}")
        return ()
    if len(value) > most:
        faults.append(_too_long(where, len(value), most, "in order"))
        return value[:most]
    return value


def labels(value: object, where: str, faults: list[str], most: int) -> dict[str, str]:
    """A map of labels."""
    found = {}
    for key, entry in mapping(value, where, faults, most).items():
        if not is_name(key):
            faults.append(f"{where}: {shown(key)} is not the name of a label")
        elif (label := label_value(entry, f"{where}.{key}", faults)) is not None:
            found[key] = label
    return found


def label_value(value: object, where: str, faults: list[str]) -> str | None:
    """The value of a label, or None when it is none."""
    if isinstance(value, str) and _LABEL_VALUE.fullmatch(value):
        return value
    faults.append(
        f"{where}: must be a text of at most 63 letters, digits, '-', '_' and '.', "
        f"got {shown(value)}"
    )
    return None


def is_name(value: object) -> TypeGuard[str]:
    """A qualified name, the grammar of label keys and resource names: ``cpu``, ``example.com/x``.

    Everything that passes may stand in a message as it is.
    """
    return isinstance(value, str) and len(value) <= _LONGEST_NAME and _is_name(value)


@lru_cache(maxsize=4096)
def _is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None


def is_text(value: object, longest: int) -> TypeGuard[str]:
    """A name of no grammar, in one line: printable, and not empty."""
    return isinstance(value, str) and 0 < len(value) <= longest and value.isprintable()


def word(value: object, where: str, faults: list[str]) -> str:
    """The text in lower case; empty when there is none."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value.lower()
    faults.append(f"{where}: must be a text, got {shown(value)}")
    return ""


def decoded(text: str, where: str, faults: list[str], wanted: str, kind: type) -> Any:
    """The JSON in an annotation, or None with a fault when it is not of that kind."""
    if len(text) > _LONGEST_ANNOTATION:
        faults.append(f"{where}: must not be longer than {_LONGEST_ANNOTATION} characters")
        return None
    try:
        found = msgspec.json.decode(text)
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, kind):
        return found
    faults.append(f"{where}: must be a JSON {wanted}, got {shown(text)}")
    return None


def shown_key(key: object) -> str:
    """The key of a map as it may stand in a message."""
    return key if is_name(key) else shown(key)


def shown(value: object) -> str:
    """The value as it may stand in a message: one line, printable, about 40 characters at most."""
    if isinstance(value, str):
        clean = "".join(each if each.isprintable() else "?" for each in value[:_SHOWN])
        return f"'{clean}...'" if len(value) > _SHOWN else f"'{clean}'"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "a map"
    if isinstance(value, int) and value.bit_length() > _MOST_BITS_SHOWN:
        return "a huge number"
    return "null" if value is None else str(value).lower()


def _too_long(where: str, length: int, most: int, order: str) -> str:
    return (
        f"{where}: must not have more than {most} entries, got {length}; "
        f"the first {most} {order} count"
    )
