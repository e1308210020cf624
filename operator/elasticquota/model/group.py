"""A pod group: pods that are admitted together or not at all."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Group:
    """What a pod says about its group; names are unique in one namespace."""

    name: str
    """The name of the pod group; ``job/name`` and the like for the pods of one controller."""
    size: int
    """How many pods start together; 0: the pod does not give a usable number."""
