"""Reviews of new pods and edited quotas of a busy cluster, as the API server writes them."""

import copy
import json
from collections.abc import Iterator
from typing import Any, Final

from benchmarks import load, pod_manifests, workloads
from benchmarks.cluster_lists import Cluster
from benchmarks.manifests import Document
from elasticquota import names


CLUSTER: Final = Cluster(pods=0, nodes=0)
"""2,000 quotas and the profile of their tree."""

_COUNT: Final = 60
_REQUEST: Final = {names.CPU: 4_000, names.MEMORY: 16 * workloads.GI}


def listed(plural: str) -> Iterator[Document]:
    """The objects that a replica reads at its start."""
    for kind, page in CLUSTER.pages():
        if kind == plural:
            yield from json.loads(page)["items"]


def pods() -> list[bytes]:
    """Creations of pods of about 3.8 KB."""
    leaves = _leaves()
    made = []
    for number in range(_COUNT):
        quota = leaves[number * 37 % len(leaves)]["metadata"]["name"]
        pod = pod_manifests.waiting(number, quota, number % 40, _REQUEST)
        del pod["spec"]["schedulingGates"]
        manifest = {"apiVersion": "v1", "kind": "Pod", **pod, "status": {}}
        made.append(_request("/mutate/pod", ("", "v1", "pods"), "CREATE", manifest, None))
    return made


def quotas() -> list[bytes]:
    """Edits of max, which the rules check and allow."""
    made = []
    for old in _leaves()[:_COUNT]:
        old |= {"apiVersion": names.QUOTA_API, "kind": names.QUOTA_KIND}
        new = copy.deepcopy(old)
        new["spec"]["max"]["cpu"] = "100000"
        group, _, version = names.QUOTA_API.partition("/")
        kind = (group, version, "elasticquotas")
        made.append(_request("/validate/elasticquota", kind, "UPDATE", new, old))
    return made


def _leaves() -> list[Document]:
    return [
        quota
        for quota in listed("quotas")
        if quota["metadata"]["labels"].get(names.IS_PARENT) != "true"
    ]


def _request(
    path: str,
    kind: tuple[str, str, str],
    operation: str,
    new: dict[str, Any],
    old: dict[str, Any] | None,
) -> bytes:
    resource = dict(zip(("group", "version", "resource"), kind, strict=True))
    review = {
        "kind": "AdmissionReview",
        "apiVersion": "admission.k8s.io/v1",
        "request": {
            "uid": "3f6c1c3a-7a53-4f6b-9f0c-0a4a3f9b2c11",
            "kind": {"group": kind[0], "version": kind[1], "kind": new["kind"]},
            "resource": resource,
            "requestKind": {"group": kind[0], "version": kind[1], "kind": new["kind"]},
            "requestResource": resource,
            "name": new["metadata"]["name"],
            "namespace": new["metadata"]["namespace"],
            "operation": operation,
            "userInfo": {
                "username": "system:serviceaccount:kube-system:replicaset-controller",
                "groups": ["system:serviceaccounts", "system:authenticated"],
            },
            "object": new,
            "oldObject": old,
            "dryRun": True,
            "options": {"kind": f"{operation.title()}Options", "apiVersion": "meta.k8s.io/v1"},
        },
    }
    return load.request(path, json.dumps(review, separators=(",", ":")).encode())
