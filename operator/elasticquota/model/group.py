"""A pod group: pods that are admitted together or not at all."""

from elasticquota.model.key import Key
from elasticquota.structs import Struct


MOST: int = 99_999
"""The largest size of a group."""


class Group(Struct, frozen=True):
    """What a pod says about its group; names are unique in one namespace."""

    name: str
    """The name of the pod group; ``job/name`` and the like for the pods of one controller, and
    ``koordinator/name`` and the like for groups of other systems (``pod_groups.table``)."""
    size: int
    """How many pods start together; 0: the pod does not give a usable number."""
    source: str = ""
    """What may state the size if the pod does not: an object, or another pod of its application.
    Its name in the namespace: ``volcano/train``; empty: only the pod states it."""
    together: tuple[Key, ...] = ()
    """The groups that start at the same time, sorted; the group itself may be one of them."""
    sizes: tuple[tuple[str, int], ...] = ()
    """The sizes of other groups of its application that the pod states, by their source."""
    fault: str = ""
    """What cannot be read, so that the group cannot start."""


class GroupObject(Struct, frozen=True):
    """What an object of another system says about the pods that name it."""

    key: Key
    """Namespace and source (``Group.source``)."""
    size: int
    """How many pods start together; 1: they start one by one. 0: there is a fault."""
    one_by_one: bool = False
    """The pods start one by one, whatever number they state."""
    together: tuple[Key, ...] = ()
    """As ``Group.together``."""
    fault: str = ""
    """What cannot be read, so that the groups that it sizes cannot start."""
    whole: bool = False
    """All running pods of the groups leave together, also those beyond the size."""
