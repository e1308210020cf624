"""The whole process against an API server: it becomes ready, answers, and stops gracefully."""

import asyncio
import base64
import functools
import itertools
import os
import signal
import socket
import ssl
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import aiohttp
import pytest

import webhook_fixture as fixture
from api_double import ApiDouble
from api_double.waiting import until
from elasticquota import names
from elasticquota_config import model, reload
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_webhooks import main
from elasticquota_webhooks.server.contact import Contact
from webhook_fixture import parent, pod, quota, review


NAME, NAMESPACE = "elastic-quota-webhook", "elastic-quota-system"
SCRIPT = """
import asyncio, sys
from elasticquota_config import model
from elasticquota_webhooks import main
from elasticquota_webhooks.server.contact import Contact


async def announced(_: float) -> None:
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)


main.drain = announced  # the test decides when the Service has removed the replica
asyncio.run(main.run(model.parse(sys.argv[1])))
"""
BOUND = 60.0
"""Seconds that are enough even on a busy machine."""

T = TypeVar("T")
Child = asyncio.subprocess.Process


async def eventually(look: Callable[[], Awaitable[T]], wanted: Callable[[T], object]) -> None:
    """Repeat until the result is as wanted."""
    async with asyncio.timeout(BOUND):
        while not wanted(await look()):  # noqa: ASYNC110 - what is asked sends no events
            await asyncio.sleep(0.01)


@functools.cache
def ports() -> Iterator[int]:
    """Free ports that neither the system nor other tests take."""
    first = 10_000 + os.getpid() % 200 * 100
    return itertools.cycle(range(first, first + 100))


def free_port() -> int:
    for port in ports():
        with socket.socket() as probe, suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError


@functools.cache
def trust(bundle: str) -> ssl.SSLContext:
    """One context for all requests, so that connections are reused."""
    return ssl.create_default_context(cadata=bundle)


class Process:
    """A running webhook, in this process or in another one."""

    def __init__(self, double: ApiDouble) -> None:
        self.double = double
        self.port, self.health_port = free_port(), free_port()
        self.text = f"webhook: {{port: {self.port}, healthPort: {self.health_port}}}\n"
        self.text += "defaultTree: {childNamespaces: [teams]}"
        self.client = aiohttp.ClientSession()
        self.goodbyes = 0
        """Answers that closed their connection."""

    async def get(self, path: str) -> tuple[int, str]:
        """A probe; code 0 while no server listens."""
        try:
            async with self.client.get(f"http://127.0.0.1:{self.health_port}{path}") as response:
                return response.status, await response.text()
        except aiohttp.ClientConnectorError:
            return 0, ""

    async def ready(self) -> None:
        await eventually(lambda: self.get("/readyz"), lambda seen: seen[0] == 200)

    async def ask(self, path: str, question: dict[str, Any]) -> dict[str, Any]:
        """Send a review, with the trust of the webhook configuration."""
        webhook = self.double.object(paths.VALIDATING_WEBHOOKS, "", NAME)["webhooks"][0]
        bundle = base64.b64decode(webhook["clientConfig"]["caBundle"]).decode()
        token = webhook["clientConfig"]["service"]["path"].split("/")[1]
        async with self.client.post(
            f"https://127.0.0.1:{self.port}/{token}{path}",
            json=question,
            ssl=trust(bundle),
            server_hostname=f"{NAME}.{NAMESPACE}.svc",
        ) as answer:
            self.goodbyes += answer.headers.get("Connection") == "close"
            response: dict[str, Any] = (await answer.json())["response"]
            return response


@pytest.fixture
async def process(double: ApiDouble) -> AsyncIterator[Process]:
    double.put(paths.NAMESPACES, {"metadata": {"name": NAMESPACE}})
    for resource in (paths.MUTATING_WEBHOOKS, paths.VALIDATING_WEBHOOKS):
        client = {"service": {"name": NAME, "namespace": NAMESPACE}}
        webhook = {"name": "quota.elasticquota.dev", "clientConfig": client}
        double.put(resource, {"metadata": {"name": NAME}, "webhooks": [webhook]})
    found = Process(double)
    yield found
    await found.client.close()


