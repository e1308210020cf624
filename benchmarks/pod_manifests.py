"""Pods as the API server returns them, with all the fields that quotas never read.

managedFields, environment, volumes, a probe, tolerations, conditions, container statuses: between 3
and 4 KB each.
"""

from typing import Final

from benchmarks import manifests
from benchmarks.manifests import Document
from elasticquota import names, resources
from elasticquota.resources import Resources


def waiting(number: int, quota: str, template: int, request: Resources) -> Document:
    """A pod with our gate, as it is right after its creation."""
    app = f"worker-{template:02}"
    replicas = f"{app}-5d4f8c7b9"
    owner = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "name": replicas,
        "uid": manifests.uid(app),
        "controller": True,
        "blockOwnerDeletion": True,
    }
    return {
        "metadata": {
            **manifests.metadata(f"{replicas}-{number:06}", quota, "kubelet", _FIELDS),
            "generateName": f"{replicas}-",
            "labels": {
                "app.kubernetes.io/name": app,
                "app.kubernetes.io/part-of": "training",
                "pod-template-hash": "5d4f8c7b9",
                names.QUOTA_NAME: quota,
            },
            "annotations": {"prometheus.io/scrape": "true", "prometheus.io/port": "9090"},
            "ownerReferences": [owner],
        },
        "spec": {
            "volumes": _VOLUMES,
            "containers": [_container(app, resources.text(request))],
            "restartPolicy": "Always",
            "terminationGracePeriodSeconds": 30,
            "dnsPolicy": "ClusterFirst",
            "serviceAccountName": "default",
            "serviceAccount": "default",
            "securityContext": {"runAsNonRoot": True, "fsGroup": 1000},
            "schedulerName": "default-scheduler",
            "tolerations": _TOLERATIONS,
            "priority": 0,
            "enableServiceLinks": True,
            "preemptionPolicy": "PreemptLowerPriority",
            "schedulingGates": [{"name": names.GATE}],
        },
        "status": {
            "phase": "Pending",
            "conditions": [manifests.condition("PodScheduled", "False", "SchedulingGated")],
            "qosClass": "Burstable",
        },
    }


def release(pod: Document) -> None:
    """Remove the gate; the pod has no node yet."""
    del pod["spec"]["schedulingGates"]
    pod["status"]["conditions"] = [manifests.condition("PodScheduled", "False", "Unschedulable")]


def start(pod: Document, node_name: str) -> None:
    """Put it on a node, with its container running."""
    container = pod["spec"]["containers"][0]
    status = {
        "name": container["name"],
        "state": {"running": {"startedAt": manifests.CREATED}},
        "lastState": {},
        "ready": True,
        "restartCount": 0,
        "image": container["image"],
        "imageID": f"{container['image']}@sha256:{manifests.DIGEST}",
        "containerID": f"containerd://{manifests.DIGEST}",
        "started": True,
        "allocatedResources": container["resources"]["requests"],
        "resources": container["resources"],
    }
    pod["spec"]["nodeName"] = node_name
    pod["status"] = {
        "phase": "Running",
        "conditions": [manifests.condition(kind, "True") for kind in _MILESTONES],
        "hostIP": "192.0.2.10",
        "podIP": "198.51.100.20",
        "podIPs": [{"ip": "198.51.100.20"}],
        "startTime": manifests.CREATED,
        "containerStatuses": [status],
        "qosClass": "Burstable",
    }


def _container(app: str, requests: dict[str, str]) -> Document:
    settings = [
        {"name": f"SETTING_{number}", "value": f"value-of-setting-{number}"} for number in range(4)
    ]
    return {
        "name": "main",
        "image": f"registry.example/training/{app}:1.4.2",
        "command": ["/usr/bin/worker", "--verbose"],
        "ports": [{"containerPort": 8080, "protocol": "TCP"}],
        "env": settings,
        "resources": {"requests": requests, "limits": requests},
        "volumeMounts": [
            {"name": "scratch", "mountPath": "/scratch"},
            {"name": "token", "readOnly": True, "mountPath": "/var/run/secrets/token"},
        ],
        "readinessProbe": {
            "httpGet": {"path": "/healthz", "port": 8080, "scheme": "HTTP"},
            "timeoutSeconds": 1,
            "periodSeconds": 10,
            "failureThreshold": 3,
        },
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "imagePullPolicy": "IfNotPresent",
    }


_MILESTONES: Final = (
    "PodReadyToStartContainers",
    "Initialized",
    "Ready",
    "ContainersReady",
    "PodScheduled",
)
_VOLUMES: Final = [
    {
        "name": "token",
        "projected": {
            "sources": [
                {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
                {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca", "path": "ca"}]}},
            ],
            "defaultMode": 420,
        },
    },
    {"name": "scratch", "emptyDir": {"sizeLimit": "10Gi"}},
]
_TOLERATIONS: Final = [
    {
        "key": f"node.kubernetes.io/{trouble}",
        "operator": "Exists",
        "effect": "NoExecute",
        "tolerationSeconds": 300,
    }
    for trouble in ("not-ready", "unreachable")
]
_FIELDS: Final = manifests.fields(
    "metadata.generateName",
    "metadata.labels.app",
    "metadata.ownerReferences",
    "spec.containers.main.env.SETTING_0.value",
    "spec.containers.main.image",
    "spec.containers.main.resources.limits",
    "spec.containers.main.resources.requests",
    "spec.dnsPolicy",
    "spec.restartPolicy",
    "spec.schedulerName",
    "status.conditions.Ready.lastTransitionTime",
)
