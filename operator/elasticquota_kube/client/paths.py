"""A resource of the Kubernetes API and the URL paths below it."""

from collections.abc import Sequence
from typing import Final, Protocol
from urllib.parse import quote

from elasticquota import names
from elasticquota.structs import Struct
from elasticquota.wire.admission import admission_policies


class Resource(Struct, frozen=True):
    """One collection of the API, such as pods; `group` is empty for the core group."""

    group: str
    version: str
    plural: str

    @property
    def api_version(self) -> str:
        """The text that manifests carry in ``apiVersion``."""
        return f"{self.group}/{self.version}" if self.group else self.version

    def list(self, namespace: str | None = None) -> str:
        """Return the path of the collection, in all namespaces when none is given."""
        root = f"/apis/{self.group}" if self.group else "/api"
        middle = f"/namespaces/{quote(namespace, safe='')}" if namespace else ""
        return f"{root}/{self.version}{middle}/{self.plural}"

    def named(self, namespace: str | None, name: str, subresource: str | None = None) -> str:
        """Return the path of one object; `namespace` is None for cluster-wide resources."""
        tail = f"/{subresource}" if subresource else ""
        return f"{self.list(namespace)}/{quote(name, safe='')}{tail}"


class VersionedKind(Protocol):
    """A kind of another system, which may be served in any of several versions."""

    @property
    def group(self) -> str: ...

    @property
    def versions(self) -> Sequence[str]:
        """Most preferred first."""

    @property
    def plural(self) -> str: ...


def of_kind(kind: VersionedKind) -> Sequence[Resource]:
    """Return one resource for each version of the kind, most preferred first."""
    return [Resource(kind.group, version, kind.plural) for version in kind.versions]


PODS = Resource("", "v1", "pods")
NODES = Resource("", "v1", "nodes")
NAMESPACES = Resource("", "v1", "namespaces")
SECRETS = Resource("", "v1", "secrets")
CONFIG_MAPS = Resource("", "v1", "configmaps")
RESOURCE_QUOTAS = Resource("", "v1", "resourcequotas")
LEASES = Resource("coordination.k8s.io", "v1", "leases")
EVENTS = Resource("events.k8s.io", "v1", "events")
CORE_EVENTS = Resource("", "v1", "events")
"""The same objects with other field names."""
DEPLOYMENTS = Resource("apps", "v1", "deployments")
DISRUPTION_BUDGETS = Resource("policy", "v1", "poddisruptionbudgets")
PRIORITY_CLASSES = Resource("scheduling.k8s.io", "v1", "priorityclasses")
_ADMISSION: Final = "admissionregistration.k8s.io"
MUTATING_WEBHOOKS = Resource(_ADMISSION, "v1", "mutatingwebhookconfigurations")
VALIDATING_WEBHOOKS = Resource(_ADMISSION, "v1", "validatingwebhookconfigurations")
VALIDATING_POLICIES = Resource(_ADMISSION, "v1", "validatingadmissionpolicies")
VALIDATING_BINDINGS = Resource(_ADMISSION, "v1", "validatingadmissionpolicybindings")
MUTATING_POLICIES = Resource(_ADMISSION, "v1", "mutatingadmissionpolicies")
MUTATING_BINDINGS = Resource(_ADMISSION, "v1", "mutatingadmissionpolicybindings")
POLICIES: Final = {
    admission_policies.VALIDATING: (VALIDATING_POLICIES, VALIDATING_BINDINGS),
    admission_policies.MUTATING: (MUTATING_POLICIES, MUTATING_BINDINGS),
}
"""By kind of a policy, its resource and that of its bindings."""
QUOTAS = Resource(names.QUOTA_GROUP, names.QUOTA_VERSION, names.QUOTA_PLURAL)
PROFILES = Resource(names.PROFILE_GROUP, names.PROFILE_VERSION, names.PROFILE_PLURAL)
TREES = Resource(names.TREE_GROUP, names.TREE_VERSION, names.TREE_PLURAL)
CAPACITY_QUOTAS = Resource(names.CAPACITY_GROUP, names.CAPACITY_VERSION, names.CAPACITY_PLURAL)
JOB_QUEUES = Resource(names.JOB_QUEUE_GROUP, names.JOB_QUEUE_VERSION, names.JOB_QUEUE_PLURAL)
KARPENTER_POOLS = Resource("karpenter.sh", "v1", "nodepools")
POD_TEMPLATES = Resource("", "v1", "podtemplates")
PROVISIONING_REQUESTS = Resource(
    names.PROVISIONING_GROUP, names.PROVISIONING_VERSION, names.PROVISIONING_PLURAL
)
QUEUE_UNITS = Resource(names.JOB_QUEUE_GROUP, names.JOB_QUEUE_VERSION, names.QUEUE_UNIT_PLURAL)
