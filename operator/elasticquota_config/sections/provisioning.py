"""The section of ProvisioningRequests: nodes are asked for before a group or a job starts."""

from typing import Annotated

from msgspec import Meta

from elasticquota.provisioning.step import ProvisioningTerms
from elasticquota.structs import field
from elasticquota_config.fields.section import Section


ClassName = Annotated[
    str,
    Meta(
        max_length=253,
        pattern=r"([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?",
    ),
]


class ProvisioningSection(Section, frozen=True):
    """Whether a cluster autoscaler is asked for nodes before an admitted group or job starts
    (docs/provisioning.md).
    """

    class_name: ClassName = ""
    """The provisioning class, such as `check-capacity.autoscaling.x-k8s.io` or
    `best-effort-atomic-scale-up.autoscaling.x-k8s.io`; empty: no autoscaler is asked."""
    parameters: Annotated[dict[str, Annotated[str, Meta(max_length=255)]], Meta(max_length=100)] = (
        field(default_factory=dict)
    )
    """Parameters of each request, as the autoscaler documents them for the class."""
    timeout_seconds: Annotated[int, Meta(ge=1, le=86400)] = 900
    """Seconds for which an admitted group or job holds its room while the autoscaler provisions
    nodes; then it goes back. It starts without if no autoscaler has answered at all."""
    backoff_seconds: Annotated[int, Meta(ge=1, le=3600)] = 60
    """Seconds for which a group that the autoscaler refused stays out of its queue; doubled each
    time. Jobs have `jobs.backoffSeconds`."""

    def terms(self) -> ProvisioningTerms | None:
        """Convert to the value of the core package, in milliseconds; None: it is off."""
        if not self.class_name:
            return None
        return ProvisioningTerms(
            self.class_name,
            tuple(sorted(self.parameters.items())),
            self.timeout_seconds * 1000,
            self.backoff_seconds * 1000,
        )
