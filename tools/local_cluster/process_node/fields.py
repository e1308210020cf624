"""The downward API's field references: what the chart's pods read about themselves."""

from local_cluster import api
from local_cluster.process_node import refusal


def value(pod: api.Object, path: str, *, pod_ip: str) -> str:
    """The value of a ``fieldRef``. Raises ``RefusalError`` for a path that is not supported."""
    metadata = pod["metadata"]
    known = {
        "metadata.name": metadata["name"],
        "metadata.namespace": metadata["namespace"],
        "status.podIP": pod_ip,
    }
    if path not in known:
        raise refusal.config(f"the process node does not know the field {path}")
    return str(known[path])
