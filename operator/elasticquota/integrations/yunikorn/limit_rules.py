"""Checks limits of users and groups for what YuniKorn refuses (Y9, Y25), with paths of faults.

* A limit names users or groups, each once per queue, and the amounts that they may have.
* ``*`` stands for all others: it comes after all names, and for groups there must be a name.
* A partition and its root queue have the same limits, if both state any.
* A user or group may not have more than the queue has, nor more than it is allowed by the nearest
  queue above with limits.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from elasticquota import quantity, resources
from elasticquota.integrations.translation.translation import Path
from elasticquota.model import limit
from elasticquota.model.fault import Fault
from elasticquota.resources import Resources
from elasticquota.structs import replace
from elasticquota.wire.codec import fields
from elasticquota.wire.integrations import queue_limits, queues
from elasticquota.wire.integrations.queue_limits import QueueLimit
from elasticquota.wire.integrations.queues import ConfiguredQueue, Partition


_NAMES: Final = {
    "user": re.compile(r"[_a-zA-Z][a-zA-Z0-9:#/_.@-]*[$]?"),
    "group": re.compile(r"[_a-zA-Z][a-zA-Z0-9:_.-]*"),
}
_text: Final = quantity.text
_called: Final = queue_limits.called


class _Allowed(NamedTuple):
    """What a queue allows one user or group."""

    max: Resources
    applications: int
    queue: str


_Subject = tuple[str, str]
"""Kind and name."""


def faults(partition: Partition) -> Iterator[Fault]:
    """All faults; empty: YuniKorn accepts the limits of partition and queues."""
    root, said = partition.root, partition.user_limits
    if said and list(map(_content, said)) != list(map(_content, root.user_limits)):
        yield Fault(f"{partition.where}.limits", "must be those of the root queue, if that has any")
        yield from _of_list(said, root, queues.ROOT)
    yield from _of_queue(root, (queues.ROOT,), {})


def _content(found: QueueLimit) -> QueueLimit:
    return replace(found, where="", others=())


def _of_queue(
    queue: ConfiguredQueue, path: Path, above: Mapping[_Subject, _Allowed]
) -> Iterator[Fault]:
    called = ".".join(path)
    yield from _of_list(queue.user_limits, queue, called)
    here: dict[_Subject, _Allowed] = {}
    for user_limit in queue.user_limits:
        for subject in _subjects(user_limit):
            most, applications = user_limit.max or {}, user_limit.most_applications or 0
            upper = above.get(subject)
            if upper is not None:
                yield from _beyond(user_limit, subject, upper)
                most = resources.minimum(most, upper.max)
                applications = min(applications or upper.applications, upper.applications)
            here[subject] = _Allowed(most, applications, called)
    for child in queue.children:
        yield from _of_queue(child, (*path, child.name), here if queue.user_limits else above)


def _subjects(found: QueueLimit) -> Iterator[_Subject]:
    yield from (("user", name) for name in found.users)
    yield from (("group", name) for name in found.groups)


def _beyond(found: QueueLimit, subject: _Subject, upper: _Allowed) -> Iterator[Fault]:
    allowed = f"what {upper.queue} allows {' '.join(subject)}"
    most, count = found.max or {}, found.most_applications or 0
    for key in resources.exceeding(most, upper.max):
        text = f"{_text(key, most[key])} is above {_text(key, upper.max[key])}, {allowed}"
        yield Fault(f"{found.where}.maxresources.{_called(key)}", text)
    if upper.applications and not 0 < count <= upper.applications:
        yield Fault(
            f"{found.where}.maxapplications",
            f"must be from 1 to {upper.applications}, {allowed}, got {count}",
        )


def _of_list(
    limits: tuple[QueueLimit, ...], queue: ConfiguredQueue, called: str
) -> Iterator[Fault]:
    seen: dict[str, set[str]] = {"user": set(), "group": set()}
    for found in limits:
        if not (found.users or found.groups):
            yield Fault(found.where, "must name users or groups")
        yield from _named("user", found.users, f"{found.where}.users", seen["user"])
        yield from _named("group", found.groups, f"{found.where}.groups", seen["group"])
        if seen["group"] == {limit.ALL}:
            yield Fault(
                f"{found.where}.groups", f"{limit.ALL} must come after a group that is named"
            )
        yield from _of_amounts(found, queue, called)


def _named(kind: str, listed: tuple[str, ...], where: str, seen: set[str]) -> Iterator[Fault]:
    for index, name in enumerate(listed):
        at = f"{where}[{index}]"
        if name != limit.ALL and not _NAMES[kind].fullmatch(name):
            yield fields.mismatch(at, f"the name of a {kind} or {limit.ALL}", name)
        elif name in seen:
            yield Fault(at, f"there is another limit of {kind} {name}")
        elif limit.ALL in seen:
            yield Fault(at, f"must come before {limit.ALL}, which is for all others")
        seen.add(name)


def _of_amounts(found: QueueLimit, queue: ConfiguredQueue, called: str) -> Iterator[Fault]:
    most, count = found.max, found.most_applications
    if most is None and count is None:
        yield Fault(found.where, "must have maxresources or maxapplications")
    if most is not None and not any(most.values()):
        yield Fault(f"{found.where}.maxresources", "must be above 0 for some resource")
    if count == 0:
        yield Fault(f"{found.where}.maxapplications", "must be from 1, got 0")
    if count and 0 < queue.most_applications < count:
        text = f"{count} is above {queue.most_applications}, that of {called}"
        yield Fault(f"{found.where}.maxapplications", text)
    for key in resources.exceeding(most or {}, queue.limits.max):
        text = f"{_text(key, (most or {})[key])} is above {_text(key, queue.limits.max[key])}"
        yield Fault(f"{found.where}.maxresources.{_called(key)}", f"{text}, the max of {called}")
