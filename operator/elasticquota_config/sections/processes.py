"""The sections about the processes: election, listeners, certificates and logs."""

from typing import Annotated, Literal

from msgspec import Meta

from elasticquota_config.fields.section import Section
from elasticquota_config.sections.names import Name, Port


class LeaseSection(Section, frozen=True):
    """The Lease for the election of one leading controller."""

    name: Name = "elastic-quota-controller"
    """Name of the Lease, in the namespace of the process."""
    duration_seconds: Annotated[int, Meta(ge=1, le=3600)] = 15
    """Seconds without renewal after which the leader loses the Lease."""
    renew_seconds: Annotated[int, Meta(ge=1, le=3600)] = 10
    """Seconds for which a leader tries to renew before it gives up; less than `durationSeconds`."""
    retry_seconds: Annotated[int, Meta(ge=1, le=3600)] = 2
    """Seconds between two tries; less than `renewSeconds`."""

    def __post_init__(self) -> None:
        if not self.retry_seconds < self.renew_seconds < self.duration_seconds:
            raise ValueError(
                "must hold retrySeconds < renewSeconds < durationSeconds, got "
                f"{self.retry_seconds}, {self.renew_seconds}, {self.duration_seconds}"
            )


class Controller(Section, frozen=True):
    """The controller's own listeners, health and metrics by plain HTTP, and its events."""

    port: Port = 8080
    """Port of /readyz and /metrics, plain HTTP."""
    liveness_port: Port = 8082
    """Port of /healthz, which Kopf serves, plain HTTP."""
    event_refresh_seconds: Annotated[int, Meta(ge=5, le=86_400)] = 3000
    """Age at which the event of a pod that still waits is written again, less than the API server
    keeps events (`--event-ttl`, an hour by default)."""

    def __post_init__(self) -> None:
        if self.port == self.liveness_port:
            raise ValueError(
                f"must have two different ports, got port = livenessPort = {self.port}"
            )


class Certificates(Section, frozen=True):
    """Where the webhook's certificate comes from, and whether the webhook publishes its CA."""

    mode: Literal["self", "certManager", "secret"] = "self"
    """Source of the certificate: the webhook itself, cert-manager, or a Secret of yours."""
    publish_bundle: bool = True
    """Whether the webhook fills in `caBundle`; true with mode self, false with certManager."""
    publish_path: bool = True
    """Whether the webhook fills in the paths, with a token that only the API server receives."""

    def __post_init__(self) -> None:
        # In mode secret either side may publish.
        if self.mode == "self" and not self.publish_bundle:
            raise ValueError(
                "must have publishBundle: true with mode self, only the webhook knows the CA"
            )
        if self.mode == "certManager" and self.publish_bundle:
            raise ValueError(
                "must have publishBundle: false with mode certManager, which publishes itself"
            )


class WebhookSection(Section, frozen=True):
    """The webhook's listeners and the names of the objects that belong to it."""

    port: Port = 9443
    """Port of the admission server, HTTPS."""
    health_port: Port = 8081
    """Port of /healthz, /readyz and /metrics, plain HTTP."""
    service: Name = "elastic-quota-webhook"
    """Name of the Service that the API server calls."""
    ca_secret: Name = "elastic-quota-webhook-ca"  # noqa: S105 - the name of an object
    """Name of the Secret that holds the CA of mode self."""
    configuration: Name = "elastic-quota-webhook"
    """Name of both webhook configurations."""
    certificates: Certificates = Certificates()

    def __post_init__(self) -> None:
        if self.port == self.health_port:
            raise ValueError(f"must have two different ports, got port = healthPort = {self.port}")


class Logging(Section, frozen=True):
    """Log lines, on standard error."""

    format: Literal["auto", "json", "text"] = "auto"
    """Form of log lines; auto: json unless standard error is a terminal."""
    level: Literal["debug", "info", "warning", "error"] = "info"
    """Least severe level that is logged."""
