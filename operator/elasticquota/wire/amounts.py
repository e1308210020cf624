"""Resource maps as people write them -> accounting units, with a sentence for every bad entry.

A bad entry is left out of the result and named in the faults; the good entries still count.
"""

import msgspec

from elasticquota import quantity
from elasticquota.resources import Resources


Written = dict[str, str | int | float]
_LONGEST_ANNOTATION = 64 * 1024


def read(written: Written | None, where: str, faults: list[str]) -> Resources:
    """Accounting units of ``written``; ``where`` is the field path used in the sentences."""
    amounts: dict[str, int] = {}
    for resource, value in sorted((written or {}).items()):
        try:
            amount = quantity.amount(resource, value)
        except quantity.QuantityError as error:
            faults.append(f"{where}.{resource}: {error}")
            continue
        if amount < 0:
            faults.append(f"{where}.{resource}: must not be negative, got {value}")
            continue
        amounts[resource] = amount
    return amounts


def read_json(text: str, where: str, faults: list[str]) -> Resources | None:
    """A resource map kept as JSON in an annotation; None when absent or no such map."""
    if not text:
        return None
    if len(text) > _LONGEST_ANNOTATION:
        faults.append(f"{where}: must not be longer than {_LONGEST_ANNOTATION} characters")
        return None
    try:
        written = msgspec.json.decode(text, type=Written)
    except (msgspec.DecodeError, RecursionError):
        faults.append(f'{where}: must be a JSON map like {{"cpu": "4"}}, got {shown(text)}')
        return None
    return read(written, where, faults)


def read_names(text: str, where: str, faults: list[str]) -> tuple[str, ...] | None:
    """A JSON list of names kept in an annotation; None when absent or no such list."""
    if not text:
        return None
    try:
        return tuple(msgspec.json.decode(text, type=list[str]))
    except (msgspec.DecodeError, RecursionError):
        faults.append(f'{where}: must be a JSON list like ["a", "b"], got {shown(text)}')
        return None


def shown(text: str) -> str:
    """The text as it may stand in a message: one line, printable, at most 40 characters."""
    clean = "".join(character if character.isprintable() else "?" for character in text[:41])
    return f"'{clean[:40]}...'" if len(text) > 40 else f"'{clean}'"