@pytest.fixture
async def served(process: Process, api: Api) -> AsyncIterator[Process]:
    """Serve in this event loop until the test ends."""
    stop = asyncio.Event()
    settings = model.parse(process.text)
    task = asyncio.create_task(main.serve(settings, api, NAMESPACE, ["127.0.0.1"], stop, 0))
    yield process
    stop.set()
    await task


async def test_the_process_becomes_ready_and_judges_by_its_watches(served: Process) -> None:
    served.double.put(paths.QUOTAS, parent("dept", {"cpu": "10"}))
    await served.ready()
    refused = await served.ask(
        "/validate/elasticquota", review(quota("a", parent=names.SYSTEM_QUOTA))
    )
    assert "is not a parent quota" in refused["status"]["message"]
    child = quota("a", {"cpu": "4"}, parent="dept")
    assert (await served.ask("/validate/elasticquota", review(child)))["allowed"]
    served.double.put(paths.QUOTAS, child)
    patched = fixture.patch(pod("a"), await served.ask("/mutate/pod", review(pod("a"))))
    assert patched["spec"]["schedulingGates"] == [{"name": names.GATE}]
    given = await served.ask("/mutate/elasticquota", review(quota("b")))
    assert given["patchType"] == "JSONPatch"


async def test_the_process_follows_changes(served: Process) -> None:
    await served.ready()
    question = review(quota("a", parent="dept"), dry_run=True)
    before = await served.ask("/validate/elasticquota", question)
    assert "there is no quota 'dept'" in before["warnings"][0]
    served.double.put(paths.QUOTAS, parent("dept"))
    await eventually(
        lambda: served.ask("/validate/elasticquota", question),
        lambda seen: "there is no quota" not in str(seen.get("warnings")),
    )


async def test_a_changed_configuration_is_used_without_a_restart(
    process: Process, api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reload, "INTERVAL", 0.05)
    file = tmp_path / "config.yaml"
    file.write_text(process.text, encoding="utf-8")
    settings, stop = model.load(file), asyncio.Event()
    task = asyncio.create_task(
        main.serve(settings, api, NAMESPACE, ["127.0.0.1"], stop, 0, file=file)
    )
    process.double.put(paths.QUOTAS, parent("dept", {"cpu": "10"}))
    await process.ready()
    too_much = review(quota("a", {"cpu": "11"}, parent="dept"), dry_run=True)
    at_the_top = review(quota("b"), dry_run=True)

    async def allowed() -> list[bool]:
        asked = [
            await process.ask("/validate/elasticquota", each) for each in (too_much, at_the_top)
        ]
        return [answer["allowed"] for answer in asked]

    await eventually(allowed, lambda seen: seen == [False, True])
    file.write_text("rules: {", encoding="utf-8")
    await eventually(lambda: process.get("/metrics"), lambda seen: "config_valid 0.0\n" in seen[1])
    assert await allowed() == [False, True]
    process.double.permits = lambda _: False
    closed = process.text.replace("[teams]", "[]")
    file.write_text(f"{closed}\nrules: {{overrides: {{EQ1104: warn}}}}", encoding="utf-8")
    await eventually(allowed, lambda seen: seen == [True, False])
    assert (await process.get("/readyz"))[0] == 200
    stop.set()
    await task


