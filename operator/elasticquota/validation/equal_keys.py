"""EQ1114: a field and the key of Koordinator that says the same do not differ.

Where only one of them changed, admission made the other follow (``wire.quota.equal_keys``).
"""

from collections.abc import Iterator

from elasticquota.forest.structure import Forest
from elasticquota.validation.change import Change
from elasticquota.validation.violation import Violation


def check(change: Change, forest: Forest) -> Iterator[Violation]:
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
                f"'{each.says}' and '{each.written}' of metadata.{each.place}[{each.key}] must be "
                "the same",
                f"Leave the {each.place[:-1]} out, or change only one of them, and the other "
                "follows",
            )
