"""YuniKorn's ``queues.yaml`` -> partitions, queues and placement rules as written (Y6-Y8, Y11).

Takes the decoded document; the text is decoded where files and ConfigMaps are read. ``vcore`` is
cpu here: a plain number is cores, ``500m`` is half a core. Memory is bytes, with the suffixes of
Kubernetes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from elasticquota import names, quantity
from elasticquota.resources import Resources
from elasticquota.wire import amounts, fields


DEEPEST: Final = 32
"""Levels of queues, and of rules in rules, that are read."""

_VCORE: Final = "vcore"
_MOST: Final = 4096
_LONGEST: Final = 64
_QUEUE: Final = frozenset({"name", "parent", "resources", "properties", "queues", "childtemplate"})
_PARTITION: Final = frozenset({"name", "placementrules", "queues"})


@dataclass(frozen=True, slots=True)
class Limits:
    """What ``resources`` says."""

    guaranteed: Resources = field(default_factory=dict)
    max: Resources = field(default_factory=dict)


_NOTHING: Final = Limits()


@dataclass(frozen=True, slots=True)
class Queue:
    where: str
    """Its field path."""
    name: str
    parent: bool = False
    limits: Limits = _NOTHING
    template: Limits = _NOTHING
    """Of queues that are made below it by a placement rule."""
    properties: Mapping[str, str] = field(default_factory=dict)
    children: tuple["Queue", ...] = ()
    others: tuple[str, ...] = ()
    """Fields that it has besides, sorted."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A placement rule; ``parent`` says below which queue it places."""

    where: str
    name: str
    value: str = ""
    create: bool = False
    parent: "Rule | None" = None
    filtered: bool = False


@dataclass(frozen=True, slots=True)
class Partition:
    where: str
    name: str
    queues: tuple[Queue, ...] = ()
    rules: tuple[Rule, ...] = ()
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QueueConfig:
    partitions: tuple[Partition, ...] = ()
    faults: tuple[str, ...] = ()


def read(document: object) -> QueueConfig:
    """What could not be read is left out and named in ``faults`` with its path."""
    faults: list[str] = []
    written = fields.mapping(document, "queues.yaml", faults)
    listed = fields.sequence(written.get("partitions"), "partitions", faults, _MOST)
    partitions = tuple(
        _partition(entry, f"partitions[{index}]", faults) for index, entry in enumerate(listed)
    )
    if not partitions and not faults:
        faults.append("partitions: must be given")
    return QueueConfig(partitions, tuple(faults))


def _partition(written: object, where: str, faults: list[str]) -> Partition:
    found = fields.mapping(written, where, faults)
    listed = fields.sequence(found.get("placementrules"), f"{where}.placementrules", faults, _MOST)
    rules = [
        _rule(rule, f"{where}.placementrules[{index}]", 1, faults)
        for index, rule in enumerate(listed)
    ]
    return Partition(
        where,
        _text(found.get("name"), f"{where}.name", faults),
        _queues(found.get("queues"), f"{where}.queues", 1, faults),
        tuple(rule for rule in rules if rule is not None),
        tuple(sorted(fields.shown_key(key) for key in found.keys() - _PARTITION)),
    )


def _queues(written: object, where: str, level: int, faults: list[str]) -> tuple[Queue, ...]:
    listed = fields.sequence(written, where, faults, _MOST)
    if listed and level > DEEPEST:
        faults.append(f"{where}: is deeper than {DEEPEST} levels")
        return ()
    found = [
        _queue(queue, f"{where}[{index}]", level, faults) for index, queue in enumerate(listed)
    ]
    return tuple(queue for queue in found if queue is not None)


def _queue(written: object, where: str, level: int, faults: list[str]) -> Queue | None:
    found = fields.mapping(written, where, faults)
    name = found.get("name")
    # YAML reads a queue called 2024 as a number.
    name = str(name) if type(name) is int else name
    if not fields.is_text(name, _LONGEST):
        if isinstance(written, dict):
            faults.append(f"{where}.name: must be a name, got {fields.shown(name)}")
        return None
    template = fields.mapping(found.get("childtemplate"), f"{where}.childtemplate", faults)
    return Queue(
        where,
        # YuniKorn takes Sandbox and sandbox for one queue.
        name.lower(),
        found.get("parent") is True,
        _limits(found.get("resources"), f"{where}.resources", faults),
        _limits(template.get("resources"), f"{where}.childtemplate.resources", faults),
        _properties(found.get("properties"), f"{where}.properties", faults),
        _queues(found.get("queues"), f"{where}.queues", level + 1, faults),
        (
            *sorted(fields.shown_key(key) for key in found.keys() - _QUEUE),
            *sorted(
                f"childtemplate.{fields.shown_key(key)}" for key in template.keys() - {"resources"}
            ),
        ),
    )


def _rule(written: object, where: str, level: int, faults: list[str]) -> Rule | None:
    found = fields.mapping(written, where, faults)
    if not found:
        return None
    parent = None
    if found.get("parent") is not None and level < DEEPEST:
        parent = _rule(found["parent"], f"{where}.parent", level + 1, faults)
    return Rule(
        where,
        _text(found.get("name"), f"{where}.name", faults),
        _text(found.get("value"), f"{where}.value", faults),
        found.get("create") is True,
        parent,
        bool(found.get("filter")),
    )


def _properties(written: object, where: str, faults: list[str]) -> dict[str, str]:
    found = {}
    for key, value in fields.mapping(written, where, faults, _MOST).items():
        if isinstance(value, str | int | float):
            found[str(key)] = value if isinstance(value, str) else str(value).lower()
        else:
            faults.append(f"{amounts.path(where, key)}: must be a text, got {fields.shown(value)}")
    return found


def _limits(written: object, where: str, faults: list[str]) -> Limits:
    if written is None:
        return _NOTHING
    found = fields.mapping(written, where, faults)
    return Limits(
        _amounts(found.get("guaranteed"), f"{where}.guaranteed", faults),
        _amounts(found.get("max"), f"{where}.max", faults),
    )


def _amounts(written: object, where: str, faults: list[str]) -> dict[str, int]:
    listed = fields.mapping(written, where, faults, amounts.MOST)
    if names.CPU in listed:
        faults.append(f"{where}.{names.CPU}: limits nothing in YuniKorn, which calls it {_VCORE}")
        listed = {key: value for key, value in listed.items() if key != names.CPU}
    read = amounts.read_any(listed, where, faults, _unit)
    return {names.CPU if key == _VCORE else key: amount for key, amount in read.items()}


def _unit(resource: str, value: quantity.Written) -> int:
    return quantity.amount(names.CPU if resource == _VCORE else resource, value)


def _text(value: object, where: str, faults: list[str]) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value.lower()
    faults.append(f"{where}: must be a text, got {fields.shown(value)}")
    return ""
