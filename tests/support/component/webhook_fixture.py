"""The webhook under test: its real HTTPS server, and reviews as the API server writes them.

The caches of ``WebhookReplica`` are filled by hand, so that a test says in one line what the
replica knows; the API server from which it reads pods is the double. The client trusts the
authority and checks the name of the Service, as the API server does.
"""

import base64
import io
import json
import ssl
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final, Self

import aiohttp
import jsonpatch
import msgspec

from api_double import ApiDouble
from elasticquota import names
from elasticquota.structs import replace
from elasticquota.validation.severity import Level
from elasticquota.wire.kubernetes.namespaces import NamespaceManifest
from elasticquota.wire.quota.profiles import ProfileManifest
from elasticquota.wire.quota.quotas import StoredQuota
from elasticquota_config.model import Configuration
from elasticquota_config.sections.dialects import Dialects
from elasticquota_config.sections.rules import Rules
from elasticquota_config.sections.sharing import DefaultTree
from elasticquota_kube.client.api import Api
from elasticquota_kube.informer.store import FanOut
from elasticquota_webhooks import routes
from elasticquota_webhooks.cache import reflectors
from elasticquota_webhooks.cache.caches import Caches
from elasticquota_webhooks.cache.live_quotas import LiveQuotas
from elasticquota_webhooks.certificates import authority, serving_certificate
from elasticquota_webhooks.certificates.serving_certificate import Certificate
from elasticquota_webhooks.reviews.metrics import Metrics
from elasticquota_webhooks.reviews.reviews import Reviews
from elasticquota_webhooks.server.limits import ConnectionLimits
from elasticquota_webhooks.server.listener import Server
from elasticquota_webhooks.server.webhook_paths import WebhookPaths


Document = dict[str, Any]

NAMESPACE: Final = "elastic-quota-system"
CONTROLLER: Final = f"system:serviceaccount:{NAMESPACE}:elastic-quota-controller"
HOST: Final = f"elastic-quota-webhook.{NAMESPACE}.svc"
CONFIGURATION: Final = Configuration(
    controller_user=CONTROLLER,
    default_tree=DefaultTree(child_namespaces=("*",)),
    dialects=Dialects(ack=True, jobs=True),
)
"""Quotas of any namespace may be below the root, and reviews of jobs are answered too."""
PATIENCE: Final = 60.0
"""Seconds; a busy machine may take its time for answers that are not meant to be late."""
ACCOUNTING: Final = CONFIGURATION.what_counts(NAMESPACE)

TOKEN: Final = "0123456789abcdef" * 4
PATHS: Final = WebhookPaths(linger=float("inf"))
PATHS.token = TOKEN
PATHS.observe([{}, {}], 0)

_AUTHORITY = authority.create(datetime.now(UTC))
_LEAF = serving_certificate.issue(_AUTHORITY, (HOST,), datetime.now(UTC))
_LABELS: Final = {
    "parent": names.PARENT,
    "tree": names.TREE_ID,
    "is_parent": names.IS_PARENT,
    "is_root": names.IS_ROOT,
}


def quota(
    name: str,
    min: Mapping[str, Any] | None = None,  # noqa: A002 - the field's name in the manifest
    max: Mapping[str, Any] | None = None,  # noqa: A002
    *,
    namespace: str = "teams",
    annotations: Mapping[str, str] | None = None,
    version: int = 1,
    spec: Mapping[str, Any] | None = None,
    **labels: str,
) -> Document:
    """An ElasticQuota; labels by their short names, ``parent="dept"``; other fields in ``spec``."""
    return {
        "apiVersion": names.QUOTA_API,
        "kind": names.QUOTA_KIND,
        "metadata": {
            "name": name,
            "namespace": namespace,
            "uid": f"uid-{namespace}-{name}",
            "creationTimestamp": "2026-01-01T00:00:00Z",
            "resourceVersion": str(version),
            "generation": 1,
            "labels": {_LABELS[key]: value for key, value in labels.items()},
            "annotations": dict(annotations or {}),
        },
        "spec": {"min": dict(min or {}), "max": dict(max or {"cpu": "1000"}), **(spec or {})},
    }


