"""``import``: reads manifests of another system, translates them, prints ElasticQuota manifests.

Only manifests go to standard output, so that they can be piped to kubectl. Each difference in the
translation is a note on standard error. With ``--check`` a comparison is printed instead. Exit
codes: 0 done, 1 with ``--strict`` when there is such a note or a pod that the quotas hold or evict,
2 bad input.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from elasticquota import names
from elasticquota.integrations import capacity
from elasticquota.integrations.ack import trees
from elasticquota.integrations.translation.translation import Translation
from elasticquota.integrations.yunikorn import queues
from elasticquota.structs import Struct, replace
from elasticquota.wire.codec import fields
from elasticquota.wire.integrations import ack_trees, capacity_quotas
from elasticquota.wire.kubernetes import resource_quotas
from elasticquota.wire.quota import profile_manifests, quota_manifests
from elasticquota_cli.failures import failure
from elasticquota_cli.failures.failure import BAD_INPUT, Failure, InputFault
from elasticquota_cli.printers import json_text
from elasticquota_cli.simulate import documents
from elasticquota_cli.simulate.documents import Document
from elasticquota_import import Dialect, external_objects, queue_files, sources, unread
from elasticquota_import.sources import Given, Imported
from elasticquota_import.translators import resource_quota


_NOT_WHOLE: Final = 1
_NAMESPACE: Final = re.compile(r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?")


class ImportRequest(Struct, frozen=True):
    """The command line's request."""

    dialect: Dialect
    files: Sequence[str]
    namespace: str
    """The namespace of quotas that belong to no other namespace."""
    strict: bool = False
    check: Sequence[str] = ()
    """Files with pods; with them, the quotas are simulated instead of printed."""


def run(request: ImportRequest) -> int:
    """Run the verb; returns the exit code, raises `Failure`."""
    documents.check_input([*request.files, *request.check])
    if not _NAMESPACE.fullmatch(request.namespace):
        text = f"--namespace: must name a namespace, got {fields.shown(request.namespace)}"
        raise Failure(text, BAD_INPUT)
    faults: list[InputFault] = []
    plain = queue_files.plain(request.files) if request.dialect == "yunikorn" else {}
    objects = documents.read([path for path in request.files if path not in plain], faults)
    given = Given(objects, request.namespace, plain, faults)
    imported = TRANSLATIONS[request.dialect](given)
    failure.refuse(given.faults)
    others = _others(given, in_check=bool(request.check))
    warnings = [*imported.made.warnings, *given.warnings, *unread.kinds(others)]
    made = replace(imported.made, warnings=tuple(sorted(set(warnings))))
    imported = imported._replace(made=made)
    is_whole = not made.warnings
    if request.check:
        is_whole &= _check(request.check, imported, given, others)
    else:
        _tell(sources.skipped(others), made)
        if made.quotas:
            print(as_yaml(manifests(made)))
    return _NOT_WHOLE if request.strict and not is_whole else 0


def _others(given: Given, *, in_check: bool) -> list[Document]:
    """The documents that have no part in what the verb does."""
    if not in_check:
        return given.others
    from elasticquota_import import check  # noqa: PLC0415 - takes three times as long to load

    return check.unread(given.others)


def _check(files: Sequence[str], found: Imported, given: Given, others: list[Document]) -> bool:
    """Compare instead of printing; returns whether the quotas hold and evict no pod."""
    from elasticquota_import import check  # noqa: PLC0415 - takes three times as long to load

    checked = check.of(manifests(found.made), files, given.documents, found.queues)
    _tell([*sources.skipped(others), *checked.notes], found.made)
    check.show(checked)
    return checked.difference.is_smooth


def _tell(notes: Sequence[str], found: Translation) -> None:
    failure.note([*notes, *(warning.line for warning in found.warnings)])


def manifests(found: Translation) -> list[dict[str, Any]]:
    """The manifests of the profiles, then those of the quotas, parents before their children."""
    profiles = [profile_manifests.manifest(each, {}) for each in found.profiles]
    return profiles + [
        quota_manifests.manifest(quota, {names.SOURCE: found.origins[quota.name]})
        for quota in found.quotas
    ]


def as_yaml(objects: Sequence[Mapping[str, Any]]) -> str:
    """The objects as one YAML file."""
    return "---\n".join(map(json_text.as_yaml, objects)).rstrip("\n")


def _ack(given: Given) -> Imported:
    found = [ack_trees.read(each) for each in given.specs(sources.TREE)]
    return Imported(trees.translate(found, given.namespace))


def _capacity(given: Given) -> Imported:
    found = [capacity_quotas.read(each) for each in given.homed(sources.CAPACITY)]
    return Imported(capacity.translate(found, given.namespace))


def _resource_quota(given: Given) -> Imported:
    found = [resource_quotas.read(each) for each in given.homed(sources.RESOURCE_QUOTA)]
    return Imported(resource_quota.translate(found))


def _yunikorn(given: Given) -> Imported:
    config, namespaces = queue_files.read(given)
    return Imported(queues.translate(config, namespaces, given.namespace))


TRANSLATIONS: Final[dict[Dialect, Callable[[Given], Imported]]] = {
    "ack": _ack,
    "capacity": _capacity,
    "yunikorn": _yunikorn,
    "kueue": external_objects.of_kueue,
    "hnc": external_objects.of_hnc,
    "volcano": external_objects.of_volcano,
    "kai": external_objects.of_kai,
    "resourcequota": _resource_quota,
}
"""By dialect, the reader and translator of what was given."""
