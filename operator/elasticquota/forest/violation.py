"""A violation says what is wrong, with numbers, and what to do about it, under a stable code.

The wording follows the API conventions: `must` and `must not`, names in single quotes, amounts as
people write them. Every text is shown on one line of a terminal, so it has only printable
characters.
"""

from collections.abc import Iterable, Sequence
from typing import Final, Literal

from elasticquota import names, texts
from elasticquota.forest import wording
from elasticquota.model.fault import Fault
from elasticquota.model.quota import Quota
from elasticquota.structs import Struct


SHOWN: Final = 5
"""How many faults, children or pods a message lists before it counts the rest."""

Kind = Literal["invalid", "forbidden", "conflict"]


class Violation(Struct, frozen=True):
    """One broken rule; ``field`` is a path into the object, empty for the object itself."""

    rule: str
    """The row of ``severity.TABLE``: the code, with a suffix for another side of the rule."""
    field: str
    message: str
    remedy: str = ""
    kind: Kind = "invalid"
    """invalid: the object is wrong; forbidden: never allowed; conflict: not allowed now."""
    more: str = ""
    """A command that shows more; empty where the message says it all."""

    @property
    def code(self) -> str:
        """The code that users look up, such as ``EQ1104``."""
        return self.rule.partition("-")[0]

    @property
    def sentence(self) -> str:
        """Message, remedy, where to read more, and code."""
        end = "" if self.remedy.endswith("?") else "."
        remedy = f" {self.remedy}{end}" if self.remedy else ""
        more = f" More: {self.more}" if self.more else ""
        return texts.printable(f"{self.message}.{remedy}{more} [{self.code}]")

    @property
    def line(self) -> str:
        """Field and sentence."""
        return f"{texts.printable(self.field)}: {self.sentence}" if self.field else self.sentence


def of_fault(rule: str, fault: Fault) -> Violation:
    """Return the violation of ``rule``, or the fault's own, that reading an object found."""
    return Violation(fault.rule or rule, fault.path, fault.message, fault.remedy)


def render(subject: str, violations: Sequence[Violation]) -> str:
    """Format the whole refusal in one line: ``ElasticQuota ns/n: field: sentence; and 2 more``."""
    return f"{texts.printable(subject)}: {first([each.line for each in violations])}"


def first(lines: Sequence[str]) -> str:
    """Return the first five lines as one, then ``and N more``."""
    more = [f"and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
    return "; ".join([*lines[:SHOWN], *more])


def listed(items: Iterable[str], *, more: bool = False) -> str:
    """List the first five items, then ``and N more``; ``more``: there are others, not counted."""
    return wording.named(list(items), SHOWN, more=more)


def explain(quota: str) -> str:
    """Return the command that shows the figures of ``quota``."""
    return f"kubectl elastic-quota explain quota {quota}"


def label(key: str) -> str:
    """Return the field path of a label."""
    return f"metadata.labels[{key}]"


def setting(quota: Quota, field: str) -> str:
    """Return the path at which the quota has a setting: the field, or the key of Koordinator."""
    if field in quota.stated:
        return f"spec.{field}"
    key = names.EQUAL_KEYS[field]
    return label(key) if field in names.EQUAL_LABELS else annotation(key)


def tree_title(tree_id: str) -> str:
    """Return the tree as sentences name it."""
    return f"tree '{tree_id}'" if tree_id else "the default tree"


def annotation(key: str) -> str:
    """Return the field path of an annotation."""
    return f"metadata.annotations[{key}]"
