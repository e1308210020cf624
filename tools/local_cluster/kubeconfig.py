"""Writes kubeconfigs: the API server and the credentials; only the owner may read the file."""

import base64
from pathlib import Path
from typing import Any

import yaml


def for_certificate(path: Path, *, api: str, authority: Path, certificate: Path, key: Path) -> Path:
    """Write a kubeconfig that authenticates by client certificate, all data inside the file."""
    user = {
        "client-certificate-data": _data(certificate),
        "client-key-data": _data(key),
    }
    return _write(path, api, {"certificate-authority-data": _data(authority)}, user, None)


def for_token_file(path: Path, *, api: str, authority: Path, token: Path, namespace: str) -> Path:
    """Write a kubeconfig that reads its token from a file, as a pod's client does."""
    cluster = {"certificate-authority": str(authority)}
    return _write(path, api, cluster, {"tokenFile": str(token)}, namespace)


def _write(
    path: Path, api: str, cluster: dict[str, str], user: dict[str, str], namespace: str | None
) -> Path:
    context = {"cluster": "local", "user": "local"}
    if namespace is not None:
        context["namespace"] = namespace
    document: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "local", "cluster": {"server": api, **cluster}}],
        "users": [{"name": "local", "user": user}],
        "contexts": [{"name": "local", "context": context}],
        "current-context": "local",
    }
    fresh = path.with_name(f".{path.name}.new")
    fresh.touch(mode=0o600)
    fresh.write_text(yaml.safe_dump(document, sort_keys=False))
    fresh.replace(path)
    return path


def _data(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()
