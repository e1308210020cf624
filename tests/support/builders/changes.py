"""Edits of a forest in one line, for tests of rules: the forest before, and the entry after.

Both are written in the text form of ``forests``; an entry whose name the forest does not have is a
creation. ``lines(parentage.check, "a; b<a", "a<b")`` is what the rule says about the edit.
"""

from collections.abc import Callable, Iterable
from typing import Any

import forests
from elasticquota.forest.structure import Forest
from elasticquota.forest.violation import Violation
from elasticquota.structs import replace
from elasticquota.validation.change import Change


Rule = Callable[[Change, Forest], Iterable[Violation]]


def change(before: str, entry: str, **facts: Any) -> Change:
    """The creation or edit of the quota in ``entry``."""
    name = entry.split(maxsplit=1)[0].partition("<")[0]
    stored = [quota for quota in forests.quotas(before) if quota.name == name]
    others = "; ".join(
        each for each in before.split(";") if each.split()[:1] and _name(each) != name
    )
    new = next(quota for quota in forests.quotas(f"{others}; {entry}") if quota.name == name)
    old = next((quota for quota in stored if quota.key == new.key), None)
    if old is not None:
        new = replace(new, uid=old.uid, created=old.created)
    return Change(old, new, **facts)


def removal(before: str, name: str, **facts: Any) -> Change:
    """The deletion of a quota."""
    return Change(forests.forest(before).quotas[name], None, **facts)


def lines(rule: Rule, before: str, entry: str, **facts: Any) -> list[str]:
    """The errors that ``rule`` finds in the edit."""
    found = rule(change(before, entry, **facts), forests.forest(before))
    return [violation.line for violation in found]


def _name(entry: str) -> str:
    return entry.split(maxsplit=1)[0].partition("<")[0]