def parent(
    name: str,
    min: Mapping[str, Any] | None = None,  # noqa: A002
    **labels: str,
) -> Document:
    """A parent quota."""
    made = quota(name, min, is_parent="true")
    made["metadata"]["labels"] |= {_LABELS[key]: value for key, value in labels.items()}
    return made


def profile(name: str, quota_name: str, **labels: str) -> Document:
    """An ElasticQuotaProfile that selects the nodes with these labels."""
    return {
        "apiVersion": names.PROFILE_API,
        "kind": names.PROFILE_KIND,
        "metadata": {
            "name": name,
            "namespace": "pools",
            "uid": name,
            "creationTimestamp": "2026-01-01T00:00:00Z",
        },
        "spec": {"quotaName": quota_name, "nodeSelector": {"matchLabels": labels}},
    }


def standing(manifest: Document, request: int, admitted: int, runtime: int) -> Document:
    """The quota with a published status; amounts are cpu, and each pod holds one."""
    figures = {"request": request, "admitted": admitted, "used": admitted, "runtime": runtime}
    status: Document = {key: {"cpu": str(amount)} for key, amount in figures.items()}
    status["admitted"]["pods"] = str(admitted)
    status["pods"] = {"admitted": admitted, "gated": request - admitted}
    return {**manifest, "status": status}


def pod(label: str = "", namespace: str = "team", name: str = "p", **spec: Any) -> Document:
    """A pod, with a quota label when ``label`` is given."""
    meta: Document = {"name": name, "namespace": namespace}
    if label:
        meta["labels"] = {names.QUOTA_NAME: label}
    containers = [{"name": "main", "resources": {"requests": {"cpu": "1"}}}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": meta,
        "spec": {"containers": containers, **spec},
        "status": {},
    }


def review(
    new: Document | None,
    old: Document | None = None,
    *,
    user: str = "somebody",
    dry_run: bool = False,
    **request: Any,
) -> Document:
    """An AdmissionReview; the operation follows from which objects are given."""
    subject = new or old or {}
    meta = subject.get("metadata", {})
    group, _, version = subject.get("apiVersion", "").rpartition("/")
    plural = f"{subject.get('kind', '')}s".lower()
    operation = "DELETE" if new is None else "UPDATE" if old else "CREATE"
    return {
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {
            "uid": "11111111-2222-3333-4444-555555555555",
            "kind": {"group": group, "version": version, "kind": subject.get("kind", "")},
            "resource": {"group": group, "version": version, "resource": plural},
            "requestKind": {"group": group, "version": version, "kind": subject.get("kind", "")},
            "name": meta.get("name", ""),
            "namespace": meta.get("namespace", ""),
            "operation": operation,
            "userInfo": {"username": user, "groups": ["system:authenticated"]},
            "object": new,
            "oldObject": old,
            "dryRun": dry_run,
            "options": None,
            **request,
        },
    }


def ruled(levels: dict[str, Level]) -> Configuration:
    """The configuration of a replica with other levels of single rules."""
    return replace(CONFIGURATION, rules=Rules(overrides=levels))


def trust() -> ssl.SSLContext:
    """The trust of a client of a `WebhookReplica`."""
    return ssl.create_default_context(cadata=_AUTHORITY.bundle.decode())


