"""``import``: reads manifests of another system, translates them, prints ElasticQuota manifests.

Only manifests go to standard output, so that they can be piped to kubectl. Each difference in the
translation is a note on standard error. With ``--check`` a comparison is printed instead. Exit
codes: 0 done, 1 with ``--strict`` when there is such a note or a pod that the quotas hold or evict,
2 bad input.
"""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import yaml

from elasticquota import names
from elasticquota.integrations import capacity, resource_quota
from elasticquota.integrations.ack import trees
from elasticquota.integrations.translation.translation import Translation
from elasticquota.integrations.yunikorn import queues
from elasticquota.wire.codec import fields
from elasticquota.wire.quota import quota_manifests
from elasticquota_cli import failure
from elasticquota_cli.failure import BAD_INPUT, Failure
from elasticquota_cli.importing import Dialect, queue_files, sources
from elasticquota_cli.simulate import documents
from elasticquota_cli.simulate.documents import Document


_NOT_WHOLE: Final = 1
_NAMESPACE: Final = re.compile(r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?")


@dataclass(frozen=True, slots=True)
class Request:
    """The command line's request."""

    dialect: Dialect
    files: Sequence[str]
    namespace: str
    """The namespace of quotas that belong to no other namespace."""
    strict: bool = False
    check: Sequence[str] = ()
    """Files with pods; with them, the quotas are simulated instead of printed."""


def run(request: Request) -> int:
    """Run the verb; returns the exit code, raises `Failure`."""
    documents.check_standard_input([*request.files, *request.check])
    if not _NAMESPACE.fullmatch(request.namespace):
        text = f"--namespace: must name a namespace, got {fields.shown(request.namespace)}"
        raise Failure(text, BAD_INPUT)
    faults: list[str] = []
    others: list[Document] = []
    plain = queue_files.plain(request.files) if request.dialect == "yunikorn" else {}
    given = documents.read([path for path in request.files if path not in plain], faults)
    found = _TRANSLATIONS[request.dialect](Given(given, plain, request.namespace), faults, others)
    failure.check(faults)
    is_whole = not found.warnings
    if request.check:
        is_whole &= _check(request.check, found, given, others)
    else:
        _tell(sources.skipped(others), found)
        if found.quotas:
            print(as_yaml(manifests(found)))
    return _NOT_WHOLE if request.strict and not is_whole else 0


def _check(
    files: Sequence[str], found: Translation, given: list[Document], others: list[Document]
) -> bool:
    """Compare instead of printing; returns whether the quotas hold and evict no pod."""
    from elasticquota_cli.importing import check  # noqa: PLC0415 - takes three times as long to load

    checked = check.of(manifests(found), files, given)
    _tell([*sources.skipped(check.unread(others)), *checked.notes], found)
    check.show(checked)
    return checked.difference.is_smooth


def _tell(notes: Sequence[str], found: Translation) -> None:
    for note in [*notes, *(warning.line for warning in found.warnings)]:
        print(f"note: {note}", file=sys.stderr)


def manifests(found: Translation) -> list[dict[str, Any]]:
    """The manifests of the quotas, parents before their children."""
    return [
        quota_manifests.manifest(quota, {names.SOURCE: found.origins[quota.name]})
        for quota in found.quotas
    ]


def as_yaml(objects: Sequence[Mapping[str, Any]]) -> str:
    """The objects as one YAML file."""
    text: str = yaml.safe_dump_all(objects, sort_keys=False, allow_unicode=True, width=10_000)
    return text.rstrip("\n")


class Given(NamedTuple):
    """The content of the files."""

    documents: list[Document]
    queues: Mapping[str, dict[str, Any]]
    """By path, files that are a ``queues.yaml`` and no manifest."""
    namespace: str


def _ack(given: Given, faults: list[str], others: list[Document]) -> Translation:
    return trees.translate(sources.trees(given.documents, faults, others), given.namespace)


def _capacity(given: Given, faults: list[str], others: list[Document]) -> Translation:
    quotas = sources.capacity_limits(given.documents, faults, others)
    return capacity.translate(quotas, given.namespace)


def _resource_quota(given: Given, faults: list[str], others: list[Document]) -> Translation:
    return resource_quota.translate(sources.hard_limits(given.documents, faults, others))


def _yunikorn(given: Given, faults: list[str], others: list[Document]) -> Translation:
    config, namespaces = queue_files.read(given.queues, given.documents, faults, others)
    return queues.translate(config, namespaces, given.namespace)


_Translate = Callable[[Given, list[str], list[Document]], Translation]
_TRANSLATIONS: Final[dict[Dialect, _Translate]] = {
    "ack": _ack,
    "capacity": _capacity,
    "yunikorn": _yunikorn,
    "resourcequota": _resource_quota,
}
