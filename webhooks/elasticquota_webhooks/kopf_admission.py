"""Lets Kopf's admission server ask the handlers of the product's webhook, for development.

A review goes through ``Reviews.answer``, byte for byte as our own server passes it on. Kopf can say
less in its answer: of a refusal only message and code, not which fields are wrong.
"""

import asyncio
import base64
import json
import logging
import os
import tempfile
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import jsonpatch
import kopf
import msgspec

from elasticquota.wire.admission import review
from elasticquota_config import environment
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.credentials import credentials
from elasticquota_webhooks.certificates import authority, serving_certificate
from elasticquota_webhooks.replica import Replica
from elasticquota_webhooks.reviews.metrics import Metrics
from elasticquota_webhooks.reviews.reviews import BrokenError, UnavailableError


ADDRESS: Final = "127.0.0.1"
HOST: Final = "localhost"
"""The API server asks for this name, so it must run on the same machine."""


class KopfAdmission:
    """A replica whose reviews come from Kopf; create it inside the event loop that runs it.

    Raises ``CredentialsError``, ``UnreadableError`` and ``ConfigurationError``.
    """

    def __init__(self) -> None:
        found = credentials.load()
        self._api = Api(found)
        namespace = os.environ.get("POD_NAMESPACE") or found.namespace
        configuration, _ = environment.configuration()
        self._replica = Replica(configuration, self._api, namespace, Metrics())
        self._table = self._replica.table()
        self._folder = tempfile.TemporaryDirectory(prefix="elastic-quota-")
        self._following: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Return when the caches are filled; waits for the API server."""
        logging.getLogger("aiohttp.access").setLevel(logging.WARNING)  # one line per review
        await self._api.__aenter__()
        self._following = [asyncio.create_task(watch()) for watch in self._replica.watches()]
        for each in self._replica.followers:
            await each.synced.wait()

    def server(self) -> kopf.WebhookServer:
        """Kopf's server, with a certificate of ours: its own needs more packages."""
        now = datetime.now(UTC)
        signer = authority.create(now)
        file = Path(self._folder.name) / "tls.pem"
        file.write_bytes(serving_certificate.issue(signer, (HOST,), now).pair)
        return kopf.WebhookServer(
            addr=ADDRESS, host=HOST, cadata=signer.bundle, certfile=file, pkeyfile=file
        )

    async def answer(self, path: str, request: Mapping[str, Any]) -> None:
        """Answer as the handler of ``path`` does; ``request`` has what Kopf gives its handlers.

        Raises ``kopf.AdmissionError`` for a refusal, and where there is no answer. Our own server
        leaves the decision to the failure policy then.
        """
        try:
            answered = await self._table[path].answer(_review(request))
        except review.ReviewError as error:
            raise kopf.AdmissionError(str(error), code=400) from error
        except UnavailableError as error:
            raise kopf.AdmissionError(str(error), code=503) from error
        except BrokenError as error:
            raise kopf.AdmissionError(str(error), code=500) from error
        response = json.loads(answered)["response"]
        request["warnings"].extend(response.get("warnings", ()))
        if not response["allowed"]:
            status = response["status"]
            raise kopf.AdmissionError(status["message"], code=status["code"])
        if "patch" in response:
            request["patch"].fns.append(_patched(base64.b64decode(response["patch"])))

    async def stop(self) -> None:
        """End the watches."""
        for task in self._following:
            task.cancel()
        await asyncio.gather(*self._following, return_exceptions=True)
        await self._api.__aexit__(None, None, None)
        self._folder.cleanup()


def _review(request: Mapping[str, Any]) -> bytes:
    """The review of the API server, as far as Kopf passes it on."""
    resource, new, old = request["resource"], request["new"], request["old"]
    asked = {
        "uid": request["uid"] or "new",
        "operation": request["operation"],
        "resource": {
            "group": resource.group,
            "version": resource.version,
            "resource": resource.plural,
        },
        "subResource": request["subresource"] or "",
        "namespace": request["namespace"] or "",
        "name": request["name"] or "",
        "userInfo": request["userinfo"],
        "object": None if new is None else dict(new),
        "oldObject": None if old is None else dict(old),
        "dryRun": request["dryrun"],
    }
    return msgspec.json.encode(
        {"apiVersion": review.API_VERSION, "kind": review.KIND, "request": asked}
    )


def _patched(operations: bytes) -> Callable[[Any], None]:
    """Applies a JSON patch to an object, in place."""
    patch = jsonpatch.JsonPatch(json.loads(operations))

    def apply(body: Any) -> None:
        patch.apply(body, in_place=True)

    return apply
