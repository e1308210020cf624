"""What a kubelet would write to the status of a pod, whose node is simulated."""

from scenes import Pool


def allocate(pool: Pool, short: str, cpu: int) -> None:
    """Write that the node has allocated this much to the container."""
    given = {"cpu": str(cpu)}
    state = {
        "name": "main",
        "ready": True,
        "restartCount": 0,
        "image": "registry.example/main:1",
        "imageID": "",
        "allocatedResources": given,
        "resources": {"requests": given},
    }
    change = {"status": {"containerStatuses": [state]}}
    pool.admin.patch("Pod", short, pool.namespace, change=change, subresource="status")
