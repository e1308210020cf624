"""Checks a configuration for what YuniKorn refuses (Y4, Y25), with the path of each fault.

* What cannot be read, and unknown fields.
* Names: allowed characters, no two queues of a name in one place, no two partitions of a name.
* The root follows the cluster and has no limits of its own (Y2).
* Amounts: guaranteed is within max, max is within that of the queue above, and the sum of what the
  child queues are guaranteed is within that of their parent.
* ``maxapplications``: if a queue has one, its children have one that is not larger.
* Limits of users and groups (``queue_limit_rules``).
* Placement rules: a known name, with the value that it needs.
* Access lists where no webhook can check them (``acls``).
"""

import re
from collections.abc import Iterator
from typing import Final

from elasticquota import quantity, resources
from elasticquota.integrations.translation.translation import Path
from elasticquota.integrations.yunikorn import acls, limit_rules
from elasticquota.model.fault import Fault
from elasticquota.resources import Resources
from elasticquota.wire.codec import fields
from elasticquota.wire.integrations import queue_limits, queues
from elasticquota.wire.integrations.placement_rules import PlacementRule
from elasticquota.wire.integrations.queues import ConfiguredQueue, Partition, QueueConfig


_DEFAULT: Final = "default"
_NAME: Final = re.compile(r"[a-zA-Z0-9_:#/@-]{1,64}")
_RULES: Final = ("provided", "user", "fixed", "tag")
_WITH_A_VALUE: Final = ("fixed", "tag")
_text: Final = quantity.text
_called: Final = queue_limits.called


def faults(config: QueueConfig, *, places_pods: bool = True) -> tuple[Fault, ...]:
    """All faults; empty: YuniKorn accepts the configuration.

    ``places_pods``: whether the webhook sees pods and can check access lists (``acls``).
    """
    restricted = () if places_pods else _unenforced(config)
    return (*config.faults, *_of_partitions(config), *restricted)


def _unenforced(config: QueueConfig) -> Iterator[Fault]:
    for partition in config.partitions:
        yield from acls.unenforced(partition)


def is_name(text: str) -> bool:
    """Whether YuniKorn allows this name for a queue."""
    return _NAME.fullmatch(text) is not None


def _of_partitions(config: QueueConfig) -> Iterator[Fault]:
    seen: set[str] = set()
    for partition in config.partitions:
        name = partition.name or _DEFAULT
        if name in seen:
            yield Fault(f"{partition.where}.name", f"there is another partition '{name}'")
        seen.add(name)
        yield from _of_partition(partition)


def _of_partition(partition: Partition) -> Iterator[Fault]:
    if not partition.queues:
        yield Fault(f"{partition.where}.queues", "must be given")
        return
    root = partition.root
    if root.limits != queues.QueueResources():
        yield Fault(
            f"{root.where}.resources", "the root follows what the cluster has, so it takes none"
        )
    yield from _names(root)
    promised: list[Fault] = []
    _promised(root, (queues.ROOT,), {}, promised)
    yield from promised
    yield from _applications(root)
    yield from limit_rules.faults(partition)
    for rule in partition.rules:
        yield from _of_rule(rule)


def _names(queue: ConfiguredQueue) -> Iterator[Fault]:
    seen: set[str] = set()
    for child in queue.children:
        if not is_name(child.name):
            yield fields.mismatch(
                f"{child.where}.name",
                "at most 64 letters, digits and characters of '_:#/@-'",
                child.name,
            )
        if child.name in seen:
            yield Fault(
                f"{child.where}.name", f"there is another queue '{child.name}' in the same place"
            )
        seen.add(child.name)
        yield from _names(child)


def _promised(
    queue: ConfiguredQueue, path: Path, above: Resources, all_faults: list[Fault]
) -> Resources:
    """The guaranteed amount of the queue, or else of its children; faults go to ``all_faults``."""
    own, most = queue.limits.guaranteed, queue.limits.max
    at = f"{queue.where}.resources"
    for key in resources.exceeding(own, most):
        text = f"{_text(key, own[key])} is above {_text(key, most[key])}, its max"
        all_faults.append(Fault(f"{at}.guaranteed.{_called(key)}", text))
    for key in resources.exceeding(most, above):
        text = f"{_text(key, most[key])} is above {_text(key, above[key])}"
        all_faults.append(
            Fault(f"{at}.max.{_called(key)}", f"{text}, the max of {'.'.join(path[:-1])}")
        )
    within = resources.minimum(most, above)
    children = [
        _promised(child, (*path, child.name), within, all_faults) for child in queue.children
    ]
    together = resources.add(*children)
    for what, limit in (("guaranteed", own), ("max", within)):
        all_faults += [
            Fault(
                f"{queue.where}.queues",
                f"are guaranteed {_text(key, together[key])} {_called(key)} together, more than "
                f"{_text(key, limit[key])}, the {what} of {'.'.join(path)}",
            )
            for key in resources.exceeding(together, limit)
        ]
    return own if any(own.values()) else together


def _applications(queue: ConfiguredQueue) -> Iterator[Fault]:
    most = queue.most_applications
    for child in queue.children:
        if most and not 0 < child.most_applications <= most:
            yield Fault(
                f"{child.where}.maxapplications",
                f"must be from 1 to {most}, which is that of the queue above, got "
                f"{child.most_applications}",
            )
        yield from _applications(child)


def _of_rule(rule: PlacementRule) -> Iterator[Fault]:
    if rule.name not in _RULES:
        known = f"{', '.join(_RULES[:-1])} or {_RULES[-1]}"
        yield fields.mismatch(f"{rule.where}.name", known, rule.name)
    elif rule.name in _WITH_A_VALUE and not rule.value:
        yield Fault(f"{rule.where}.value", f"must be given for the rule {rule.name}")
    if rule.name == "fixed" and rule.parent is not None and _is_whole(rule.value):
        yield Fault(
            f"{rule.where}.parent", f"must not be given, because {rule.value} is a whole path"
        )
    if rule.parent is not None:
        yield from _of_rule(rule.parent)


def _is_whole(value: str) -> bool:
    return value == queues.ROOT or value.startswith(f"{queues.ROOT}.")
