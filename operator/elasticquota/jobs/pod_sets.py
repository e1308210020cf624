"""Reads the pod sets of a job from the templates that its adapter points to.

A number that is negative, absurd, or no number at all counts as 0 and is a fault. The need of such
a job is not known, and the caller must not admit it for the rest that could be read.
"""

from collections.abc import Iterator
from typing import Any, Final

from elasticquota import names
from elasticquota.jobs import paths, states
from elasticquota.jobs.adapter import JobAdapter, JobPodSet, PodPaths
from elasticquota.jobs.paths import PathEntry
from elasticquota.model.fault import Fault
from elasticquota.wire.codec import fields
from elasticquota.wire.kubernetes import pod_templates
from elasticquota.wire.kubernetes.pod_templates import PodTemplate


MOST_PODS: Final = 1_000_000
"""Largest number of pods in one set; no cluster can run more."""

_MOST_SETS: Final = 256
LARGEST: Final = 2**31 - 1
"""The largest int32, the type of counts in the Kubernetes API."""
_LONGEST_NAME: Final = 63


def read(document: Any, adapter: JobAdapter, faults: list[Fault]) -> tuple[JobPodSet, ...]:
    """The pod sets that can be read, in the order of the adapter's rows and of the object."""
    sets: list[JobPodSet] = []
    for row, entry in _described(document, adapter):
        if len(sets) == _MOST_SETS:
            faults.append(Fault(entry.shown(row.template), f"more than {_MOST_SETS} sets of pods"))
            break
        where = entry.shown(row.template)
        template = _template(row, entry, where, faults)
        count, least = counts(row, entry, faults)
        name = _unique(row.name or entry.name or "main", {each.name for each in sets})
        sets.append(JobPodSet(name, where, count, least, template))
    return tuple(sets)


def _described(document: Any, adapter: JobAdapter) -> Iterator[tuple[PodPaths, PathEntry]]:
    """The sets that the object has; an entry without its template counts and is a fault."""
    for row in adapter.pods:
        if row.unless is not None and states.holds(row.unless, document):
            continue
        for entry in paths.entries(document, row.template):
            if entry.stem or row.otherwise or entry.at(row.template) is not None:
                yield row, entry


def _template(row: PodPaths, entry: PathEntry, where: str, faults: list[Fault]) -> PodTemplate:
    written = entry.at(row.template)
    if written is None and row.otherwise:
        return PodTemplate({**row.otherwise, names.PODS: 1})
    if row.bare:
        return pod_templates.of_requirements(written, where, faults)
    return pod_templates.read(written, where, faults)


def counts(row: PodPaths, entry: PathEntry, faults: list[Fault]) -> tuple[int, int]:
    """The number of pods, and the number that the job can start with."""
    count = number(entry, row.count, row.missing, faults)
    most = number(entry, row.most, LARGEST, faults)
    least = number(entry, row.least, 0, faults)
    times = number(entry, row.times, 1, faults)
    done = number(entry, row.done, 0, faults)
    count = max(count, least)
    most = (most if most < LARGEST else count) - done
    if row.most_left is not None:
        most = min(most, row.most_left(entry, faults))
    times = max(times - number(entry, row.ended, 0, faults), 0)
    count = min(count, max(most, 0)) * times
    if count > MOST_PODS:
        where = entry.shown(row.count or row.times)
        faults.append(Fault(where, f"makes {count} pods, more than {MOST_PODS}"))
        return 0, 0
    return count, min(count, least * times) if _is_elastic(row, entry) else count


def _is_elastic(row: PodPaths, entry: PathEntry) -> bool:
    """Decided by the switch if the kind has one, else by whether a least number is written."""
    if row.elastic:
        return entry.at(row.elastic) is True
    return bool(row.least) and entry.at(row.least) is not None


def number(entry: PathEntry, path: str, missing: int | None, faults: list[Fault]) -> int:
    """The number of pods at a path; ``missing`` where none is written; 0 for what is none."""
    found = entry.at(path) if path else None
    if found is None and missing is not None:
        return missing
    if type(found) is int and 0 <= found <= LARGEST:
        return found
    where = entry.shown(path)
    faults.append(fields.mismatch(where, f"a number of pods from 0 to {LARGEST}", found))
    return 0


def _unique(name: str, taken: set[str]) -> str:
    """A DNS label that no other set has, made from the name."""
    kept = "".join(each if each.isascii() and each.isalnum() else "-" for each in name.lower())
    label = kept[:_LONGEST_NAME].strip("-") or "main"
    found, suffix = label, 1
    while found in taken:
        suffix += 1
        found = f"{label[: _LONGEST_NAME - 4]}-{suffix}"
    return found
