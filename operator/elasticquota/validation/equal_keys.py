"""EQ1114: a field and the key of Koordinator that says the same do not differ.

Where only one of them changed, admission made the other follow (``wire.quota.equal_keys``).
"""

from collections.abc import Iterator
from typing import Final

from elasticquota import texts
from elasticquota.forest.structure import Forest
from elasticquota.forest.violation import Violation
from elasticquota.validation.change import Change
from elasticquota.validation.profile_change import ProfileChange


_SHOWN: Final = 200
"""Characters of a value."""


def check(change: Change | ProfileChange, forest: Forest) -> Iterator[Violation]:
    """Judge the differences that the edit makes; ``forest`` is not used."""
    del forest
    if change.new is None:
        return
    known = () if change.old is None else change.old.differences
    for each in change.new.differences:
        if each.written and each not in known:
            yield Violation(
                "EQ1114",
                f"spec.{each.field}",
                f"'{_cut(each.says)}' and '{_cut(each.written)}' of "
                f"metadata.{each.place}[{each.key}] must be the same",
                f"Leave the {each.place[:-1]} out, or change only one of them, and the other "
                "follows",
            )


def _cut(text: str) -> str:
    return texts.printable(text, _SHOWN)
