"""A mutating webhook of another product in the same cluster: it changes new pods, or refuses edits.

It uses the code of our server, in a thread of its own. The API server calls mutating webhooks in
the order of their configurations' names, so the name decides whether it comes before ours or after.
"""

import asyncio
import base64
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from elasticquota.wire.admission.review import AdmissionRequest, Operation, Response, ReviewStatus
from elasticquota_webhooks.certificates import authority, serving_certificate
from elasticquota_webhooks.certificates.serving_certificate import Certificate
from elasticquota_webhooks.reviews.metrics import Metrics
from elasticquota_webhooks.reviews.reviews import Reviews
from elasticquota_webhooks.server.listener import Server
from users import User


HOST = "localhost"

Decide = Callable[[AdmissionRequest], Awaitable[Response]]


@contextmanager
def asked_about_pods(
    admin: User, name: str, namespace: str, patch: list[Operation]
) -> Iterator[list[str]]:
    """New pods of ``namespace`` get ``patch``; yields the names of the reviewed pods."""
    seen: list[str] = []

    async def decide(request: AdmissionRequest) -> Response:
        seen.append(request.name)
        return Response(request.uid, allowed=True, patch=patch)

    with _asked(admin, name, namespace, "CREATE", decide):
        yield seen


@contextmanager
def refusing_edits(
    admin: User, name: str, namespace: str, refuses: Callable[[AdmissionRequest], bool]
) -> Iterator[list[str]]:
    """Edits of pods of ``namespace`` are refused where ``refuses`` says so; yields the names of the
    pods, one for each refusal.
    """
    refused: list[str] = []

    async def decide(request: AdmissionRequest) -> Response:
        if not refuses(request):
            return Response(request.uid, allowed=True)
        refused.append(request.name)
        return Response(
            request.uid, allowed=False, status=ReviewStatus(code=403, message="not today")
        )

    with _asked(admin, name, namespace, "UPDATE", decide):
        yield refused


@contextmanager
def _asked(
    admin: User, name: str, namespace: str, operation: str, decide: Decide
) -> Iterator[None]:
    """``decide`` answers the reviews of this operation on pods of ``namespace``."""
    loop = asyncio.new_event_loop()
    signer = authority.create(datetime.now(UTC))
    certificate = Certificate()
    certificate.show(serving_certificate.issue(signer, (HOST,), datetime.now(UTC)))
    metrics = Metrics()
    routes = {"/": Reviews("other", decide, metrics)}
    server = Server(routes, certificate.context, metrics, lambda path: path)
    port = loop.run_until_complete(server.start(["127.0.0.1"], 0))
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        url = f"https://{HOST}:{port}/"
        admin.create(_configuration(name, namespace, operation, url, signer.bundle))
        yield
    finally:
        admin.delete("MutatingWebhookConfiguration", name)
        asyncio.run_coroutine_threadsafe(server.stop(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def _configuration(
    name: str, namespace: str, operation: str, url: str, bundle: bytes
) -> dict[str, Any]:
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingWebhookConfiguration",
        "metadata": {"name": name},
        "webhooks": [
            {
                "name": "pods.other.example",
                "admissionReviewVersions": ["v1"],
                "sideEffects": "None",
                "failurePolicy": "Fail",
                "clientConfig": {"url": url, "caBundle": base64.b64encode(bundle).decode()},
                "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
                "rules": [
                    {
                        "apiGroups": [""],
                        "apiVersions": ["v1"],
                        "resources": ["pods"],
                        "operations": [operation],
                    }
                ],
            }
        ],
    }
