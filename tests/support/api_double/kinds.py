"""The kinds that the double serves, with what the API server knows about each."""

from dataclasses import dataclass

from elasticquota import names
from elasticquota_kube.client import paths
from elasticquota_kube.client.paths import Resource


@dataclass(frozen=True, slots=True)
class Kind:
    """A resource with its kind; `status` says whether it has the subresource of that name."""

    resource: Resource
    kind: str
    namespaced: bool = True
    status: bool = False

    @property
    def is_custom(self) -> bool:
        """Custom resources name their kind in lists and require a version in every replacement."""
        return self.resource in (paths.QUOTAS, paths.PROFILES)


SERVED = (
    Kind(paths.NAMESPACES, "Namespace", namespaced=False, status=True),
    Kind(paths.NODES, "Node", namespaced=False, status=True),
    Kind(paths.PODS, "Pod", status=True),
    Kind(paths.SECRETS, "Secret"),
    Kind(paths.CONFIG_MAPS, "ConfigMap"),
    Kind(paths.LEASES, "Lease"),
    Kind(paths.EVENTS, "Event"),
    Kind(paths.CORE_EVENTS, "Event"),
    Kind(paths.DISRUPTION_BUDGETS, "PodDisruptionBudget", status=True),
    Kind(paths.PRIORITY_CLASSES, "PriorityClass", namespaced=False),
    Kind(paths.MUTATING_WEBHOOKS, "MutatingWebhookConfiguration", namespaced=False),
    Kind(paths.VALIDATING_WEBHOOKS, "ValidatingWebhookConfiguration", namespaced=False),
    Kind(paths.QUOTAS, names.QUOTA_KIND, status=True),
    Kind(paths.PROFILES, names.PROFILE_KIND, status=True),
)
