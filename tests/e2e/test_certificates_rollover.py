"""Certificates that live for seconds change all the time under load, and no call fails (A-12).

Two replicas serve in this process, as a webhook of their own beside the installed one: the same
code with shorter lifetimes. The real API server calls them through a Service. In addition a client
connects to each of them over and over and trusts what the API server trusts at that moment.
"""

import asyncio
import base64
import contextlib
import itertools
import json
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta

import aiohttp
import pytest
from cryptography import x509

from elasticquota_config import model
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.credentials import credentials
from elasticquota_kube.client.credentials.login import Login
from elasticquota_webhooks import main
from elasticquota_webhooks.certificates import ca_bundle
from elasticquota_webhooks.certificates.server_clock import ServerClock
from elasticquota_webhooks.certificates.timing import Timing
from installation import Installation, Kubectl
from local_cluster import cluster as local
from quota_stream import QuotaStream
from users import User
from waiting import eventually


pytestmark = [pytest.mark.cluster, pytest.mark.long]

NAME, SECRET = "short-lived", "short-lived-ca"
KINDS = (paths.MUTATING_WEBHOOKS, paths.VALIDATING_WEBHOOKS)
ADDRESSES = ("127.0.0.1", "127.0.0.2")
TIMES = Timing(
    authority_life=timedelta(seconds=12),
    leaf_life=timedelta(seconds=6),
    skew=timedelta(seconds=2),
    margin=1.0,
    linger=2.0,
    pause=0.4,
    pause_when_unsettled=0.2,
)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


async def until(look: Callable[[], Awaitable[object]], within: float) -> None:
    """Check again and again until the answer is true."""
    async with asyncio.timeout(within):
        while not await look():  # noqa: ASYNC110 - the checked condition sends no events
            await asyncio.sleep(0.05)


class Replicas:
    """Two replicas of one webhook, and the authorities that have signed for them so far."""

    def __init__(self, api: Api, namespace: str, times: Timing) -> None:
        self.api = api
        self.namespace = namespace
        self.name = f"{NAME}-{namespace}"
        self.port, self.health_port, self.service_port = free_port(), free_port(), free_port()
        self.greeted = 0
        self.connections = 0
        self.refused: list[str] = []
        self.leaves: set[bytes] = set()
        self.authorities: set[x509.Certificate] = set()
        self._times = times
        self._stop = asyncio.Event()
        self._turns = itertools.cycle(ADDRESSES)
        self._client = aiohttp.ClientSession()

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """Both start at the same time, behind a relay that alternates between them as a Service
        does.
        """
        settings = model.parse(
            json.dumps(
                {
                    "webhook": {
                        "port": self.port,
                        "healthPort": self.health_port,
                        "service": NAME,
                        "caSecret": SECRET,
                        "configuration": self.name,
                    }
                }
            )
        )
        service = await asyncio.start_server(self._relay, "127.0.0.1", self.service_port)
        try:
            async with asyncio.TaskGroup() as group:
                for address in ADDRESSES:
                    group.create_task(
                        main.serve(
                            settings,
                            self.api,
                            self.namespace,
                            [address],
                            self._stop,
                            0,
                            self._times,
                        )
                    )
                await until(self.ready, within=20)
                yield
                self._stop.set()
        finally:
            service.close()
            await self._client.close()

    async def ready(self) -> bool:
        """Whether both report that they are ready."""
        for address in ADDRESSES:
            url = f"http://{address}:{self.health_port}/readyz"
            try:
                async with self._client.get(url) as answer:
                    if answer.status != 200:
                        return False
            except aiohttp.ClientConnectorError:
                return False
        return True

    async def trusted(self) -> list[x509.Certificate]:
        """The bundle that every webhook trusts now."""
        found = [
            frozenset(
                x509.load_pem_x509_certificates(
                    base64.b64decode(webhook["clientConfig"]["caBundle"])
                )
            )
            for kind in KINDS
            for webhook in (await self.api.get(kind, None, self.name))["webhooks"]
        ]
        return list(frozenset.intersection(*found))

    async def greet(self) -> None:
        """Do a TLS handshake with both, trusting what is trusted now."""
        trusted = await self.trusted()
        self.authorities.update(trusted)
        trust = ssl.create_default_context(cadata=ca_bundle.pem(trusted).decode())
        for address in ADDRESSES:
            try:
                _, writer = await asyncio.open_connection(
                    address, self.port, ssl=trust, server_hostname=f"{NAME}.{self.namespace}.svc"
                )
            except (ssl.SSLError, OSError) as error:
                self.refused.append(f"{address}: {error}")
                continue
            self.greeted += 1
            self.leaves.add(writer.get_extra_info("ssl_object").getpeercert(binary_form=True))
            writer.close()
            with contextlib.suppress(ssl.SSLError, OSError):
                await writer.wait_closed()

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        theirs, ours = await asyncio.open_connection(next(self._turns), self.port)
        await asyncio.gather(_pump(reader, ours), _pump(theirs, writer))


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while content := await reader.read(65536):
            writer.write(content)
            await writer.drain()
    writer.close()


