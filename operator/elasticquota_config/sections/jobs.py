"""Kinds of jobs that a configuration file adds, each as a row of paths (``elasticquota.jobs``).

A row has the same fields as a built-in adapter and replaces a built-in one of its group and kind. A
path with a wrong form, or one that leads through other entries than its template, is refused when
the file is read.
"""

from collections.abc import Iterator
from typing import Annotated, Final, Literal

from msgspec import Meta

from elasticquota import quantity, resources
from elasticquota.jobs import adapter, paths, suspension
from elasticquota.jobs.phase import Terms
from elasticquota.structs import field
from elasticquota.wire.codec import fields
from elasticquota_config.fields import section
from elasticquota_config.fields.section import Section, ValueCheck
from elasticquota_config.sections.names import Name


def _one_field(text: str) -> str:
    fault = paths.fault(text)
    if not fault and "*" in text:
        return f"must lead to one field, without *, got '{text}'"
    return fault


def _label(text: str) -> str:
    if fields.is_name(text):
        return ""
    return f"must be the key of a label or annotation, got {fields.shown(text)}"


def _amounts(written: dict[str, str]) -> str:
    try:
        resources.parse(written)
    except quantity.QuantityError as error:
        return str(error)
    return ""


Path = Annotated[str, ValueCheck(paths.fault)]
FieldPath = Annotated[str, ValueCheck(_one_field)]
Amounts = Annotated[dict[str, str], ValueCheck(_amounts)]
Label = Annotated[str, ValueCheck(_label)]
Keys = tuple[Label, ...]
Word = Annotated[str, Meta(min_length=1, max_length=63)]

_NUMBERS: Final = ("count", "most", "done", "times", "ended", "least", "elastic")
_OF_STATUS: Final = frozenset({"done", "ended"})
"""Their ``*`` may stand for the entry of the same name in another map or list."""


class SignSection(Section, frozen=True):
    """A fact in a status."""

    path: Path
    values: tuple[str, ...] = ()

    def row(self) -> adapter.Sign:
        """Convert to the value of the core package."""
        return adapter.Sign(self.path, self.values)


class PodPathsSection(Section, frozen=True):
    """Where a kind describes its pods."""

    template: Path
    name: str = ""
    bare: bool = False
    count: Path | None = None
    missing: Annotated[int, Meta(ge=0, le=1_000_000)] | None = 1
    most: Path | None = None
    done: Path | None = None
    times: Path | None = None
    ended: Path | None = None
    least: Path | None = None
    elastic: Path | None = None
    unless: SignSection | None = None
    otherwise: Amounts = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.template.count("*") > 1:
            raise ValueError(f"template must have one * at most, got '{self.template}'")
        stem = self.template.partition("*")[0]
        for name in _NUMBERS:
            path = getattr(self, name)
            if (
                path
                and "*" in path
                and not (
                    "*" in self.template
                    and (path.startswith(f"{stem}*.") or name in _OF_STATUS)
                    and path.count("*") == 1
                )
            ):
                raise ValueError(
                    f"{name} must lead through the same entries as template, got '{path}'"
                )

    def row(self) -> adapter.PodPaths:
        """Convert to the value of the core package."""
        special = {"missing": self.missing, "otherwise": resources.parse(self.otherwise)}
        return adapter.PodPaths(**section.row(self) | special)


class JobAdapterSection(Section, frozen=True):
    """How jobs of one kind are read and suspended."""

    group: Name
    versions: Annotated[tuple[Word, ...], Meta(min_length=1)]
    kind: Word
    plural: Name
    succeeded: tuple[SignSection, ...] = ()
    failed: tuple[SignSection, ...] = ()
    running: tuple[SignSection, ...] = ()
    pods: tuple[PodPathsSection, ...] = ()
    suspend: FieldPath | None = None
    labels: dict[str, FieldPath] = field(default_factory=dict)
    priority_classes: tuple[FieldPath, ...] = ()
    stated: bool = False
    reclaim: Literal["suspend", "pods"] = "suspend"

    def __post_init__(self) -> None:
        if not self.pods and not self.stated:
            raise ValueError("must have pods, or stated: true for jobs whose annotation says it")

    def row(self) -> adapter.JobAdapter:
        """Convert to the value of the core package."""
        return adapter.JobAdapter(**section.row(self))


class JobsSection(Section, frozen=True):
    """Options of queued jobs (`dialects.jobs`)."""

    start_timeout_seconds: Annotated[int, Meta(ge=0, le=86400)] = 300
    """Seconds after which a job is suspended again if none of its pods has started; 0: never."""
    backoff_seconds: Annotated[int, Meta(ge=1, le=3600)] = 60
    """Seconds that it then stays out of the queue; doubled each time."""
    stop_timeout_seconds: Annotated[int, Meta(ge=0, le=86400)] = 60
    """Seconds after which the pods of a suspended job that its operator has not deleted may be
    evicted; 0: never."""
    external_queue_labels: Keys = suspension.EXTERNAL
    """Labels of jobs that another system suspends and starts, such as Kueue; their pods are
    admitted one by one (docs/how-to/beside.md)."""
    adapters: tuple[JobAdapterSection, ...] = ()
    """Kinds of jobs besides the built-in ones, or in place of them (docs/job-queues.md)."""

    def terms(self) -> Terms:
        """Convert to the value of the core package, in milliseconds."""
        return Terms(
            self.start_timeout_seconds * 1000,
            self.backoff_seconds * 1000,
            self.stop_timeout_seconds * 1000,
        )

    def rows(self) -> Iterator[adapter.JobAdapter]:
        """The adapters as values of the core package, in the order of the file."""
        return (each.row() for each in self.adapters)
