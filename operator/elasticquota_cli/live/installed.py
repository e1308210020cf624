"""Stored objects of the operator: of each kind, the few fields that the doctor reads."""

from typing import Final

import msgspec

from elasticquota.model import moments
from elasticquota.wire.codec.metadata import ObjectMeta


OPERATOR: Final = "elastic-quota-operator"
"""The objects of the chart have this value of ``app.kubernetes.io/part-of``, however named."""
PART_LABEL: Final = "app.kubernetes.io/part-of"
COMPONENT_LABEL: Final = "app.kubernetes.io/component"


class ConfigMap(msgspec.Struct, gc=False):
    """The operator's ConfigMap."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    data: dict[str, str] | None = None


class _LeaseSpec(msgspec.Struct, rename="camel", gc=False):
    holder_identity: str | None = None
    lease_duration_seconds: int | None = None
    renew_time: str | None = None


class Lease(msgspec.Struct, gc=False):
    """A Lease of the leader election."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: _LeaseSpec = msgspec.field(default_factory=_LeaseSpec)

    @property
    def renewed(self) -> int | None:
        """Epoch milliseconds, by the clock of the holder; None: never."""
        # The API server stores microseconds here.
        whole, _, _ = (self.spec.renew_time or "").rstrip("Z").partition(".")
        return moments.read(f"{whole}Z")


class _Scale(msgspec.Struct, rename="camel", gc=False):
    replicas: int | None = None


class _Readiness(msgspec.Struct, rename="camel", gc=False):
    ready_replicas: int | None = None


class Deployment(msgspec.Struct, gc=False):
    """A Deployment of the chart, with its numbers of replicas."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: _Scale = msgspec.field(default_factory=_Scale)
    status: _Readiness = msgspec.field(default_factory=_Readiness)

    @property
    def component(self) -> str:
        """The process that it runs: controller or webhook."""
        return self.metadata.label(COMPONENT_LABEL)

    @property
    def wanted(self) -> int:
        """The number of replicas; 1 if it states none."""
        return 1 if self.spec.replicas is None else self.spec.replicas


class _Service(msgspec.Struct, gc=False):
    path: str | None = None


class _Client(msgspec.Struct, rename={"ca_bundle": "caBundle"}, gc=False):
    ca_bundle: str | None = None
    service: _Service = msgspec.field(default_factory=_Service)


class Hook(msgspec.Struct, rename="camel", gc=False):
    """One webhook of a configuration."""

    name: str = ""
    client_config: _Client = msgspec.field(default_factory=_Client)
    failure_policy: str = "Fail"

    @property
    def lacks(self) -> str:
        """What the API server lacks to call it: ``caBundle`` or ``path``; empty: nothing."""
        if not self.client_config.ca_bundle:
            return "caBundle"
        # Our webhook answers only below a token; the API server stores a missing path as "/".
        return "" if (self.client_config.service.path or "/") != "/" else "path"


class HookConfiguration(msgspec.Struct, gc=False):
    """A mutating or validating webhook configuration."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    webhooks: list[Hook] | None = None
