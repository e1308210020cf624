"""Evaluates YuniKorn's placement rules: for each pod, and for namespaces as a whole (Y11, Y18).

A rule reads a name: what the pod says (``provided``), its ``user``, the value itself (``fixed``),
or a ``tag``. A name that begins with ``root.`` is a whole path. Any other is below the queue that
the rule ``parent`` gives, or below the root; dots in it become ``_dot_``, except in ``fixed``.

The first rule that gives a leaf decides, as in YuniKorn:

* A rule does not match if its name is empty, its filter excludes the user, its parent does not
  match, its queue does not exist and it may not create queues, its queue holds queues, or the user
  may not submit to it. Then the next rule is asked.
* A rule refuses if a name is no name of a queue, if its parent rule gives a leaf, or if the queue
  cannot be created because a queue above is a leaf. Then no further rule is asked.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

from elasticquota.integrations.translation.translation import Path
from elasticquota.integrations.yunikorn import queue_rules
from elasticquota.structs import Struct
from elasticquota.wire.codec import fields
from elasticquota.wire.integrations import placement_rules, queues
from elasticquota.wire.integrations.placement_rules import Filter, PlacementRule
from elasticquota.wire.integrations.queue_namespaces import QueueNamespace
from elasticquota.wire.integrations.queues import ROOT, ConfiguredQueue


TAG: Final = "tag"
NAMESPACE: Final = "namespace"
PARENT_TAG: Final = "namespace.parentqueue"
TAGS: Final = (NAMESPACE, PARENT_TAG)
"""The tags of pods; YuniKorn's other ones are no names of queues."""
FIXED: Final = "fixed"
PROVIDED: Final = "provided"
USER: Final = "user"
RECOVERY: Final = "@recovery@"
"""YuniKorn's own queue of pods that run and have no other; no pod may ask for it."""
_LONGEST: Final = 256
"""Characters of a name that patterns are matched against."""

Queues = Mapping[Path, list[ConfiguredQueue]]


class Applicant(Struct, frozen=True):
    """The facts about a pod that the rules read."""

    namespace: QueueNamespace
    queue: str = ""
    """The queue that the pod names; empty: none."""
    user: str = ""
    """The user who creates it; empty: not known."""
    groups: tuple[str, ...] = ()


class PlacementRefusal(NamedTuple):
    """Why the pod has no queue, whatever further rules say."""

    text: str


class RuleMatch(NamedTuple):
    """The leaf that a rule gives."""

    path: Path
    rule: PlacementRule


def find(
    rules: Iterable[PlacementRule], pod: Applicant, queues: Queues, admits: Callable[[Path], bool]
) -> RuleMatch | PlacementRefusal | None:
    """The leaf of the first rule that gives one; ``admits`` is whether the pod may go there."""
    for rule in rules:
        path = _evaluate(rule, pod, queues)
        if isinstance(path, PlacementRefusal):
            return path
        if path is None or is_parent(path, queues) or not admits(path):
            continue
        fault = "" if path in queues else _creation_fault(path, queues)
        return PlacementRefusal(fault) if fault else RuleMatch(path, rule)
    return None


def is_parent(path: Path, queues: Queues) -> bool:
    """Whether a queue holds queues: the root, queues with children, and those marked as parent."""
    return path == (ROOT,) or any(queue.parent or queue.children for queue in queues.get(path, ()))


def _evaluate(
    rule: PlacementRule, pod: Applicant, queues: Queues
) -> Path | PlacementRefusal | None:
    """The queue that the rule gives, which exists or may be created; None: it does not match."""
    name = _name(rule, pod)
    if not name or not _passes(rule.filter, pod):
        return None
    if rule.name != USER and (name == ROOT or name.startswith(f"{ROOT}.")):
        path = tuple(name.split("."))
    else:
        above: Path | PlacementRefusal | None = (ROOT,)
        if rule.parent is not None:
            above = _evaluate(rule.parent, pod, queues)
        if above is None or isinstance(above, PlacementRefusal):
            return above
        if above in queues and not is_parent(above, queues):
            return PlacementRefusal(f"the parent {'.'.join(above)} holds pods and no queues")
        parts = name.split(".") if rule.name == FIXED else [name.replace(".", "_dot_")]
        path = (*above, *parts)
    for part in path:
        if part == RECOVERY or not queue_rules.is_name(part):
            return PlacementRefusal(f"{fields.shown(part)} is no name of a queue")
    return path if path in queues or rule.create else None


def _creation_fault(path: Path, found: Queues) -> str:
    """Why the queue cannot be created; empty: it can."""
    if len(path) > queues.DEEPEST:
        return f"a queue has at most {queues.DEEPEST} levels, got {len(path)}"
    for depth in range(1, len(path)):
        if path[:depth] in found and not is_parent(path[:depth], found):
            above = ".".join(path[:depth])
            return f"{'.'.join(path)} cannot be created, because {above} holds pods and no queues"
    return ""


def _name(rule: PlacementRule, pod: Applicant) -> str:
    """The queue name that the rule reads; empty: none."""
    if rule.name == FIXED:
        return rule.value
    if rule.name == PROVIDED:
        return pod.queue.lower()
    if rule.name == USER:
        return pod.user.lower()
    if rule.name == TAG:
        space = pod.namespace
        return {NAMESPACE: space.name, PARENT_TAG: space.parent}.get(rule.value, "")
    return ""


def _passes(found: Filter | None, pod: Applicant) -> bool:
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
