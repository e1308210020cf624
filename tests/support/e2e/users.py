"""Users of the cluster through the official client, each with credentials of their own.

Objects are plain documents in both directions. The product's own client is never used here: it must
not test itself.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from kubernetes import client, config


Document = dict[str, Any]


class Kind(NamedTuple):
    """Where the objects of one kind are in the API."""

    api_version: str
    plural: str
    namespaced: bool = True


KINDS: Final[Mapping[str, Kind]] = {
    "ClusterRoleBinding": Kind(
        "rbac.authorization.k8s.io/v1", "clusterrolebindings", namespaced=False
    ),
    "ClusterRole": Kind("rbac.authorization.k8s.io/v1", "clusterroles", namespaced=False),
    "ClusterQueue": Kind("kueue.x-k8s.io/v1beta2", "clusterqueues", namespaced=False),
    "ConfigMap": Kind("v1", "configmaps"),
    "CronJob": Kind("batch/v1", "cronjobs"),
    "CustomResourceDefinition": Kind(
        "apiextensions.k8s.io/v1", "customresourcedefinitions", namespaced=False
    ),
    "DaemonSet": Kind("apps/v1", "daemonsets"),
    "Deployment": Kind("apps/v1", "deployments"),
    "ElasticQuota": Kind("scheduling.sigs.k8s.io/v1alpha1", "elasticquotas"),
    "ElasticQuotaProfile": Kind("quota.koordinator.sh/v1alpha1", "elasticquotaprofiles"),
    "ElasticQuotaTree": Kind("scheduling.sigs.k8s.io/v1beta1", "elasticquotatrees"),
    "DeviceClass": Kind("resource.k8s.io/v1", "deviceclasses", namespaced=False),
    "Event": Kind("v1", "events"),
    "Job": Kind("batch/v1", "jobs"),
    "JobSet": Kind("jobset.x-k8s.io/v1alpha2", "jobsets"),
    "LimitRange": Kind("v1", "limitranges"),
    "LocalQueue": Kind("kueue.x-k8s.io/v1beta2", "localqueues"),
    "Lease": Kind("coordination.k8s.io/v1", "leases"),
    "MPIJob": Kind("kubeflow.org/v2beta1", "mpijobs"),
    "MutatingWebhookConfiguration": Kind(
        "admissionregistration.k8s.io/v1", "mutatingwebhookconfigurations", namespaced=False
    ),
    "Namespace": Kind("v1", "namespaces", namespaced=False),
    "Node": Kind("v1", "nodes", namespaced=False),
    "PaddleJob": Kind("kubeflow.org/v1", "paddlejobs"),
    "Pod": Kind("v1", "pods"),
    "PodDisruptionBudget": Kind("policy/v1", "poddisruptionbudgets"),
    "PodTemplate": Kind("v1", "podtemplates"),
    "PriorityClass": Kind("scheduling.k8s.io/v1", "priorityclasses", namespaced=False),
    "ProvisioningRequest": Kind("autoscaling.x-k8s.io/v1", "provisioningrequests"),
    "PyTorchJob": Kind("kubeflow.org/v1", "pytorchjobs"),
    "Queue": Kind("scheduling.x-k8s.io/v1alpha1", "queues"),
    "QueueUnit": Kind("scheduling.x-k8s.io/v1alpha1", "queueunits"),
    "RayCluster": Kind("ray.io/v1", "rayclusters"),
    "RayJob": Kind("ray.io/v1", "rayjobs"),
    "ReplicaSet": Kind("apps/v1", "replicasets"),
    "ReplicationController": Kind("v1", "replicationcontrollers"),
    "ResourceClaim": Kind("resource.k8s.io/v1", "resourceclaims"),
    "ResourceClaimTemplate": Kind("resource.k8s.io/v1", "resourceclaimtemplates"),
    "ResourceFlavor": Kind("kueue.x-k8s.io/v1beta2", "resourceflavors", namespaced=False),
    "ResourceQuota": Kind("v1", "resourcequotas"),
    "ResourceSlice": Kind("resource.k8s.io/v1", "resourceslices", namespaced=False),
    "Role": Kind("rbac.authorization.k8s.io/v1", "roles"),
    "RoleBinding": Kind("rbac.authorization.k8s.io/v1", "rolebindings"),
    "Secret": Kind("v1", "secrets"),
    "Service": Kind("v1", "services"),
    "ServiceAccount": Kind("v1", "serviceaccounts"),
    "SparkApplication": Kind("sparkoperator.k8s.io/v1beta2", "sparkapplications"),
    "StatefulSet": Kind("apps/v1", "statefulsets"),
    "TFJob": Kind("kubeflow.org/v1", "tfjobs"),
    "TrainJob": Kind("trainer.kubeflow.org/v1alpha1", "trainjobs"),
    "ValidatingAdmissionPolicyBinding": Kind(
        "admissionregistration.k8s.io/v1", "validatingadmissionpolicybindings", namespaced=False
    ),
    "ValidatingAdmissionPolicy": Kind(
        "admissionregistration.k8s.io/v1", "validatingadmissionpolicies", namespaced=False
    ),
    "ValidatingWebhookConfiguration": Kind(
        "admissionregistration.k8s.io/v1", "validatingwebhookconfigurations", namespaced=False
    ),
    "VerticalPodAutoscaler": Kind("autoscaling.k8s.io/v1", "verticalpodautoscalers"),
    "Workflow": Kind("argoproj.io/v1alpha1", "workflows"),
    "Workload": Kind("kueue.x-k8s.io/v1beta2", "workloads"),
    "XGBoostJob": Kind("kubeflow.org/v1", "xgboostjobs"),
}


class NotRefusedError(AssertionError):
    """The API server did what it should have refused."""


class RefusedError(Exception):
    """The API server's answer when it refused a request."""

    def __init__(self, code: int, body: bytes) -> None:
        try:
            status = json.loads(body)
        except ValueError:  # such as "404 page not found"
            status = {"message": body.decode(errors="replace").strip()}
        self.code = code
        self.reason: str = status.get("reason", "")
        self.message: str = status.get("message", "")
        details: Document = status.get("details") or {}
        self.causes = tuple(
            (cause.get("field", ""), cause.get("message", ""))
            for cause in details.get("causes") or ()
        )
        """Each field that is wrong, with what is wrong of it."""
        self.fields = tuple(field for field, _ in self.causes)
        super().__init__(f"{self.code} {self.message}")


