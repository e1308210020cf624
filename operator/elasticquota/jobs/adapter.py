"""Describes how a kind of job states its facts: what it requests, its switch, its state.

An adapter is data: every field is a path (``paths``), a word or a number. So a configuration file
can describe a kind that this package does not know. Two bring a function: Spark, which has no pod
templates, and the Job, whose pods end by rules of their own.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from elasticquota.jobs.paths import PathEntry
from elasticquota.model.fault import Fault
from elasticquota.resources import EMPTY, Resources
from elasticquota.structs import Struct, field
from elasticquota.wire.kubernetes.pod_templates import PodTemplate


Reclaim = Literal["suspend", "pods"]
"""How a job is reclaimed: as a whole by its switch, or pod by pod through the eviction API."""


class JobPodSet(Struct, frozen=True):
    """A number of pods of a job with the same request."""

    name: str
    """A DNS label that no other set of the job has."""
    where: str
    """Path of the pod template in the object."""
    count: int
    least: int
    """The number of pods that the job can start with; ``count`` unless its kind is elastic."""
    template: PodTemplate

    @property
    def request(self) -> Resources:
        """The request of one pod: accounting units, with ``pods: 1``."""
        return self.template.request


class Sign(Struct, frozen=True):
    """A fact in a status: ``path`` holds one of ``values``.

    The value is a text, the member of a union that is set (``{all: {}}``), or the type of a
    condition with status True in a list of conditions.
    Without ``values``, the fact holds when ``path`` holds a number above 0.
    """

    path: str
    values: tuple[str, ...] = ()


class PodPaths(Struct, frozen=True):
    """Where a kind describes its pods; a path with ``*`` gives one pod set for each entry.

    In ``done`` and ``ended``, ``*`` may stand for an entry of the same name elsewhere in the
    object, as a status has one. A set whose template is missing does not exist.
    """

    template: str
    """Path of the pod template."""
    name: str = ""
    """Name of the set; empty: the name of its entry."""
    bare: bool = False
    """The path holds the resource requirements of a container instead of a template."""
    count: str = ""
    """Path of the number of pods; empty: ``missing``."""
    missing: int | None = 1
    """The number when the object states none; None: the object must state one."""
    most: str = ""
    """Path of the upper limit of the number."""
    done: str = ""
    """Path of a number to subtract from ``most``, or from the number of pods where there is no
    ``most``: pods that need not run any more."""
    times: str = ""
    """Path of a factor for all these numbers; 1 when it is missing."""
    ended: str = ""
    """Path of a number to subtract from ``times``: groups of pods that need not run any more."""
    most_left: Callable[[PathEntry, list[Fault]], int] | None = None
    """Returns how many pods the object may still have, where no path says that; appends faults."""
    least: str = ""
    """Path of the number that an elastic kind can start with; the number is at least this."""
    elastic: str = ""
    """Path of a switch that makes the kind elastic; empty: it is elastic if ``least`` is set."""
    unless: Sign | None = None
    """If this holds, there are no such pods."""
    otherwise: Resources = field(default_factory=lambda: EMPTY)
    """The request of a pod whose template is left to its operator; accounting units."""


Reader = Callable[[Any, list[Fault]], tuple[JobPodSet, ...]]
"""Reads the pod sets of an object; appends a fault for each part that it cannot read."""


class JobKind(NamedTuple):
    """Identity of an adapter; a second adapter for the same kind replaces the first."""

    group: str
    kind: str


class JobAdapter(Struct, frozen=True):
    """How jobs of one kind are read and suspended."""

    group: str
    versions: tuple[str, ...]
    """The API versions that it reads, most preferred first."""
    kind: str
    plural: str
    succeeded: tuple[Sign, ...]
    """If any of them holds, the job has succeeded."""
    failed: tuple[Sign, ...]
    """If any of them holds and the job has not succeeded, it has failed."""
    running: tuple[Sign, ...]
    """If any of them holds and the job has not ended, it has pods."""
    pods: tuple[PodPaths, ...] = ()
    suspend: str = ""
    """Path of its switch; empty: the kind has none, and an annotation is the switch."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Labels of its pods, each with the path of its value; each pod has one of them."""
    priority_classes: tuple[str, ...] = ()
    """Paths of priority class names that take precedence over the templates' class."""
    stated: bool = False
    """Whether an annotation with the whole request counts, in preference to the templates."""
    reclaim: Reclaim = "suspend"
    quota_aliases: bool = True
    """Whether labels of ACK in its templates name the quota of its pods; only where admission
    copies them to our label."""
    reader: Reader | None = None
    """Reads what ``pods`` cannot describe."""

    @property
    def identity(self) -> JobKind:
        return JobKind(self.group, self.kind)

    def api(self, version: str) -> str:
        """The ``apiVersion`` of its objects for one of ``versions``."""
        return f"{self.group}/{version}" if self.group else version
