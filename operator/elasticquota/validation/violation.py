"""A violation says what is wrong, with numbers, and what can be done about it, under a stable code.

The wording follows the API conventions: `must` and `must not`, names in single quotes, amounts as
people write them. Every text ends up on one line of a terminal, so nothing unprintable passes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal


SHOWN: Final = 5
"""How many faults, children or pods a message lists before it counts the rest."""

Kind = Literal["invalid", "forbidden", "conflict"]


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken rule; ``field`` is a path into the object, empty when it is the object itself."""

    rule: str
    """The row of ``validation.TABLE``: the code, and which side of the rule where it has two."""
    field: str
    message: str
    remedy: str = ""
    kind: Kind = "invalid"
    """invalid: the object is wrong; forbidden: nobody may do this; conflict: not at this moment."""

    @property
    def code(self) -> str:
        """What people look up."""
        return self.rule.partition("-")[0]

    @property
    def sentence(self) -> str:
        """Message, remedy and code."""
        remedy = f" {self.remedy}." if self.remedy else ""
        return printable(f"{self.message}.{remedy} [{self.code}]")

    @property
    def line(self) -> str:
        """The sentence behind its field."""
        return f"{printable(self.field)}: {self.sentence}" if self.field else self.sentence


def of_fault(rule: str, fault: str) -> Violation:
    """What the reading of an object found: ``field: message``."""
    field, _, message = fault.partition(": ")
    return Violation(rule, field, message)


def render(subject: str, violations: Sequence[Violation]) -> str:
    """One line for the whole refusal: ``ElasticQuota ns/name: field: sentence; and 2 more``."""
    lines = [violation.line for violation in violations[:SHOWN]]
    if len(violations) > SHOWN:
        lines.append(f"and {len(violations) - SHOWN} more")
    return f"{printable(subject)}: {'; '.join(lines)}"


def listed(items: Iterable[str], *, more: bool = False) -> str:
    """The first five, then ``and N more``; ``more`` when there are others that nobody counted."""
    every = list(items)
    hidden = len(every) - SHOWN
    text = ", ".join(every[:SHOWN])
    if hidden > 0:
        return f"{text} and {'at least ' if more else ''}{hidden} more"
    return f"{text} and more" if more else text


def label(key: str) -> str:
    """The field path of a label."""
    return f"metadata.labels[{key}]"


def annotation(key: str) -> str:
    """The field path of an annotation."""
    return f"metadata.annotations[{key}]"


def printable(text: str) -> str:
    """The text without control characters: names in a hostile request may contain anything."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else "?" for character in text)