class User:
    """A user with credentials; every method raises ``RefusedError`` with the server's message."""

    def __init__(self, configuration: client.Configuration) -> None:
        configuration.retries = False
        self.configuration = configuration
        self._client = client.ApiClient(configuration)
        self.warned = ""
        """The warning in the last answer."""

    def close(self) -> None:
        """Close the connections."""
        self._client.rest_client.pool_manager.clear()

    def create(
        self, manifest: Document, *, dry_run: bool = False, strict: bool = False
    ) -> Document:
        """Create an object; ``strict`` refuses fields that the definition does not have."""
        path = _path(manifest["kind"], manifest["metadata"].get("namespace", ""))
        query = {"dryRun": "All"} if dry_run else {}
        if strict:
            query["fieldValidation"] = "Strict"
        return self._request("POST", path, manifest, query=query)

    def post(
        self, kind: str, name: str, namespace: str, subresource: str, body: Document
    ) -> Document:
        """Create a subresource, such as an Eviction at ``eviction`` of a Pod."""
        return self._request("POST", f"{_path(kind, namespace, name)}/{subresource}", body)

    def get(self, kind: str, name: str, namespace: str = "") -> Document:
        return self._request("GET", _path(kind, namespace, name))

    def find(self, kind: str, name: str, namespace: str = "") -> Document | None:
        """The object, or None when it does not exist."""
        try:
            return self.get(kind, name, namespace)
        except RefusedError as refused:
            if refused.code == 404:
                return None
            raise

    def list(self, kind: str, namespace: str = "", **selectors: str) -> list[Document]:
        """List objects; ``labelSelector`` and ``fieldSelector`` as in the API."""
        listed = self._request("GET", _path(kind, namespace), query=selectors)
        return list(listed["items"])

    def watch(self, kind: str, namespace: str, version: str, seconds: int) -> Iterator[Document]:
        """Events after that version, for that many seconds; with an empty version, all objects
        first.
        """
        query = {"watch": "true", "resourceVersion": version, "timeoutSeconds": str(seconds)}
        for line in self._answer("GET", _path(kind, namespace), query=query).response:
            yield json.loads(line)

    def patch(
        self,
        kind: str,
        name: str,
        namespace: str = "",
        *,
        change: Document | Sequence[Document],
        subresource: str = "",
        dry_run: bool = False,
    ) -> Document:
        """Patch an object: a mapping is a merge patch, a sequence a JSON patch."""
        form = "merge-patch" if isinstance(change, dict) else "json-patch"
        path = f"{_path(kind, namespace, name)}{subresource and '/'}{subresource}"
        query = {"dryRun": "All"} if dry_run else {}
        content = f"application/{form}+json"
        return self._request("PATCH", path, change, query=query, content=content)

    def apply(self, manifest: Document, manager: str) -> Document:
        """Apply on the server as this manager, which takes over every field of other managers."""
        meta = manifest["metadata"]
        path = _path(manifest["kind"], meta.get("namespace", ""), meta["name"])
        return self._request(
            "PATCH",
            path,
            manifest,
            query={"fieldManager": manager, "force": "true"},
            content="application/apply-patch+yaml",
        )

    def delete(self, kind: str, name: str, namespace: str = "", grace: int | None = None) -> None:
        """Delete with dependents, as kubectl does; the API's own default keeps the pods of Jobs."""
        query = {"propagationPolicy": "Background"}
        if grace is not None:
            query["gracePeriodSeconds"] = str(grace)
        self._request("DELETE", _path(kind, namespace, name), query=query)

    def delete_all(self, kind: str, namespace: str) -> None:
        self._request("DELETE", _path(kind, namespace), query={"gracePeriodSeconds": "0"})

    def _request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, str] | None = None,
        content: str = "application/json",
    ) -> Document:
        answer = self._answer(method, path, body, query=query, content=content)
        document: Document = json.loads(answer.read() or b"{}")
        return document

    def _answer(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, str] | None = None,
        content: str = "application/json",
    ) -> Any:
        """The answer if it is no refusal; its body is not read yet."""
        headers = {"Accept": "application/json", "Content-Type": content}
        serialized = self._client.param_serialize(
            method,
            path,
            query_params=list((query or {}).items()),
            header_params=headers,
            body=body,
            auth_settings=["BearerToken"],
        )
        answer: Any = self._client.call_api(*serialized, _request_timeout=30)
        self.warned = answer.getheaders().get("Warning", "")
        if answer.status >= 400:
            raise RefusedError(answer.status, answer.read())
        return answer


