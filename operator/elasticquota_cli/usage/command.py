"""``usage``: reads what the statuses of quotas say, and prints it.

Exit codes: 0 done, 1 the user may not read quotas, or there is no cluster, 2 bad input.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from elasticquota.metering import charges
from elasticquota.metering.charges import Charge, Metered
from elasticquota.model.key import Key
from elasticquota.structs import Struct, field
from elasticquota.wire.codec import fields
from elasticquota.wire.quota import metered
from elasticquota_cli.failures import failure
from elasticquota_cli.failures.failure import InputFault
from elasticquota_cli.live import listing
from elasticquota_cli.printers import output, table
from elasticquota_cli.simulate import documents
from elasticquota_kube.client import paths
from elasticquota_kube.client.credentials.login import Login


class UsageOptions(Struct, frozen=True):
    """The command line's request."""

    output: str = "table"
    all_namespaces: bool = False
    files: Sequence[str] = ()
    login: Login = field(default_factory=Login)


def run(request: UsageOptions) -> int:
    """Print the charges; returns the exit code, raises `Failure`."""
    now = int(time.time())
    rows = list(charges.charges(_metered(request), now))
    if request.output == "csv":
        print(charges.as_csv(rows), end="")
    else:
        output.write(
            [row._asdict() for row in rows],
            request.output,
            lambda: _show(rows, with_namespace=request.all_namespaces),
            (output.quota(row.quota) for row in rows),
        )
    return 0


def _metered(request: UsageOptions) -> Iterator[Metered]:
    stored = _of_files(request) if request.files else _of_cluster(request)
    for each in stored:
        metadata = fields.mapping(each.get("metadata"), "metadata", [])
        status = fields.mapping(each.get("status"), "status", [])
        found = metered.read(status)
        if found is not None:
            key = Key(fields.text(metadata.get("namespace")), fields.text(metadata.get("name")))
            yield Metered(key, fields.text(status.get("tree")), found)


def _of_cluster(request: UsageOptions) -> Sequence[Mapping[str, Any]]:
    cluster = listing.Cluster(request.login)
    namespace = None if request.all_namespaces else cluster.namespace
    return cluster.read(lambda api: listing.quotas(api, namespace, dict[str, Any]))


def _of_files(request: UsageOptions) -> Sequence[Mapping[str, Any]]:
    faults: list[InputFault] = []
    documents.check_input(request.files)
    found = documents.read(request.files, faults)
    failure.refuse(faults)
    return [
        each.content
        for each in found
        if (each.api_version, each.kind) == (paths.QUOTAS.api_version, "ElasticQuota")
    ]


def _show(rows: Sequence[Charge], *, with_namespace: bool) -> None:
    if not rows:
        print("No quota borrowed or lent.")
        return
    head = ("NAMESPACE", "QUOTA", "RESOURCE", "BORROWED HOURS", "LENT HOURS", "SINCE")
    lines = [
        (
            row.namespace if with_namespace else "",
            row.quota,
            row.resource,
            row.borrowed_hours,
            row.lent_hours,
            row.since,
        )
        for row in rows
    ]
    table.show(head, [table.Line(line) for line in lines])
