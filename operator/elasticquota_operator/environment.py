"""The environment of a process: its name, its namespace, and its liveness address."""

import os
import signal
import socket

from elasticquota_config import environment
from elasticquota_config.model import Configuration
from elasticquota_kube import listening
from elasticquota_kube.client.credentials import credentials
from elasticquota_kube.client.credentials.credentials import Credentials
from elasticquota_operator.runtime import Runtime


def who_we_are(who: Credentials) -> tuple[str, str]:
    """The namespace of this process, and its identity as holder of the Lease."""
    namespace = os.environ.get("POD_NAMESPACE") or who.namespace
    return namespace, os.environ.get("POD_NAME") or f"{socket.gethostname()}-{os.getpid()}"


def liveness_endpoint(configuration: Configuration) -> str:
    """The address of Kopf's liveness endpoint, in the family that the kubelet uses."""
    host = os.environ.get("POD_IP") or os.environ.get("LIVENESS_IP") or listening.IPV4
    host = f"[{host}]" if ":" in host else host
    return f"http://{host}:{configuration.controller.liveness_port}/healthz"


async def runtime() -> Runtime:
    """The runtime for ``kopf run``, already listening, from $ELASTIC_QUOTA_CONFIG or the defaults.

    Raises `ConfigurationError`, `CredentialsError` or ``OSError``.
    """
    chosen, file = environment.configuration()
    namespace, identity = who_we_are(who := credentials.load())
    found = Runtime(
        chosen, who, namespace, identity, file, lambda: signal.raise_signal(signal.SIGTERM)
    )
    await found.listen(listening.hosts())
    return found
