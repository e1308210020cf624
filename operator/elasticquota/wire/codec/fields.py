"""Read a field of the expected type, or add a fault with its path and the value found there.

For documents without a guaranteed shape: custom resources stored under another schema than ours,
and JSON in annotations. Valid parts are kept and invalid parts left out; null counts as absent. A
list or map that is too long is cut, so that no single object costs too much time.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, TypeGuard, get_args

import msgspec

from elasticquota import texts
from elasticquota.model.fault import Fault
from elasticquota.wire.codec import shallow


_LABEL_VALUE: Final = re.compile(r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")
_LONGEST_NAME: Final = 253 + 1 + 63
_SHOWN: Final = 40
_LONGEST_ANNOTATION: Final = 64 * 1024
_MOST_BITS_SHOWN: Final = 128
_NAME: Final = re.compile(
    r"(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
)


def mapping(
    value: object, where: str, faults: list[Fault], most: int | None = None
) -> Mapping[str, Any]:
    """Return the map; when it is too long, its first ``most`` entries by key."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        faults.append(mismatch(where, "a map", value))
        return {}
    if most is not None and len(value) > most:
        faults.append(_too_long(where, len(value), most, "by name"))
        return dict(sorted(value.items())[:most])
    return value


def record(
    value: object, where: str, what: str, known: Collection[str], faults: list[Fault]
) -> Mapping[str, Any]:
    """Return the map, with a fault for each field of ours that is not ``known``."""
    if value is None:
        return {}  # the usual case
    found = mapping(value, where, faults)
    no_others(found, known, where, what, faults, nearest=True)
    return found


def no_others(
    written: Mapping[str, Any],
    known: Collection[str],
    where: str,
    what: str,
    faults: list[Fault],
    *,
    nearest: bool = False,
) -> None:
    """Add a fault for each field that is not ``known``: it may be a misspelled limit.

    The ``nearest`` one is named, or all.
    """
    unread = written.keys() - known if written else ()
    if not unread:
        return  # the usual case
    for key in sorted(map(str, unread)):
        at = ".".join(part for part in (where, shown_key(key)) if part)
        hint = near(key, known) if nearest else ""
        faults.append(Fault(at, f"is no field of {what}{hint}"))


def near(name: str, known: Collection[str]) -> str:
    """Return the end of a fault about an unknown ``name``: the nearest known one, or all."""
    found = texts.nearest(name, known)
    return f"; did you mean {found}?" if found else f"; it takes {', '.join(known)}"


def sequence(value: object, where: str, faults: list[Fault], most: int) -> Sequence[Any]:
    """Return the list; when it is too long, its first ``most`` items."""
    if value is None:
        return ()
    if not isinstance(value, list):
        faults.append(mismatch(where, "a list", value))
        return ()
    if len(value) > most:
        faults.append(_too_long(where, len(value), most, "in order"))
        return value[:most]
    return value


def listed(
    value: object,
    where: str,
    most: int,
    is_valid: Callable[[object], TypeGuard[str]],
    wanted: str,
    faults: list[Fault],
) -> tuple[str, ...]:
    """Return the valid texts of a list; ``wanted`` says what each must be."""
    valid: list[str] = []
    for index, item in enumerate(sequence(value, where, faults, most)):
        if is_valid(item):
            valid.append(item)
        else:
            faults.append(mismatch(f"{where}[{index}]", wanted, item))
    return tuple(valid)


def labels(value: object, where: str, faults: list[Fault], most: int) -> dict[str, str]:
    """Return the valid entries of a map of labels."""
    found = {}
    for key, entry in mapping(value, where, faults, most).items():
        if not is_name(key):
            faults.append(Fault(where, f"{shown(key)} is not the name of a label"))
        elif (label := label_value(entry, f"{where}.{key}", faults)) is not None:
            found[key] = label
    return found


def label_value(value: object, where: str, faults: list[Fault]) -> str | None:
    """Return the value if it is a valid label value, else None."""
    wanted = "be a text of at most 63 letters, digits, '-', '_' and '.'"
    return matching(value, _LABEL_VALUE, where, wanted, faults)