async def test_the_readiness_probe_says_what_is_missing(process: Process, api: Api) -> None:
    process.double.faults.flowing.clear()
    stop = asyncio.Event()
    settings = model.parse(process.text)
    task = asyncio.create_task(main.serve(settings, api, NAMESPACE, ["127.0.0.1"], stop, 0))
    await eventually(lambda: process.get("/healthz"), lambda seen: seen[0] == 200)
    assert await process.get("/readyz") == (
        503,
        "quotas, profiles and namespaces are still being read\n"
        "no certificate yet\n"
        "not listening yet\n",
    )
    process.double.faults.flowing.set()
    await process.ready()
    code, metrics = await process.get("/metrics")
    assert code == 200
    assert "elasticquota_webhook_certificate_expiry_timestamp_seconds 1." in metrics
    stop.set()
    await task


async def test_the_process_stops_without_the_api_server(process: Process, api: Api) -> None:
    process.double.faults.flowing.clear()
    stop = asyncio.Event()
    settings = model.parse(process.text)
    task = asyncio.create_task(main.serve(settings, api, NAMESPACE, ["127.0.0.1"], stop, 0))
    await until(lambda: process.double.calls, within=BOUND)
    stop.set()
    await asyncio.wait_for(task, BOUND)


@asynccontextmanager
async def of_its_own(process: Process, tmp_path: Path) -> AsyncIterator[Child]:
    """The webhook in its own process, killed at the end if it still runs."""
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        SCRIPT,
        process.text,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "KUBECONFIG": str(process.double.kubeconfig(tmp_path)),
            "POD_NAMESPACE": NAMESPACE,
            "POD_IP": "127.0.0.1",
        },
        stdin=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        await process.ready()
        yield child
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()


async def test_after_sigterm_the_process_is_not_ready_keeps_answering_and_ends(
    process: Process, tmp_path: Path
) -> None:
    async with of_its_own(process, tmp_path) as child:
        child.send_signal(signal.SIGTERM)
        await eventually(lambda: process.get("/readyz"), lambda seen: seen[1] == "stopping\n")
        answer = await process.ask("/validate/elasticquota", review(quota("a")))
        assert answer["allowed"]
        output, errors = await asyncio.wait_for(child.communicate(b"\n"), BOUND)
    assert child.returncode == 0, errors.decode()
    assert b"Traceback" not in errors + output


async def test_no_request_fails_while_a_replica_shuts_down(
    process: Process, tmp_path: Path
) -> None:
    """Eight clients send steadily until the Service has removed the replica."""
    forgotten = asyncio.Event()
    asked = []

    async def steadily(number: int) -> None:
        while not forgotten.is_set():
            answer = await process.ask("/mutate/pod", review(pod("a"), uid=f"uid-{number}"))
            assert answer["uid"] == f"uid-{number}"
            asked.append(process.goodbyes)

    async with of_its_own(process, tmp_path) as child:
        async with asyncio.TaskGroup() as clients:
            for number in range(8):
                clients.create_task(steadily(number))
            await until(lambda: len(asked) > 50, within=BOUND)
            child.send_signal(signal.SIGTERM)
            await until(lambda: process.goodbyes >= 8, within=BOUND)
            forgotten.set()
        _, errors = await asyncio.wait_for(child.communicate(b"\n"), BOUND)
        assert child.returncode == 0, errors.decode()


async def test_a_04_a_replica_is_not_ready_when_the_api_server_is_silent(
    api: Api, double: ApiDouble
) -> None:
    now = 0.0
    double.put(paths.NAMESPACES, {"metadata": {"name": NAMESPACE}})
    contact = Contact(api, NAMESPACE, lambda: now)
    now = 25.0
    await contact.ask()
    now = 50.0
    assert contact.missing() == ""
    now = 56.0
    assert contact.missing() == "the API server has not been heard of for 31 seconds"
    await contact.ask()
    assert contact.missing() == ""
    await double.refuse()
    now = 90.0
    await contact.ask()
    assert contact.missing() == "the API server has not been heard of for 34 seconds"


async def test_a_refused_request_counts_as_an_answer(api: Api) -> None:
    now = 0.0
    contact = Contact(api, "no such namespace", lambda: now)
    now = 40.0
    await contact.ask()
    assert contact.missing() == ""
