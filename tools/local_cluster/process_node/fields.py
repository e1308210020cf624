"""The downward API's field references: what a pod may read about itself."""

import re

from local_cluster import api
from local_cluster.process_node import refusal


_KEYED = re.compile(r"metadata\.(labels|annotations)\['([^']+)'\]")


def value(pod: api.Object, path: str, *, pod_ip: str, host_ip: str) -> str:
    """The value of a ``fieldRef``. Raises ``RefusalError`` for a path that is not supported."""
    metadata, spec = pod["metadata"], pod["spec"]
    if keyed := _KEYED.fullmatch(path):
        return str(metadata.get(keyed.group(1), {}).get(keyed.group(2), ""))
    plain = {
        "metadata.name": metadata["name"],
        "metadata.namespace": metadata["namespace"],
        "metadata.uid": metadata["uid"],
        "spec.nodeName": spec.get("nodeName", ""),
        "spec.serviceAccountName": spec.get("serviceAccountName", ""),
        "status.podIP": pod_ip,
        "status.podIPs": pod_ip,
        "status.hostIP": host_ip,
        "status.hostIPs": host_ip,
    }
    if path in plain:
        return str(plain[path])
    if path in {"metadata.labels", "metadata.annotations"}:
        entries = metadata.get(path.removeprefix("metadata."), {})
        return "\n".join(f'{key}="{entries[key]}"' for key in sorted(entries))
    raise refusal.config(f"the process node does not know the field {path}")
