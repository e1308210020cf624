"""An external system as its own chart installs it, apart from how its program is reached.

Its program runs as a process of this machine. So its Deployments, and Jobs that make certificates,
are left out, and the API server calls its webhooks on loopback: by URL, or through their Service,
which is another name of localhost then.
"""

import base64
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import yaml

from helm_program import Helm
from installation import Kubectl
from local_cluster import cluster as local
from users import Document, User


_WEBHOOKS: Final = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
_LEFT_OUT: Final = ("Deployment", "Job", "APIService")
"""What would run in a container, or is an aggregated API."""


def rendered(cluster: local.Cluster, chart: Path, namespace: str, *settings: str) -> list[Document]:
    """The manifests of the chart, with its CRDs, by helm; ``settings`` are those of --set."""
    words = ("template", chart.name, str(chart), "-n", namespace, "--include-crds")
    manifests = Helm(cluster)(*words, *(f"--set={each}" for each in settings))
    return [each for each in yaml.safe_load_all(manifests) if each]


def on_loopback(documents: Sequence[Document], port: int, authority: Path) -> list[Document]:
    """Without what cannot run here; webhooks and conversions at this port by URL."""
    bundle = base64.b64encode(authority.read_bytes()).decode()
    found = [each for each in documents if each["kind"] not in _LEFT_OUT]
    for client in _clients(found):
        path = client.pop("service").get("path", "")
        client.update(url=f"https://127.0.0.1:{port}{path}", caBundle=bundle)
    return found


def by_service(documents: Sequence[Document], port: int) -> list[Document]:
    """The same through their Service, for a program that makes the certificate of that name."""
    found = [each for each in documents if each["kind"] not in _LEFT_OUT]
    called: set[str] = set()
    for client in _clients(found):
        client["service"]["port"] = port
        called.add(client["service"]["name"])
    for each in found:
        if each["kind"] == "Service" and each["metadata"]["name"] in called:
            each["spec"] = {"type": "ExternalName", "externalName": "localhost"}
    return found


def _clients(documents: Sequence[Document]) -> Iterator[Document]:
    """What says how the API server reaches a webhook, of admission or of conversion."""
    for each in documents:
        if each["kind"] in _WEBHOOKS:
            yield from (webhook["clientConfig"] for webhook in each["webhooks"])
        elif each["kind"] == "CustomResourceDefinition":
            conversion = each["spec"].get("conversion") or {}
            if "webhook" in conversion:
                yield conversion["webhook"]["clientConfig"]


@contextmanager
def installed(
    kubectl: Kubectl, admin: User, namespace: str, documents: Sequence[Document]
) -> Iterator[None]:
    """The objects are there inside the block. At its end its webhooks go first, then the rest."""
    everything = _stream(documents)
    hooks = _stream([each for each in documents if each["kind"] in _WEBHOOKS])
    meta = {"name": namespace}
    if not admin.find("Namespace", namespace):
        admin.create({"apiVersion": "v1", "kind": "Namespace", "metadata": meta})
    try:
        applied = ("apply", "--server-side", "--force-conflicts", "-f", "-")
        kubectl(*applied, stdin=everything)
        yield
    finally:
        if hooks:
            kubectl("delete", "--ignore-not-found", "-f", "-", stdin=hooks)
        kubectl("delete", "--ignore-not-found", "--wait=false", "-f", "-", stdin=everything)


def _stream(documents: Sequence[Document]) -> str:
    return yaml.safe_dump_all(documents) if documents else ""
