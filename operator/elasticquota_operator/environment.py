"""The environment of a process: its name, its namespace, and its liveness address."""

import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path

from elasticquota_config import environment
from elasticquota_config.model import Configuration
from elasticquota_kube import listening
from elasticquota_kube.client.credentials import credentials
from elasticquota_operator.runtime import Runtime


def runtime(
    configuration: Configuration, file: Path | None, end: Callable[[], None] | None = None
) -> Runtime:
    """The runtime of this process, by its identity as holder of the Lease.

    Raises `CredentialsError`.
    """
    who = credentials.load()
    namespace = os.environ.get("POD_NAMESPACE") or who.namespace
    identity = os.environ.get("POD_NAME") or f"{socket.gethostname()}-{os.getpid()}"
    return Runtime(configuration, who, namespace, identity, file, end)


def liveness_endpoint(configuration: Configuration) -> str:
    """The address of Kopf's liveness endpoint, in the family that the kubelet uses."""
    host = os.environ.get("POD_IP") or os.environ.get("LIVENESS_IP") or listening.IPV4
    host = f"[{host}]" if ":" in host else host
    return f"http://{host}:{configuration.controller.liveness_port}/healthz"


async def listening_runtime() -> Runtime:
    """The runtime for ``kopf run``, already listening, from $ELASTIC_QUOTA_CONFIG or the defaults.

    Raises `ConfigurationError`, `CredentialsError` or ``OSError``.
    """
    found = runtime(*environment.configuration(), lambda: signal.raise_signal(signal.SIGTERM))
    await found.listen(listening.hosts())
    return found
