"""Make a quota for each line of a CSV file, with the official Kubernetes client.

    pip install 'elastic-quota-operator[api]' kubernetes
    python examples/python/apply_teams.py examples/python/teams.csv

A second run changes what the file changed. Quotas that the file no longer names stay.
"""

import csv
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from kubernetes import config, dynamic
from pydantic import ValidationError

from elasticquota_api import ElasticQuota, Metadata, QuotaSpec


def quotas(lines: Iterable[str]) -> Iterator[ElasticQuota]:
    """Return the quota of each line; raise ValueError for a line that makes none."""
    for number, row in enumerate(csv.DictReader(lines), start=2):
        try:
            yield ElasticQuota(
                metadata=Metadata(name=row["team"], namespace=row["namespace"]),
                spec=QuotaSpec(
                    parent=row["parent"],
                    min={"cpu": row["cpu guaranteed"], "memory": row["memory guaranteed"]},
                    max={"cpu": row["cpu at most"], "memory": row["memory at most"]},
                ),
            )
        except ValidationError as error:
            raise ValueError(f"line {number}: {error}") from error


def apply(found: Iterable[ElasticQuota], cluster: dynamic.DynamicClient) -> None:
    """Create or change the quotas, by server-side apply."""
    for quota in found:
        kind = cluster.resources.get(api_version=quota.api_version, kind=quota.kind)
        cluster.server_side_apply(kind, body=quota.manifest(), field_manager="apply-teams")
        print(f"{quota.metadata.namespace}/{quota.metadata.name} applied")


if __name__ == "__main__":
    with Path(sys.argv[1]).open(encoding="utf-8", newline="") as file:
        teams = list(quotas(file))  # no quota is applied when a line is wrong
    apply(teams, dynamic.DynamicClient(config.new_client_from_config()))
