"""Reports processes of the operator without ready replicas."""

from collections.abc import Iterator, Mapping
from typing import Final

from elasticquota_cli.doctor.finding import Finding
from elasticquota_cli.doctor.inventory import COMPONENT_LABEL, Deployment, Inventory


_WITHOUT: Final[Mapping[str, str]] = {
    "controller": "no pod is admitted, and none is reclaimed",
    "webhook": "the API server gets no answer, and each failurePolicy decides: with Fail quotas "
    "cannot be written",
}


def look(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each Deployment that is not ready."""
    for found in inventory.deployments:
        if found.ready >= found.wanted > 0:
            continue
        name = f"Deployment {found.key}"
        text = f"{found.ready} of {found.wanted} replicas are ready"
        if found.ready:
            yield Finding("warning", name, text, _look_at(found))
        elif found.wanted:
            text += f": {_WITHOUT.get(found.component, 'its work is not done')}"
            yield Finding("error", name, text, _look_at(found))
        else:
            text = f"is scaled to 0: {_WITHOUT.get(found.component, 'its work is not done')}"
            yield Finding(
                "error",
                name,
                text,
                f"kubectl scale -n {found.key.namespace} deployment/{found.key.name} --replicas 2",
            )


def _look_at(found: Deployment) -> str:
    which = f"{COMPONENT_LABEL}={found.component}"
    return f"kubectl describe pods -n {found.key.namespace} -l {which} shows what they wait for"
