"""Reports missing CustomResourceDefinitions; without them the API server stores no quotas."""

from collections.abc import Iterator

from elasticquota_cli.doctor.finding import Finding
from elasticquota_cli.doctor.inventory import Inventory


def look(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each of our kinds that the API server does not know."""
    for resource in sorted(inventory.missing, key=lambda each: each.plural):
        yield Finding(
            "error",
            f"CustomResourceDefinition {resource.plural}.{resource.group}",
            "the API server does not know this kind: there are no quotas at all",
            "install the chart, or kubectl apply --server-side -f crds/",
        )
