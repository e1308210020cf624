"""Each process of the operator has replicas that are ready; without any, nobody does its work."""

from collections.abc import Iterator, Mapping
from typing import Final

from elasticquota_cli.doctor.finding import Finding
from elasticquota_cli.doctor.inventory import COMPONENT_LABEL, Deployment, Inventory


_WITHOUT: Final[Mapping[str, str]] = {
    "controller": "nobody is let in, and nobody gives back",
    "webhook": "nobody answers the API server, and each failurePolicy decides: with Fail quotas "
    "cannot be written",
}


def look(inventory: Inventory) -> Iterator[Finding]:
    for found in inventory.deployments:
        if found.ready >= found.wanted > 0:
            continue
        name = f"Deployment {found.key}"
        text = f"{found.ready} of {found.wanted} replicas are ready"
        if found.ready:
            yield Finding("warning", name, text, _look_at(found))
        elif found.wanted:
            text += f": {_WITHOUT.get(found.component, 'nobody does its work')}"
            yield Finding("error", name, text, _look_at(found))
        else:
            text = f"is scaled to 0: {_WITHOUT.get(found.component, 'nobody does its work')}"
            yield Finding(
                "error",
                name,
                text,
                f"kubectl scale -n {found.key.namespace} deployment/{found.key.name} --replicas 2",
            )


def _look_at(found: Deployment) -> str:
    which = f"{COMPONENT_LABEL}={found.component}"
    return f"kubectl describe pods -n {found.key.namespace} -l {which} says what they wait for"
