"""Reports that nodes are to be asked for by a kind that is not installed."""

from collections.abc import Iterator

from elasticquota_cli.doctor.inventory import Inventory
from elasticquota_cli.doctor.report import Finding
from elasticquota_kube.client.paths import PROVISIONING_REQUESTS


def look(inventory: Inventory) -> Iterator[Finding]:
    """One finding if `provisioning.className` is set and the API server lacks the kind."""
    class_name = inventory.at.chosen.provisioning.class_name
    if class_name and PROVISIONING_REQUESTS in inventory.found.not_served:
        kind = f"{PROVISIONING_REQUESTS.plural}.{PROVISIONING_REQUESTS.group}"
        yield Finding(
            "warning",
            f"CustomResourceDefinition {kind}",
            f"provisioning.className is {class_name}, and the API server does not know this kind: "
            "groups and jobs start without asking the autoscaler for nodes",
            "install the definition of Cluster Autoscaler, or empty config.provisioning.className",
            (),
        )