def matching(
    value: object, form: re.Pattern[str], where: str, wanted: str, faults: list[Fault]
) -> str | None:
    """Return the text if it has the form, else None; ``wanted`` says what the value must."""
    if isinstance(value, str) and form.fullmatch(value):
        return value
    faults.append(Fault(where, f"must {wanted}, got {shown(value)}"))
    return None


def is_name(value: object) -> TypeGuard[str]:
    """Whether it is a qualified name, as label keys and resources have: ``cpu``, ``example.com/x``.

    Such a name can be quoted in a message unchanged.
    """
    return isinstance(value, str) and len(value) <= _LONGEST_NAME and _is_name(value)


@lru_cache(maxsize=4096)
def _is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None


def is_text(value: object, longest: int) -> TypeGuard[str]:
    """Whether it is a printable text of one line, not empty and at most ``longest`` characters."""
    return isinstance(value, str) and 0 < len(value) <= longest and value.isprintable()


def is_count(value: object, most: int = 10**9) -> TypeGuard[int]:
    """Whether it is a whole number from 0 to ``most``; true and false are none."""
    return type(value) is int and 0 <= value <= most


def text(value: object) -> str:
    """Return the text; empty if it is absent or no text, which is no fault here."""
    return value if isinstance(value, str) else ""


def switch(
    value: object, where: str, faults: list[Fault], counts_as: str = "missing"
) -> bool | None:
    """Return true or false; None if it is absent or neither, and ``counts_as`` says what holds."""
    if isinstance(value, bool | None):
        return value
    faults.append(
        Fault(where, f"must be true or false, got {shown(value)}, which counts as {counts_as}")
    )
    return None


def choice(
    written: Mapping[str, Any],
    where: str,
    words: Any,
    faults: list[Fault],
    counts_as: str = "missing",
) -> str:
    """Return the value of the last field of the path ``where`` if it is one of the ``words`` of a
    Literal; else empty, as without one.
    """
    value = written.get(where.rpartition(".")[2])
    if value is None:
        return ""
    known: tuple[str, ...] = get_args(words)
    if isinstance(value, str) and value in known:
        return value
    wanted = f"must be one of {', '.join(known)}"
    faults.append(Fault(where, f"{wanted}, got {shown(value)}, which counts as {counts_as}"))
    return ""


def word(value: object, where: str, faults: list[Fault]) -> str:
    """Return the text in lower case; empty if it is absent or no text."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value.lower()
    faults.append(mismatch(where, "a text", value))
    return ""


def decoded(text: str, where: str, faults: list[Fault], wanted: str, kind: type) -> Any:
    """Return the JSON value of an annotation; None and a fault if it is not of that type."""
    if len(text) > _LONGEST_ANNOTATION:
        faults.append(Fault(where, f"must not be longer than {_LONGEST_ANNOTATION} characters"))
        return None
    try:
        content = text.encode()
        found = None if shallow.is_deep(content) else msgspec.json.decode(content)
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, kind):
        return found
    faults.append(mismatch(where, f"a JSON {wanted}", text))
    return None


def mismatch(where: str, wanted: str, value: object) -> Fault:
    """Return the fault of a value that is not what it must be: ``wanted``, such as ``a name``."""
    return Fault(where, f"must be {wanted}, got {shown(value)}")


def shown_key(key: object) -> str:
    """Return the key of a map in a form that is safe in a message."""
    return key if is_name(key) else shown(key)


def shown(value: object) -> str:
    """Return the value for a message: one printable line, at most about 40 characters."""
    if isinstance(value, str):
        clean = texts.printable(value[:_SHOWN])
        return f"'{clean}...'" if len(value) > _SHOWN else f"'{clean}'"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "a map"
    if isinstance(value, int) and value.bit_length() > _MOST_BITS_SHOWN:
        return "a huge number"
    return "null" if value is None else str(value).lower()


def _too_long(where: str, length: int, most: int, order: str) -> Fault:
    return Fault(
        where,
        f"must not have more than {most} entries, got {length}; the first {most} {order} count",
    )
