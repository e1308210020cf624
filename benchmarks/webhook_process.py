"""One webhook server in its own process, with the quotas of a cluster in its caches.

``python -m benchmarks.webhook_process ours|aiohttp|unlimited|kopf [edits a second]``. It listens on
a free port of the loopback, prints one line of JSON with the port, its CA and the port of its
metrics, and ends when its standard input does. All servers have the same handlers, caches and
certificate; under Kopf's they are called as its users call theirs, by a function of the object that
fills in a patch.
"""

import asyncio
import json
import ssl
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any, Final, cast

import kopf
import msgspec
from aiohttp import web
from kopf._cogs.structs import ephemera, references
from kopf._core.engines import admission, indexing
from kopf._core.reactor import inventory

from benchmarks import reviews
from elasticquota.wire.admission import review
from elasticquota.wire.quota.profiles import ProfileManifest
from elasticquota.wire.quota.quotas import QuotaManifest
from elasticquota_config.model import Configuration
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.credentials.credentials import Credentials
from elasticquota_webhooks import routes
from elasticquota_webhooks.cache import reflectors
from elasticquota_webhooks.cache.caches import Caches
from elasticquota_webhooks.cache.live_quotas import LiveQuotas
from elasticquota_webhooks.certificates import authority, serving_certificate
from elasticquota_webhooks.certificates.serving_certificate import Certificate
from elasticquota_webhooks.reviews.metrics import Metrics
from elasticquota_webhooks.reviews.reviews import Reviews
from elasticquota_webhooks.server import connection, incoming
from elasticquota_webhooks.server import listener as server_module
from elasticquota_webhooks.server.health import Health
from elasticquota_webhooks.server.limits import ConnectionLimits
from elasticquota_webhooks.server.listener import Server
from elasticquota_webhooks.server.webhook_paths import WebhookPaths


HOST: Final = "localhost"
TOKEN: Final = "0123456789abcdef" * 4
ADDRESS: Final = "127.0.0.1"
NOBODY: Final = "http://127.0.0.1:1"
"""There is no API server, because no measured review reads from it."""


def filled() -> Caches:
    """Caches with the quotas of a cluster and the profile of their tree."""
    caches = Caches(Configuration().what_counts("elastic-quota-system"))
    for quota in reviews.listed("quotas"):
        caches.quotas.upsert(msgspec.convert(quota, QuotaManifest))
    for profile in reviews.listed("profiles"):
        caches.profiles.upsert(msgspec.convert(profile, ProfileManifest))
    for store in (caches.quotas, caches.profiles, caches.namespaces):
        store.synced()
    return caches


@asynccontextmanager
async def ours(
    routes: Mapping[str, Reviews], tls: ssl.SSLContext, _pair: bytes
) -> AsyncIterator[int]:
    """The product's server; yields its port."""
    paths = WebhookPaths(float("inf"))
    paths.token = TOKEN
    paths.observe([{}, {}], 0)
    server = Server(routes, tls, Metrics(), paths.route)
    yield await server.start([ADDRESS], 0)
    await server.stop()


@asynccontextmanager
async def unlimited(
    routes: Mapping[str, Reviews], tls: ssl.SSLContext, _pair: bytes
) -> AsyncIterator[int]:
    """The product's server without its limits for unknown clients: yields its port."""
    limits = ConnectionLimits(connections=2_000, unproven=2_000, unproven_seconds=180.0)
    incoming.LARGE = 256 * 1024  # type: ignore[misc]
    server_module.TLS_BUFFER = 256 * 1024  # type: ignore[misc]
    server = Server(routes, tls, Metrics(), lambda path: path, limits=limits)
    connection.ServerState._evict = lambda *_: None  # type: ignore[method-assign]  # noqa: SLF001
    yield await server.start([ADDRESS], 0)
    await server.stop()


@asynccontextmanager
async def aiohttps(
    routes: Mapping[str, Reviews], tls: ssl.SSLContext, _pair: bytes
) -> AsyncIterator[int]:
    """Aiohttp's server with the limit of a body and nothing else of ours; yields its port."""
    app = web.Application(client_max_size=incoming.LARGEST_BODY)
    for path, route in routes.items():
        app.router.add_post(f"/{TOKEN}{path}", _under_aiohttp(route))
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, ADDRESS, 0, ssl_context=tls).start()
    yield runner.addresses[0][1]
    await runner.cleanup()


def _under_aiohttp(route: Reviews) -> Any:
    async def handler(request: web.Request) -> web.Response:
        try:
            answer = await route.answer(await request.read())
        except review.ReviewError as error:
            return web.Response(status=400, text=str(error))
        return web.Response(body=answer, content_type="application/json")

    return handler


