"""``import``: reads a neighbour's manifests, translates them, prints ElasticQuota manifests.

The manifests go to standard output and nothing else does, so that they can be piped to kubectl;
what is not taken over, or differently, is a note on standard error. Exit codes: 0 done, 1 with
``--strict`` when there is such a note, 2 bad input.
"""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import yaml

from elasticquota import names
from elasticquota.dialects import ack, capacity, resource_quota, yunikorn
from elasticquota.dialects.translation import Translation
from elasticquota.wire import fields, quota_manifests
from elasticquota_cli.failure import Failure
from elasticquota_cli.importing import Dialect, queue_files, sources
from elasticquota_cli.simulate import documents


_BAD_INPUT: Final = 2
_NOT_WHOLE: Final = 1
_NAMESPACE: Final = re.compile(r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?")


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asks for."""

    dialect: Dialect
    files: Sequence[str]
    namespace: str
    """In which quotas live that belong to no namespace."""
    strict: bool = False


def run(request: Request) -> int:
    """Carry out the verb; returns the exit code, raises `Failure`."""
    if list(request.files).count(documents.STANDARD_INPUT) > 1:
        raise Failure("standard input (-) can be read only once", _BAD_INPUT)
    if not _NAMESPACE.fullmatch(request.namespace):
        text = f"--namespace: must name a namespace, got {fields.shown(request.namespace)}"
        raise Failure(text, _BAD_INPUT)
    faults: list[str] = []
    notes: list[str] = []
    found = _TRANSLATIONS[request.dialect](request, faults, notes)
    if faults:
        raise Failure("\n".join(faults), _BAD_INPUT)
    for note in notes:
        print(f"note: {note}", file=sys.stderr)
    for remark in found.remarks:
        print(f"note: {remark.line}", file=sys.stderr)
    if found.quotas:
        print(as_yaml(manifests(found)))
    return _NOT_WHOLE if request.strict and found.remarks else 0


def manifests(found: Translation) -> list[dict[str, Any]]:
    """The objects to create, parents before their children."""
    return [
        quota_manifests.manifest(quota, {names.SOURCE: found.origins[quota.name]})
        for quota in found.quotas
    ]


def as_yaml(objects: Sequence[Mapping[str, Any]]) -> str:
    """The documents of one file."""
    text: str = yaml.safe_dump_all(objects, sort_keys=False, allow_unicode=True, width=10_000)
    return text.rstrip("\n")


def _ack(request: Request, faults: list[str], notes: list[str]) -> Translation:
    trees = sources.trees(documents.read(request.files, faults), faults, notes)
    return ack.translate(trees, request.namespace)


def _capacity(request: Request, faults: list[str], notes: list[str]) -> Translation:
    quotas = sources.capacity_limits(documents.read(request.files, faults), faults, notes)
    return capacity.translate(quotas, request.namespace)


def _resource_quota(request: Request, faults: list[str], notes: list[str]) -> Translation:
    quotas = sources.hard_limits(documents.read(request.files, faults), faults, notes)
    return resource_quota.translate(quotas)


def _yunikorn(request: Request, faults: list[str], notes: list[str]) -> Translation:
    config, namespaces = queue_files.read(request.files, faults, notes)
    return yunikorn.translate(config, namespaces, request.namespace)


_Translate = Callable[[Request, list[str], list[str]], Translation]
_TRANSLATIONS: Final[dict[Dialect, _Translate]] = {
    "ack": _ack,
    "capacity": _capacity,
    "yunikorn": _yunikorn,
    "resourcequota": _resource_quota,
}
