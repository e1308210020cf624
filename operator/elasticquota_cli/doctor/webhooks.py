"""Checks that the webhook configurations exist, with caBundle and path.

This checks that the API server can call the webhook, not that it answers; metrics and probes do.
"""

from collections.abc import Iterator
from typing import Final

from elasticquota_cli import wording
from elasticquota_cli.doctor.finding import Finding
from elasticquota_cli.doctor.inventory import NAME_LABEL, OPERATOR, Hook, Inventory, WebhookEntry


_WITHOUT: Final = {
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


def look(inventory: Inventory) -> Iterator[Finding]:
    """Findings for missing configurations, and for entries without caBundle or path."""
    there = {door.kind for door in inventory.webhook_entries}
    for kind, consequence in _WITHOUT.items():
        if kind not in there:
            yield Finding(
                "error",
                kind,
                f"there is none of the chart ({NAME_LABEL}={OPERATOR}): {consequence}",
                "install the chart, or helm upgrade it",
            )
    for door in inventory.webhook_entries:
        for what, remedy in _REMEDIES.items():
            yield from _without(door, what, remedy)


def _without(door: WebhookEntry, what: str, remedy: str) -> Iterator[Finding]:
    closed = [hook for hook in door.hooks if hook.lacks == what]
    if not closed:
        return
    refuse = [hook for hook in closed if hook.failure_policy == _FAIL]
    pass_by = [hook for hook in closed if hook.failure_policy != _FAIL]
    parts = []
    if refuse:
        parts.append(f"requests for {_named(refuse)} are refused (failurePolicy Fail)")
    if pass_by:
        parts.append(f"requests for {_named(pass_by)} are not checked (failurePolicy Ignore)")
    yield Finding(
        "error",
        f"{door.kind} {door.name}",
        f"{len(closed)} of {len(door.hooks)} webhooks have no {what}: {'; '.join(parts)}",
        remedy,
    )


def _named(hooks: list[Hook]) -> str:
    return wording.some([hook.name for hook in hooks])
