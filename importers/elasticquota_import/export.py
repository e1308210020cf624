"""``export``: prints our quotas in the form of another system, the way back of ``import``.

Only manifests go to standard output. Each difference is a note on standard error. Exit codes: 0
done, 1 with ``--strict`` when there is such a note, 2 bad input.
"""

from collections.abc import Sequence
from typing import Final

from elasticquota import names
from elasticquota.forest import acceptance
from elasticquota.structs import Struct
from elasticquota.wire.quota import quotas
from elasticquota.wire.quota.quotas import QuotaManifest
from elasticquota_cli.failures import failure
from elasticquota_cli.failures.failure import InputFault
from elasticquota_cli.simulate import documents
from elasticquota_import import Form, command, sources, unread
from elasticquota_import.sources import Given, Kind
from elasticquota_import.translators import ack_export as trees


_QUOTA: Final[Kind] = (names.QUOTA_API, names.QUOTA_KIND)
_NOT_WHOLE: Final = 1


class ExportRequest(Struct, frozen=True):
    """The command line's request."""

    form: Form
    files: Sequence[str]
    strict: bool = False


def run(request: ExportRequest) -> int:
    """Run the verb; returns the exit code, raises `Failure`."""
    documents.check_input(request.files)
    faults: list[InputFault] = []
    given = Given(documents.read(request.files, faults), "", faults=faults)
    found = [quotas.read(each) for each in given.manifests(given.of_kind(_QUOTA), QuotaManifest)]
    failure.refuse(given.faults)
    made = trees.export(acceptance.build(found))
    warnings = [*made.warnings, *unread.kinds(given.others)]
    failure.note([*sources.skipped(given.others), *(warning.line for warning in warnings)])
    if made.documents:
        print(command.as_yaml(made.documents))
    return _NOT_WHOLE if request.strict and warnings else 0