def admin(kubeconfig: Path) -> User:
    """The user of the kubeconfig."""
    configuration = client.Configuration()
    load: Any = config.load_kube_config
    load(str(kubeconfig), client_configuration=configuration)
    return User(configuration)


def tenant(boss: User, namespace: str, name: str = "tenant") -> User:
    """A ServiceAccount that may do in its namespace what the ClusterRole edit allows."""
    boss.create(
        {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": name, "namespace": namespace},
        }
    )
    boss.create(
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "RoleBinding",
            "metadata": {"name": name, "namespace": namespace},
            "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io",
                "kind": "ClusterRole",
                "name": "edit",
            },
            "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": namespace}],
        }
    )
    return account(boss, namespace, name)


def account(boss: User, namespace: str, name: str) -> User:
    """An existing ServiceAccount, with a token of its own."""
    request = {
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenRequest",
        "spec": {"audiences": [], "expirationSeconds": 3600},
    }
    token = boss.post("ServiceAccount", name, namespace, "token", request)["status"]["token"]
    configuration = client.Configuration()
    configuration.host = boss.configuration.host
    configuration.ssl_ca_cert = boss.configuration.ssl_ca_cert
    configuration.api_key = {"authorization": f"Bearer {token}"}
    return User(configuration)


def kubeconfig(user: User, folder: Path, *, server: str = "", namespace: str = "") -> Path:
    """A file in the folder with the token of an account and nothing else.

    ``server`` is another address of the same API server.
    """
    configuration = user.configuration
    cluster = {
        "server": server or configuration.host,
        "certificate-authority": configuration.ssl_ca_cert,
    }
    token = configuration.api_key["authorization"].removeprefix("Bearer ")
    context = {"cluster": "local", "user": "account"}
    own = {"namespace": namespace} if namespace else {}
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "local", "cluster": cluster}],
        "users": [{"name": "account", "user": {"token": token}}],
        "contexts": [{"name": "local", "context": {**context, **own}}],
        "current-context": "local",
    }
    path = folder / "kubeconfig"
    path.touch(mode=0o600)
    path.write_text(json.dumps(config), encoding="utf-8")
    return path


def _path(kind: str, namespace: str, name: str = "") -> str:
    found = KINDS[kind]
    prefix = "api" if "/" not in found.api_version else "apis"
    parts = ["", prefix, found.api_version]
    if found.namespaced and namespace:
        parts += ["namespaces", namespace]
    parts.append(found.plural)
    if name:
        parts.append(name)
    return "/".join(parts)