def manifests(replicas: Replicas) -> str:
    """A Service that leads to this process, and webhooks for the quotas of the namespace."""
    clients = {
        path: {
            "service": {
                "name": NAME,
                "namespace": replicas.namespace,
                "port": replicas.service_port,
                "path": path,
            }
        }
        for path in ("/mutate/elasticquota", "/validate/elasticquota")
    }
    documents: list[object] = [
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": NAME, "namespace": replicas.namespace},
            "spec": {
                "type": "ExternalName",
                "externalName": "localhost",
                "ports": [{"port": replicas.service_port}],
            },
        }
    ]
    for kind, path in (
        ("Mutating", "/mutate/elasticquota"),
        ("Validating", "/validate/elasticquota"),
    ):
        documents.append(
            {
                "apiVersion": "admissionregistration.k8s.io/v1",
                "kind": f"{kind}WebhookConfiguration",
                "metadata": {"name": replicas.name},
                "webhooks": [
                    {
                        "name": f"{NAME}.elasticquota.dev",
                        "admissionReviewVersions": ["v1"],
                        "clientConfig": clients[path],
                        "rules": [
                            {
                                "apiGroups": ["scheduling.sigs.k8s.io"],
                                "apiVersions": ["v1alpha1"],
                                "resources": ["elasticquotas"],
                                "operations": ["CREATE"],
                            }
                        ],
                        "namespaceSelector": {
                            "matchLabels": {"kubernetes.io/metadata.name": replicas.namespace}
                        },
                        "failurePolicy": "Fail",
                        "sideEffects": "None",
                    }
                ],
            }
        )
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": documents})


@pytest.fixture
async def api(cluster: local.Cluster) -> AsyncIterator[Api]:
    """The product's own client, as the administrator."""
    async with Api(credentials.load(Login(cluster.kubeconfig))) as connection:
        yield connection


@pytest.fixture
async def replicas(
    product: Installation, api: Api, admin: User, kubectl: Kubectl, namespace: str
) -> AsyncIterator[Replicas]:
    """Not serving yet; Service and configurations exist, without any bundle."""
    made = Replicas(api, namespace, TIMES)
    kubectl("apply", "-f", "-", stdin=manifests(made))
    yield made
    for kind in ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"):
        admin.delete(kind, made.name)


async def test_a_12_leaves_and_authorities_change_under_load_and_no_call_fails(
    replicas: Replicas, admin: User, namespace: str
) -> None:
    async with replicas.serving():
        begin = asyncio.get_running_loop().time()

        async def done() -> bool:
            await replicas.greet()
            enough = len(replicas.authorities) >= 7 and len(replicas.leaves) >= 30
            return enough and asyncio.get_running_loop().time() - begin >= 60

        async with QuotaStream(admin, namespace) as stream:
            await until(done, within=100)
    print(  # noqa: T201 - the measured value behind the promise
        f"{stream.passed} creates over {replicas.connections} connections, "
        f"{replicas.greeted} handshakes, {len(replicas.leaves)} leaves, "
        f"{len(replicas.authorities)} authorities"
    )
    assert stream.failures == []
    assert replicas.refused == []
    assert stream.passed > 300
    assert replicas.greeted > 200
    assert replicas.connections > len(replicas.authorities)


async def test_two_replicas_that_start_at_once_agree_on_one_authority(
    replicas: Replicas, admin: User, api: Api, namespace: str
) -> None:
    async with replicas.serving():
        await replicas.greet()
        assert replicas.refused == []
        assert len(replicas.leaves) == 2
        secret = await api.get(paths.SECRETS, namespace, SECRET)
        current = x509.load_pem_x509_certificate(base64.b64decode(secret["data"]["ca.crt"]))
        for leaf in map(x509.load_der_x509_certificate, replicas.leaves):
            leaf.verify_directly_issued_by(current)
        async with QuotaStream(admin, namespace) as stream:
            await asyncio.to_thread(eventually, lambda: stream.passed > 20, True)
        assert stream.failures == []


async def test_the_api_server_sends_its_time(api: Api) -> None:
    asked = ServerClock(api, own_time=lambda: datetime(1970, 1, 1, tzinfo=UTC))
    told = await asked.ask()
    assert abs(told - datetime.now(UTC)) < timedelta(seconds=10)