@asynccontextmanager
async def kopfs(
    routes: Mapping[str, Reviews], tls: ssl.SSLContext, pair: bytes
) -> AsyncIterator[int]:
    """Kopf's server with its whole path from a request to a handler; yields its port."""
    registry = kopf.OperatorRegistry()
    settings = kopf.OperatorSettings()
    memories, memobase = inventory.ResourceMemories(), cast("ephemera.AnyMemo", kopf.Memo())
    indices = indexing.OperatorIndexers().indices
    insights = references.Insights()
    for group, version, plural, kind, path in (
        ("", "v1", "pods", "Pod", "/mutate/pod"),
        ("scheduling.sigs.k8s.io", "v1alpha1", "elasticquotas", "ElasticQuota",
         "/validate/elasticquota"),
    ):  # fmt: skip
        insights.webhook_resources.add(
            references.Resource(group, version, plural, kind=kind, namespaced=True)
        )
        decorate = kopf.on.mutate if plural == "pods" else kopf.on.validate
        handler = _under_kopf(routes[path], {"group": group, "resource": plural})
        decorate(group, version, plural, id=path.lstrip("/"), registry=registry)(handler)

    async def serve(request: Any, **how: Any) -> Any:
        return await admission.serve_admission_request(
            request,
            **how,
            settings=settings,
            memories=memories,
            memobase=memobase,
            registry=registry,
            insights=insights,
            indices=indices,
        )

    with tempfile.NamedTemporaryFile() as pem:
        pem.write(pair)
        pem.flush()
        server = kopf.WebhookServer(
            addr=ADDRESS, host=HOST, context=tls, certfile=pem.name, pkeyfile=pem.name
        )
        configurations = server(serve)
        url = (await anext(configurations))["url"]
        assert url is not None
        yield int(url.rpartition(":")[2].partition("/")[0])


def _under_kopf(route: Reviews, resource: dict[str, str]) -> Any:
    decide = route.decide

    async def handler(
        body: kopf.Body, old: Any, operation: Any, userinfo: Any, dryrun: bool, patch: Any, **_: Any
    ) -> None:
        request = review.AdmissionRequest(
            "uid",
            operation,
            resource=review.ResourceName(**resource),
            user_info=review.UserInfo(userinfo["username"]),
            object=msgspec.Raw(msgspec.json.encode(dict(body))),
            old_object=msgspec.Raw(msgspec.json.encode(old and dict(old))),
            dry_run=dryrun,
        )
        response = await decide(request)
        if response.status is not None:
            raise kopf.AdmissionError(response.status.message, code=response.status.code)
        for change in response.patch:
            _, part, field, *rest = change["path"].replace("~1", "\0").split("/")
            if rest == ["-"]:
                patch[part, field] = [*body[part][field], change["value"]]
            elif rest:
                patch.setdefault(part, {}).setdefault(field, {})[rest[0].replace("\0", "/")] = (
                    change["value"]
                )
            else:
                patch.setdefault(part, {})[field] = change["value"]

    return handler


async def edit(caches: Caches, a_second: float) -> None:
    """Show this many changed quotas per second, as a watch does."""
    quotas = list(reviews.listed("quotas"))
    turn = 0
    while True:
        await asyncio.sleep(1 / a_second)
        turn += 1
        changed = quotas[turn * 37 % len(quotas)]
        changed["metadata"]["resourceVersion"] = str(10**9 + turn)
        changed["spec"]["min"]["cpu"] = f"{turn}m"
        caches.quotas.upsert(msgspec.convert(changed, QuotaManifest))


async def run(which: str, edits_a_second: float) -> None:
    caches = filled()
    signer = authority.create(datetime.now(UTC))
    certificate = Certificate()
    leaf = serving_certificate.issue(signer, (HOST,), datetime.now(UTC))
    certificate.show(leaf)
    async with Api(Credentials(NOBODY)) as api:
        live_quotas = LiveQuotas(api, reflectors.of_quotas(api, caches))
        metrics = Metrics()
        by_path = routes.table(caches, live_quotas, api, Configuration(), metrics)
        pages = Health(metrics, ())
        server = {
            "ours": ours,
            "aiohttp": aiohttps,
            "unlimited": unlimited,
            "kopf": kopfs,
        }[which]
        async with server(by_path, certificate.context, leaf.pair) as port:
            tasks = [asyncio.create_task(edit(caches, edits_a_second))] if edits_a_second else []
            scraped = await pages.start([ADDRESS], 0)
            where = {"port": port, "bundle": signer.bundle.decode(), "metrics": scraped}
            print(json.dumps(where), flush=True)
            await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
            for task in tasks:
                task.cancel()
            await pages.stop()


if __name__ == "__main__":
    asyncio.run(run(sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 0))
