"""Finds the queue of a pod by YuniKorn's placement rules (Y11, Y12, Y14).

The first rule that gives a leaf decides: a configured leaf, or a new one if the rule may create
queues. Queues that a rule finds by the namespace alone are made for the namespace, all others for
the pods that are put there (``requested_queues``). A rule is skipped if its filter excludes the
user, if it gives a parent queue, or if YuniKorn does not allow the queue's name. When no rule gives
a queue, the pod is in ``root.default`` if that is a leaf.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from elasticquota.integrations.translation.translation import Path
from elasticquota.integrations.yunikorn import placement, queue_rules
from elasticquota.wire.integrations import placement_rules, queues
from elasticquota.wire.integrations.placement_rules import Filter, Rule
from elasticquota.wire.integrations.queue_namespaces import QueueNamespace
from elasticquota.wire.integrations.queues import ROOT, Partition


# YuniKorn's rules for a configuration without rules.
_USUAL: Final = (Rule("", "provided"),)
_LONGEST: Final = 256
"""Characters of a name that patterns are matched against."""


@dataclass(frozen=True, slots=True)
class Applicant:
    """The facts about a pod that the rules read."""

    namespace: QueueNamespace
    queue: str = ""
    """The queue that the pod names; empty: none."""
    user: str = ""
    """The user who creates it; empty: not known."""
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """The leaf for a pod."""

    path: Path
    for_pods: bool = False
    """Whether it is made for pods: neither configured nor made for a namespace."""


class Placements:
    """Applies the placement rules of one partition."""

    def __init__(self, partition: Partition) -> None:
        self._rules = partition.rules or _USUAL
        self._queues = placement.by_path(partition.root)

    @property
    def tried(self) -> str:
        """The rules in their order, for messages."""
        return ", ".join(" below ".join(_said(rule)) for rule in self._rules)

    def place(self, pod: Applicant) -> Place | None:
        """The leaf of the pod; None: no rule gives one, and ``root.default`` is no leaf."""
        for rule in self._rules:
            path = self._path(rule, pod)
            if path is None:
                continue
            if path in self._queues:
                if not placement.is_parent(path, self._queues):
                    return Place(path)
            elif self._can_make(path):
                return Place(path, for_pods=not placement.goes_by_namespace(rule))
        default = placement.default_of(self._queues)
        return None if default is None else Place(default)

    def _can_make(self, path: Path) -> bool:
        return (
            len(path) <= queues.DEEPEST
            and all(queue_rules.is_name(part) for part in path)
            and self._can_hold(path[:-1])
        )

    def _path(self, rule: Rule, pod: Applicant) -> Path | None:
        """The queue that the rule gives for the pod; None: none."""
        name = _name(rule, pod)
        if not name or not _lets_in(rule.filter, pod):
            return None
        if name.startswith(f"{ROOT}."):
            path = tuple(name.split("."))
        else:
            above = self._above(rule, pod)
            if above is None:
                return None
            path = (*above, *(name.split(".") if rule.name == placement.FIXED else (_part(name),)))
        return path if path in self._queues or rule.create else None

    def _above(self, rule: Rule, pod: Applicant) -> Path | None:
        if rule.parent is None:
            return (ROOT,)
        above = self._path(rule.parent, pod)
        return above if above is not None and self._can_hold(above) else None

    def _can_hold(self, path: Path) -> bool:
        """Whether the queue and all above it are parents, or can be made as such."""
        return all(
            path[:depth] not in self._queues or placement.is_parent(path[:depth], self._queues)
            for depth in range(1, len(path) + 1)
        )


def _name(rule: Rule, pod: Applicant) -> str:
    """The queue name that the rule reads; empty: none."""
    match rule.name:
        case placement.FIXED:
            return rule.value
        case "provided":
            return pod.queue.lower()
        case "user":
            return pod.user.lower()
        case placement.TAG:
            space = pod.namespace
            tags = {placement.NAMESPACE: space.name, placement.PARENT_TAG: space.parent}
            return tags.get(rule.value, "")
        case _:
            return ""


def _part(name: str) -> str:
    """A name as one element of a path."""
    return name.replace(".", "_dot_")


def _lets_in(found: Filter | None, pod: Applicant) -> bool:
    if found is None:
        return True
    if not (found.users or found.groups):
        return found.allows
    listed = _is_listed(pod.user, found.users) or any(
        _is_listed(group, found.groups) for group in pod.groups
    )
    return listed == found.allows


def _is_listed(name: str, listed: tuple[str, ...]) -> bool:
    """Whether the list contains the name; a single entry may be a pattern."""
    if len(listed) == 1 and (pattern := placement_rules.pattern(listed[0])) is not None:
        return pattern.search(name[:_LONGEST]) is not None
    return name in listed


def _said(rule: Rule) -> Iterator[str]:
    yield " ".join(part for part in (rule.name, rule.value) if part)
    if rule.parent is not None:
        yield from _said(rule.parent)
