"""Without its two kinds the API server stores no quotas, and nothing else here works."""

from collections.abc import Iterator

from elasticquota_cli.doctor.finding import Finding
from elasticquota_cli.doctor.inventory import Inventory


def look(inventory: Inventory) -> Iterator[Finding]:
    for resource in sorted(inventory.missing, key=lambda each: each.plural):
        yield Finding(
            "error",
            f"CustomResourceDefinition {resource.plural}.{resource.group}",
            "the API server does not know this kind: there are no quotas at all",
            "install the chart, or kubectl apply --server-side -f crds/",
        )
