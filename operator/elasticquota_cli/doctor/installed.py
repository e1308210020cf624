"""Stored objects of the operator: of each kind, the few fields that the doctor reads."""

import msgspec

from elasticquota.model import moments
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota_cli.doctor.inventory import COMPONENT_LABEL, Deployment, Hook, Lease, WebhookEntry


class ConfigMap(msgspec.Struct, gc=False):
    """The operator's ConfigMap."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    data: dict[str, str] | None = None


class _LeaseSpec(msgspec.Struct, rename="camel", gc=False):
    holder_identity: str | None = None
    lease_duration_seconds: int | None = None
    renew_time: str | None = None


class LeaseManifest(msgspec.Struct, gc=False):
    """A Lease."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: _LeaseSpec = msgspec.field(default_factory=_LeaseSpec)


class _Scale(msgspec.Struct, rename="camel", gc=False):
    replicas: int | None = None


class _Readiness(msgspec.Struct, rename="camel", gc=False):
    ready_replicas: int | None = None


class DeploymentManifest(msgspec.Struct, gc=False):
    """A Deployment with its numbers of replicas."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: _Scale = msgspec.field(default_factory=_Scale)
    status: _Readiness = msgspec.field(default_factory=_Readiness)


class _Service(msgspec.Struct, gc=False):
    path: str | None = None


class _Client(msgspec.Struct, rename={"ca_bundle": "caBundle"}, gc=False):
    ca_bundle: str | None = None
    service: _Service = msgspec.field(default_factory=_Service)


class _Hook(msgspec.Struct, rename="camel", gc=False):
    name: str = ""
    client_config: _Client = msgspec.field(default_factory=_Client)
    failure_policy: str = "Fail"


class HookConfiguration(msgspec.Struct, gc=False):
    """A mutating or validating webhook configuration."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    webhooks: list[_Hook] | None = None


def lease(stored: LeaseManifest) -> Lease:
    """Read a Lease."""
    spec = stored.spec
    # The API server stores microseconds here.
    whole, _, _ = (spec.renew_time or "").rstrip("Z").partition(".")
    return Lease(
        stored.metadata.key,
        spec.holder_identity or "",
        moments.read(f"{whole}Z"),
        spec.lease_duration_seconds or 0,
    )


def deployment(stored: DeploymentManifest) -> Deployment:
    """Read a Deployment; without ``replicas`` it wants one."""
    wanted = stored.spec.replicas
    return Deployment(
        stored.metadata.key,
        stored.metadata.label(COMPONENT_LABEL),
        1 if wanted is None else wanted,
        stored.status.ready_replicas or 0,
    )


def door(stored: HookConfiguration, kind: str) -> WebhookEntry:
    """Read a webhook configuration of ``kind``."""
    hooks = (
        Hook(hook.name, _lacks(hook.client_config), hook.failure_policy)
        for hook in stored.webhooks or ()
    )
    return WebhookEntry(kind, stored.metadata.name, tuple(hooks))


def _lacks(client: _Client) -> str:
    if not client.ca_bundle:
        return "caBundle"
    # Our webhook answers only below a token; the API server stores a missing path as "/".
    return "" if (client.service.path or "/") != "/" else "path"
