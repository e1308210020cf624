"""Reports parts of the installation that are missing or do not work.

* Without CustomResourceDefinitions the API server stores no quotas; it drops the fields that those
  of another version or project do not have.
* Kinds of other systems may be served in versions that the controller does not read.
* A process without ready replicas does no work.
* A webhook configuration without caBundle or path is never called. Whether the webhook answers is
  not checked here; metrics and probes show it.
* Without the Secret of its authority the webhook cannot renew its certificates.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from elasticquota.derived import replaced_definitions
from elasticquota.forest import wording
from elasticquota_cli.doctor.inventory import Inventory
from elasticquota_cli.doctor.report import Finding
from elasticquota_cli.live.installed import (
    COMPONENT_LABEL,
    OPERATOR,
    PART_LABEL,
    Hook,
    HookConfiguration,
)
from elasticquota_kube.client import paths


_WITHOUT_REPLICAS: Final[Mapping[str, str]] = {
    "controller": "no pod is admitted, and none is reclaimed",
    "webhook": "the API server gets no answer, and each failurePolicy decides: with Fail quotas "
    "cannot be written",
}
_WITHOUT_CONFIGURATION: Final = {
    "MutatingWebhookConfiguration": "nothing is filled into new quotas, and the webhook holds no "
    "new pods at the gate",
    "ValidatingWebhookConfiguration": "quotas and profiles are not validated when they are written",
}
_FAIL: Final = "Fail"
_REMEDIES: Final = {
    "caBundle": "the webhook fills it in, or cert-manager where that was chosen: look at the logs "
    "of the webhook's pods, or at the Certificate (docs/certificates.md)",
    "path": "the webhook fills it in, unless webhook.pathToken has it: look at the logs of the "
    "webhook's pods (docs/certificates.md)",
}


def look_at_definitions(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each of our kinds that the API server does not know, or only in part."""
    for resource in sorted(inventory.found.missing, key=lambda each: each.plural):
        yield Finding(
            "error",
            f"CustomResourceDefinition {resource.plural}.{resource.group}",
            "the API server does not know this kind: there are no quotas at all",
            "install the chart, or kubectl apply --server-side -f crds/",
            (),
        )

    for resource, fields in inventory.found.lacking.items():
        yield Finding(
            "error",
            f"CustomResourceDefinition {resource.plural}.{resource.group}",
            replaced_definitions.text(fields),
            "kubectl apply --server-side --force-conflicts -f crds/ of this version, and restart "
            "the controller",
            (),
        )


def look_at_versions(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each kind that is served in no version that the controller reads."""
    for found in inventory.found.unread:
        pods = f", and the pods of its {found.adapter} groups wait" if found.adapter else ""
        yield Finding(
            "error",
            f"definition {found.definition}",
            f"{found}: its objects count nowhere{pods}",
            "upgrade the operator, serve a version that it reads, or take the kind out of the "
            "configuration",
            (),
        )


def look_at_replicas(inventory: Inventory) -> Iterator[Finding]:
    """One finding for each Deployment that is not ready."""
    for deployment in inventory.deployments:
        ready, wanted = deployment.status.ready_replicas or 0, deployment.wanted
        if ready >= wanted > 0:
            continue
        key = deployment.metadata.key
        idle = _WITHOUT_REPLICAS.get(deployment.component, "its work is not done")
        text = f"{ready} of {wanted} replicas are ready"
        which = f"{COMPONENT_LABEL}={deployment.component}"
        remedy = f"kubectl describe pods -n {key.namespace} -l {which} shows what they wait for"
        if not ready and wanted:
            text += f": {idle}"
        elif not ready:
            text = f"is scaled to 0: {idle}"
            remedy = f"kubectl scale -n {key.namespace} deployment/{key.name} --replicas 2"
        yield Finding("warning" if ready else "error", f"Deployment {key}", text, remedy, ())


def look_at_webhooks(inventory: Inventory) -> Iterator[Finding]:
    """Findings for missing configurations, and for entries without caBundle or path."""
    for kind, consequence in _WITHOUT_CONFIGURATION.items():
        if not inventory.hooks[kind]:
            yield Finding(
                "error",
                kind,
                f"there is none of the chart ({PART_LABEL}={OPERATOR}): {consequence}",
                "install the chart, or helm upgrade it",
                (),
            )
        for configuration in inventory.hooks[kind]:
            for what, remedy in _REMEDIES.items():
                yield from _without(kind, configuration, what, remedy)


def look_at_authority(inventory: Inventory) -> Iterator[Finding]:
    """One finding if the Secret with the webhook's authority was looked for and is gone."""
    found = inventory.found.objects
    if paths.SECRETS in found and not found[paths.SECRETS]:
        yield Finding(
            "error",
            f"Secret {inventory.at.home}/{inventory.at.chosen.webhook.ca_secret}",
            "is gone: replicas of the webhook go on until their certificates expire, new ones do "
            "not get ready",
            "helm upgrade the release, which creates it (docs/certificates.md)",
            (),
        )


def _without(
    kind: str, configuration: HookConfiguration, what: str, remedy: str
) -> Iterator[Finding]:
    hooks = configuration.webhooks or ()
    closed = [hook for hook in hooks if hook.lacks == what]
    refuse = [hook for hook in closed if hook.failure_policy == _FAIL]
    pass_by = [hook for hook in closed if hook.failure_policy != _FAIL]
    parts = []
    if refuse:
        parts.append(f"requests for {_named(refuse)} are refused (failurePolicy Fail)")
    if pass_by:
        parts.append(f"requests for {_named(pass_by)} are not checked (failurePolicy Ignore)")
    if parts:
        yield Finding(
            "error",
            f"{kind} {configuration.metadata.name}",
            f"{len(closed)} of {len(hooks)} webhooks have no {what}: {'; '.join(parts)}",
            remedy,
            (),
        )


def _named(hooks: list[Hook]) -> str:
    return wording.some([hook.name for hook in hooks])