class WebhookReplica:
    """A replica that knows what the test gives it."""

    double: ApiDouble
    """The API server that it reads from, where the fixture makes it."""

    def __init__(
        self,
        api: Api,
        configuration: Configuration = CONFIGURATION,
        read_seconds: float = PATIENCE,
    ) -> None:
        self.now = 0.0
        accounting = configuration.what_counts(NAMESPACE)
        self.caches = Caches(accounting, clock=lambda: self.now)
        self.metrics = Metrics()
        self.certificate = Certificate()
        self.certificate.show(_LEAF)
        self.follower = reflectors.of_quotas(api, self.caches)
        """Follows nothing until a test runs it."""
        self.profiles_follower = reflectors.of_profiles(api, self.caches, lambda _: None)
        """The same."""
        self.live_quotas = LiveQuotas(api, self.follower, self.profiles_follower)
        self.reviews = routes.table(self.caches, self.live_quotas, api, configuration, self.metrics)
        self.server = Server(
            self.reviews,
            self.certificate.context,
            self.metrics,
            PATHS.route,
            limits=ConnectionLimits(read_seconds=read_seconds),
        )
        self.url = ""
        self._client: aiohttp.ClientSession | None = None

    def route(self, path: str, decide: Any) -> None:
        """Let another function answer reviews at ``path``."""
        self.server.serve({path: Reviews("broken", decide, self.metrics)})

    def limit(self, **changes: Any) -> None:
        """Change limits of the server's connections, from now on."""
        state = self.server._server_state
        state.limits = state.limits._replace(**changes)

    async def __aenter__(self) -> Self:
        self.url = f"https://127.0.0.1:{await self.server.start(['127.0.0.1'], 0)}"
        self._client = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(ssl=trust()), base_url=self.url
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._client is not None:
            await self._client.close()
        await self.server.stop()

    def fill(self, *quotas: Document, profiles: tuple[Document, ...] = ()) -> None:
        """Fill the caches with these objects, as after the first lists."""
        for manifest in quotas:
            self.see(manifest)
        for profile in profiles:
            self.caches.profiles.upsert(msgspec.convert(profile, ProfileManifest))
        for store in (self.caches.quotas, self.caches.profiles, self.caches.namespaces):
            store.synced()

    def see(self, manifest: Document) -> None:
        """Add a quota, as the watch would."""
        stored = msgspec.convert(manifest, StoredQuota)
        FanOut(self.caches.quotas, self.caches.published, self.caches.queues.quotas).upsert(stored)

    def see_namespace(
        self, name: str, *, leaving: bool = False, annotations: Mapping[str, str] | None = None
    ) -> None:
        """Add a namespace, as the watch would."""
        deleted = "2026-01-01T00:00:00Z" if leaving else None
        meta = {"name": name, "deletionTimestamp": deleted, "annotations": annotations}
        self.caches.namespaces.upsert(msgspec.convert({"metadata": meta}, NamespaceManifest))

    async def send(
        self, path: str, body: Any, kind: str = "application/json", length: int | None = None
    ) -> tuple[int, str]:
        """Send any body; returns the HTTP code and the text of the answer."""
        assert self._client is not None
        data = io.BytesIO(body) if isinstance(body, bytes) else body
        headers = {"Content-Type": kind}
        if length is not None:
            headers["Content-Length"] = str(length)
        async with self._client.post(
            f"/{TOKEN}{path}", data=data, headers=headers, server_hostname=HOST
        ) as response:
            return response.status, await response.text()

    async def ask(self, path: str, question: Document) -> Document:
        """The response to a review."""
        code, text = await self.send(path, json.dumps(question).encode())
        assert code == 200, text
        answer = json.loads(text)
        assert answer["apiVersion"] == "admission.k8s.io/v1"
        assert answer["kind"] == "AdmissionReview"
        response: Document = answer["response"]
        assert response["uid"] == question["request"]["uid"]
        return response

    async def validate(
        self, new: Document | None, old: Document | None = None, **how: Any
    ) -> Document:
        """The answer to a change of a quota."""
        return await self.ask("/validate/elasticquota", review(new, old, **how))

    async def refusal(self, new: Document | None, old: Document | None = None, **how: Any) -> str:
        """The message of the refusal of a change."""
        response = await self.validate(new, old, **how)
        assert not response["allowed"], "was allowed"
        message: str = response["status"]["message"]
        return message

    async def mutate(self, path: str, new: Document, **how: Any) -> tuple[Document, Document]:
        """The object after the patch, and the whole response; asking again changes nothing."""
        response = await self.ask(path, review(new, **how))
        patched = patch(new, response)
        again = await self.ask(path, review(patched, **how))
        assert "patch" not in again
        return patched, response


def patch(manifest: Document, response: Document) -> Document:
    """The manifest after the patch in a response."""
    if "patch" not in response:
        return manifest
    assert response["patchType"] == "JSONPatch"
    operations = json.loads(base64.b64decode(response["patch"]))
    patched: Document = jsonpatch.apply_patch(manifest, operations)
    return patched
