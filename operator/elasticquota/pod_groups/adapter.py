"""Describes where a system states the groups of its pods.

An adapter is data: every field is a key of labels or annotations, a path or a word. So a
configuration file can describe a system that this package does not know. Of several keys the first
that a pod has counts; an annotation comes before a label.
"""

from typing import Literal

from elasticquota.jobs.adapter import Sign
from elasticquota.structs import Struct


Keys = tuple[str, ...]
"""Keys of labels or annotations: different spellings of one fact."""


class SizedBy(Struct, frozen=True):
    """The kind of object that states the size of the groups that name it."""

    group: str
    versions: tuple[str, ...]
    """The API versions that are read, most preferred first."""
    kind: str
    plural: str
    size: str
    """Path of the number of pods that start together."""
    missing: int | None = 1
    """The number when the object states none; None: the object must state one."""
    one_by_one: Sign | None = None
    """If this holds, the pods start one by one, because some are made when others run."""
    together: Keys = ()
    """Annotations or labels of the object with a JSON list of groups, ``namespace/name``."""
    whole: Sign | None = None
    """If this holds, all running pods of the group leave together, also those beyond the size."""


class ComposedBy(Struct, frozen=True):
    """The kind of object above several groups, or above several of its own kind."""

    group: str
    versions: tuple[str, ...]
    """The API versions that are read, most preferred first."""
    kind: str
    plural: str
    least: str
    """Path of the number of children that start together; without it each starts by itself."""
    parent: str
    """Path of the name of the object above, in objects of this kind and in groups."""
    whole: Sign | None = None
    """If this holds, all running pods below it leave together."""


class PodGroupAdapter(Struct, frozen=True):
    """How the pods of one system state their groups."""

    name: str
    """The first part of the names of its groups: ``koordinator``."""
    group: Keys = ()
    """Keys of the group's name."""
    index: Keys = ()
    """Keys of a second part of the name, if several groups have one object or application. A pod
    without it is in no group."""
    size: Keys = ()
    """Keys of the number of pods that start together."""
    definitions: Keys = ()
    """Keys of a JSON list with ``name`` and ``minMember`` of the groups of an application, by
    ``index``. One pod may state them for all."""
    together: Keys = ()
    """Keys of a JSON list of groups that start at the same time, ``namespace/name``."""
    one_by_one: Keys = ()
    """A pod with one of these starts alone, because the others of its group are made later."""
    field: Literal["", "schedulingGroup"] = ""
    """The field of a pod's spec that names its group, besides ``group``."""
    object: SizedBy | None = None
    """What states the size of groups whose pods do not."""
    composite: ComposedBy | None = None
    """What makes several groups one workload."""
