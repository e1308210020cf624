"""Plans a scale-up: which groups get how many nodes so that some pods fit."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from local_cluster.api import Object
from local_cluster.autoscaler.fit import Room
from local_cluster.autoscaler.groups import Group


@dataclass
class Plan:
    """The result; ``placed`` and ``failed`` are pods."""

    rooms: list[Room]
    """The nodes of now and those to be made, with what is free after all."""
    more: Counter[str] = field(default_factory=Counter)
    """Group -> nodes to make."""
    placed: list[Object] = field(default_factory=list)
    """Those that need one of the new nodes."""
    failed: list[Object] = field(default_factory=list)


def plan(
    pods: Iterable[Object],
    rooms: Sequence[Room],
    groups: Sequence[Group],
    sizes: Mapping[str, int],
) -> Plan:
    """Plan for ``pods`` on top of the nodes ``rooms``; ``sizes`` are the nodes of each group."""
    found = Plan([room.copy() for room in rooms])
    made: set[str] = set()
    for pod in pods:
        room = next((each for each in found.rooms if each.takes(pod)), None)
        if room is None:
            room = _made(pod, found, groups, sizes)
            if room is None:
                found.failed.append(pod)
                continue
            made.add(room.name)
        room.place(pod)
        if room.name in made:
            found.placed.append(pod)
    return found


def _made(
    pod: Object, found: Plan, groups: Sequence[Group], sizes: Mapping[str, int]
) -> Room | None:
    """A new node that takes the pod; None: no group has one."""
    for group in groups:
        room = Room(group.node(-1 - found.more[group.name]))
        size = sizes.get(group.name, 0) + found.more[group.name]
        if size < group.max and not group.is_out_of_stock and room.takes(pod):
            found.more[group.name] += 1
            found.rooms.append(room)
            return room
    return None
