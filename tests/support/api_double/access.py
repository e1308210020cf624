"""The kubeconfig with which clients find the double."""

import json
from pathlib import Path


def write_kubeconfig(folder: Path, server: str, token: str) -> Path:
    """Write a kubeconfig into `folder` and return its path."""
    path = folder / "double.kubeconfig"
    cluster = {"name": "double", "cluster": {"server": server}}
    user = {"name": "double", "user": {"token": token}}
    context = {"name": "double", "context": {"cluster": "double", "user": "double"}}
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [cluster],
        "users": [user],
        "contexts": [context],
        "current-context": "double",
    }
    path.write_text(json.dumps(document), encoding="utf-8")
    return path
