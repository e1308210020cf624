"""An adapter says where a kind of job keeps its facts: what it asks for, its switch, its state.

It is data: every field is a path (``paths``), a word or a number, so that a kind nobody here knows
can be described in a configuration file. Only Spark, which has no pod templates, brings a reader.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from elasticquota.resources import EMPTY, Resources
from elasticquota.wire.kubernetes.pod_templates import Template


Reclaim = Literal["suspend", "pods"]
"""How a job gives back: all of it by its switch, or pod by pod through the eviction API."""


@dataclass(frozen=True, slots=True)
class PodSet:
    """Pods of a job that ask for the same."""

    name: str
    """A DNS label that no other set of the job has."""
    where: str
    """Path of what describes them."""
    count: int
    least: int
    """With how many the job can start; ``count`` unless its kind is elastic."""
    template: Template

    @property
    def request(self) -> Resources:
        """Of one of them: accounting units, with ``pods: 1``."""
        return self.template.request


@dataclass(frozen=True, slots=True)
class Sign:
    """A fact of a status: one of ``values`` stands at ``path``.

    That is a text, or in a list of conditions the type of one whose status is True. Without
    values it is a number above 0.
    """

    path: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pods:
    """Where the pods of a kind are described; with a ``*``, of every entry a set of its own.

    A set whose template is not there does not exist.
    """

    template: str
    """Path of the pod template."""
    name: str = ""
    """What the set is called; empty: as its entry is."""
    bare: bool = False
    """At the path stand resource requirements of a container instead of a template."""
    count: str = ""
    """Path of the number of pods; empty: ``missing``."""
    missing: int | None = 1
    """The number when none is written; None: one must be."""
    most: str = ""
    """Path of a number that it does not exceed."""
    done: str = ""
    """Path of what is to be taken off ``most``: pods that need not run any more."""
    times: str = ""
    """Path of a factor of all of them, 1 when nothing is written."""
    least: str = ""
    """Path of the number that an elastic kind can start with; the number is never below it."""
    elastic: str = ""
    """Path of a switch without which the kind is not elastic; empty: is where ``least`` is."""
    unless: Sign | None = None
    """When there are no such pods."""
    otherwise: Resources = field(default_factory=lambda: EMPTY)
    """What a pod asks for whose template is left to its operator; accounting units."""


Reader = Callable[[Any, list[str]], tuple[PodSet, ...]]
"""Reads the pod sets of an object; appends what it cannot read."""


class Kind(NamedTuple):
    """What an adapter is for; a second one for the same replaces the first."""

    group: str
    kind: str


@dataclass(frozen=True, slots=True)
class Adapter:
    """How jobs of one kind are read and held."""

    group: str
    versions: tuple[str, ...]
    """Those that it reads, the best first."""
    kind: str
    plural: str
    succeeded: tuple[Sign, ...]
    """Any of them: it is done."""
    failed: tuple[Sign, ...]
    """Any of them, unless it is done: it will not go on."""
    running: tuple[Sign, ...]
    """Any of them, unless it has ended: pods of it are there."""
    pods: tuple[Pods, ...] = ()
    suspend: str = ""
    """Path of its switch; empty: the kind has none, and the annotation is its switch."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Labels of its pods with the path of their value; each of its pods has one of them."""
    priority_classes: tuple[str, ...] = ()
    """Paths of the name of a priority class that come before its templates'."""
    stated: bool = False
    """Whether the annotation of the whole request counts, and before what templates say."""
    reclaim: Reclaim = "suspend"
    reader: Reader | None = None
    """Reads what ``pods`` cannot say."""

    @property
    def identity(self) -> Kind:
        return Kind(self.group, self.kind)

    def api(self, version: str) -> str:
        """The ``apiVersion`` of its objects."""
        return f"{self.group}/{version}" if self.group else version
