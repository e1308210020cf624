"""The service account of the autoscaler and its rights.

They are as few as it needs. It may write the status of ProvisioningRequests, which no tenant may.
"""

from typing import Final

from local_cluster import api
from local_cluster.api import Object


_NAME: Final = "cluster-autoscaler"
_SPACE: Final = "kube-system"
_RBAC: Final = "rbac.authorization.k8s.io"
_RULES: Final = (
    ("", ["nodes"], ["get", "list", "create", "patch", "delete"]),
    ("", ["pods", "podtemplates"], ["list"]),
    ("", ["configmaps"], ["get"]),
    ("", ["events"], ["create"]),
    ("autoscaling.x-k8s.io", ["provisioningrequests"], ["list"]),
    ("autoscaling.x-k8s.io", ["provisioningrequests/status"], ["patch"]),
)


async def give(client: api.Client) -> None:
    """Create account, role and binding; ``client`` is an administrator."""
    rules = [
        {"apiGroups": [group], "resources": resources, "verbs": verbs}
        for group, resources, verbs in _RULES
    ]
    subject = {"kind": "ServiceAccount", "name": _NAME, "namespace": _SPACE}
    role = {"apiGroup": _RBAC, "kind": "ClusterRole", "name": _NAME}
    rbac = f"/apis/{_RBAC}/v1"
    account = f"/api/v1/namespaces/{_SPACE}/serviceaccounts"
    objects: list[tuple[str, Object]] = [
        (account, {}),
        (f"{rbac}/clusterroles", {"rules": rules}),
        (f"{rbac}/clusterrolebindings", {"subjects": [subject], "roleRef": role}),
    ]
    await api.eventually(30, client, f"/api/v1/namespaces/{_SPACE}")
    for path, parts in objects:
        await client.create(path, {"metadata": {"name": _NAME}, **parts})
