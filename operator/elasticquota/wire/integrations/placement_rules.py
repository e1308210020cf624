"""Placement rules of YuniKorn's ``queues.yaml`` as written (Y11): the queue of an application.

This module only reads the rules. ``integrations.yunikorn.placement`` applies them to namespaces,
``integrations.yunikorn.pod_queues`` to pods. A field that YuniKorn does not know is a fault here,
too.
"""

import re
from functools import lru_cache
from typing import Final

from elasticquota.model.fault import Fault
from elasticquota.structs import Struct
from elasticquota.wire.codec import fields


DEEPEST: Final = 32
"""Levels of nested rules that are read."""

_MOST: Final = 4096
_RULE: Final = frozenset({"name", "value", "create", "parent", "filter"})
_FILTER: Final = frozenset({"type", "users", "groups"})
_SPECIAL: Final = re.compile(r"[\^$*+?()\[{}|]")
_LONGEST_PATTERN: Final = 256


class Filter(Struct, frozen=True):
    """The users and groups to which a rule applies; without names it allows or denies all."""

    allows: bool
    users: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    """In users and groups, the entry of a list with only one entry may be a pattern."""


class PlacementRule(Struct, frozen=True):
    """A placement rule; the rule ``parent`` gives the parent of the queue."""

    where: str
    name: str
    value: str = ""
    create: bool = False
    parent: "PlacementRule | None" = None
    filter: Filter | None = None

    @property
    def text(self) -> str:
        """Name and value, for messages."""
        return " ".join(part for part in (self.name, self.value) if part)

    @property
    def chain(self) -> "tuple[PlacementRule, ...]":
        """The rule, the one that gives its parent, and so on."""
        return (self, *(() if self.parent is None else self.parent.chain))


def read(written: object, where: str, faults: list[Fault]) -> tuple[PlacementRule, ...]:
    """Return the rules at ``where``; ``faults`` names each unreadable part, which is left out."""
    listed = fields.sequence(written, where, faults, _MOST)
    found = (_rule(each, f"{where}[{index}]", 1, faults) for index, each in enumerate(listed))
    return tuple(rule for rule in found if rule is not None)


@lru_cache(maxsize=256)
def pattern(text: str) -> re.Pattern[str] | None:
    """Return the entry of a filter as a pattern; None if it is a name. Raises ``re.error``."""
    return re.compile(text) if _SPECIAL.search(text) else None


def _rule(written: object, where: str, level: int, faults: list[Fault]) -> PlacementRule | None:
    rule = fields.mapping(written, where, faults)
    if not rule:
        return None
    fields.no_others(rule, _RULE, where, "a placement rule", faults)
    parent = None
    if rule.get("parent") is not None and level < DEEPEST:
        parent = _rule(rule["parent"], f"{where}.parent", level + 1, faults)
    return PlacementRule(
        where,
        fields.word(rule.get("name"), f"{where}.name", faults),
        fields.word(rule.get("value"), f"{where}.value", faults),
        rule.get("create") is True,
        parent,
        _filter(rule["filter"], f"{where}.filter", faults) if rule.get("filter") else None,
    )


def _filter(written: object, where: str, faults: list[Fault]) -> Filter:
    found = fields.mapping(written, where, faults)
    fields.no_others(found, _FILTER, where, "a filter", faults)
    kind = fields.word(found.get("type"), f"{where}.type", faults)
    if kind not in ("", "allow", "deny"):
        faults.append(fields.mismatch(f"{where}.type", "allow or deny", kind))
    sides = (_people(found.get(side), f"{where}.{side}", faults) for side in ("users", "groups"))
    return Filter(kind != "deny", *sides)


def _people(written: object, where: str, faults: list[Fault]) -> tuple[str, ...]:
    people = []
    listed = fields.sequence(written, where, faults, _MOST)
    for index, entry in enumerate(listed):
        if not fields.is_text(entry, _LONGEST_PATTERN):
            faults.append(fields.mismatch(f"{where}[{index}]", "a name", entry))
        elif len(listed) > 1 or _compiles(entry):
            people.append(entry)
        else:
            faults.append(fields.mismatch(f"{where}[0]", "a name or a pattern", entry))
    return tuple(people)


def _compiles(text: str) -> bool:
    try:
        pattern(text)
    except re.error:
        return False
    return True
