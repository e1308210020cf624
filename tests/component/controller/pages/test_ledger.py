"""``/debug/ledger``: the controller's view as one file, for clients in its pod."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer, make_mocked_request

from api_double import ApiDouble
from api_double.waiting import until
from elasticquota import names
from elasticquota_cli import main as cli
from elasticquota_config import model
from elasticquota_kube.client import paths
from elasticquota_operator.pages import http, ledger
from small_cluster import controller


@pytest.fixture
async def double() -> AsyncIterator[ApiDouble]:
    async with ApiDouble() as server:
        for name in ("pools", "team", "operator"):
            server.put(paths.NAMESPACES, {"metadata": {"name": name}})
        metadata: dict[str, Any] = {"namespace": "pools", "name": "pool"}
        metadata["managedFields"] = [{"manager": "me"}]
        selector = {"matchLabels": {"pool": "cpu"}}
        spec = {"quotaName": "root", "nodeSelector": selector}
        server.put(paths.PROFILES, {"metadata": metadata, "spec": spec})
        ready = {"type": "Ready", "status": "True"}
        status = {"allocatable": {"cpu": "8", "pods": "110"}, "conditions": [ready]}
        node = {"metadata": {"name": "n-1", "labels": {"pool": "cpu"}}, "status": status}
        server.put(paths.NODES, node)
        # A new node has no capacity yet.
        server.put(paths.NODES, {"metadata": {"name": "n-2"}, "status": {"conditions": [ready]}})
        metadata = {"namespace": "team", "name": "team", "labels": {names.PARENT: "root"}}
        spec = {"min": {"cpu": "4"}, "max": {"cpu": "6"}}
        server.put(paths.QUOTAS, {"metadata": metadata, "spec": spec})
        yield server


def pod(double: ApiDouble, name: str, cpu: str, *, leaving: bool = False) -> None:
    metadata: dict[str, Any] = {"namespace": "team", "name": name}
    spec: dict[str, Any] = {
        "containers": [{"name": "c", "resources": {"requests": {"cpu": cpu}}}],
        "schedulingGates": [{"name": names.GATE}],
    }
    if leaving:
        metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z"
        spec |= {"schedulingGates": None, "nodeName": "n-1"}
    gated = {"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}
    status = {"phase": "Pending", "conditions": [gated]}
    double.put(paths.PODS, {"metadata": metadata, "spec": spec, "status": status})


def figures(double: ApiDouble) -> dict[str, dict[str, Any]]:
    return {q["metadata"]["name"]: q.get("status") or {} for q in double.objects(paths.QUOTAS)}


def told(double: ApiDouble, name: str) -> str:
    condition = double.object(paths.PODS, "team", name)["status"]["conditions"][0]
    return str(condition.get("message", ""))


async def test_simulate_and_explain_get_the_controllers_figures_from_the_file(
    double: ApiDouble, port: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings: dict[str, Any] = {
        "accounting": {"defaultQuota": False},
        "controllerUser": "system:serviceaccount:operator:elastic-quota-controller",
    }
    file = tmp_path / "ledger.json"
    async with controller(double, "one", port, **settings):
        await until(lambda: figures(double).get("team", {}).get("summary"), within=10)
        pod(double, "leaving", "4", leaving=True)
        pod(double, "waiting", "3")
        await until(lambda: "[QuotaExhausted]" in told(double, "waiting"))
        await until(lambda: figures(double)["team"]["runtime"] == {"cpu": "6"})
        page = f"http://127.0.0.1:{port}/debug/ledger"
        async with aiohttp.ClientSession() as client, client.get(page) as answer:
            assert answer.content_type == "application/json"
            file.write_text(await answer.text(), encoding="utf-8")
    assert "managedFields" not in file.read_text(encoding="utf-8")
    objects = json.loads(file.read_text(encoding="utf-8"))["items"]
    in_force = next(each for each in objects if each["kind"] == "ConfigMap")
    whole = model.parse(in_force["data"]["config.yaml"])
    assert not whole.accounting.default_quota
    assert whole.policy() == model.read(settings).policy("operator")

    capsys.readouterr()  # discard the controller's log

    # At this moment: the terminating pod still counts.
    assert cli.main(["explain", "pod", "team/waiting", "-f", str(file), "-o", "json"]) == 0
    explained = json.loads(capsys.readouterr().out)["pod"]
    more = " More: kubectl elastic-quota explain pod team/waiting"
    assert explained["message"] == told(double, "waiting").replace(more, "")
    assert cli.main(["explain", "quota", "team", "-f", str(file), "-o", "json"]) == 0
    explained = json.loads(capsys.readouterr().out)["quota"]
    (cpu,) = explained["figures"]
    assert (cpu["runtime"], cpu["used"], cpu["request"]) == ("6", "4", "7")
    assert explained["waiting"][0]["message"] == told(double, "waiting").replace(more, "")

    # At rest: that pod is gone, and the other one is admitted.
    assert cli.main(["simulate", "-f", str(file), "-o", "json"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    report = json.loads(captured.out)
    assert report["waiting"] == []


async def test_a_large_ledger_is_streamed_completely() -> None:
    ready = asyncio.Event()
    asked: list[int] = []

    def items() -> Iterator[dict[str, Any]]:
        for number in range(1000):
            asked.append(number)
            yield {"kind": "Pod", "metadata": {"name": f"p-{number}"}}

    app = web.Application()
    app.add_routes([ledger.route(items, ready)])
    async with TestClient(TestServer(app)) as client:
        async with client.get("/debug/ledger") as answer:
            assert answer.status == 503, "half a world would mislead"
        assert asked == []
        ready.set()
        async with client.get("/debug/ledger") as answer:
            whole = json.loads(await answer.text())
    assert (whole["apiVersion"], whole["kind"]) == ("v1", "List")
    assert [each["metadata"]["name"] for each in whole["items"]] == [
        f"p-{number}" for number in range(1000)
    ]


ODD: list[dict[str, object]] = [
    {"kind": "Pod", "metadata": {"name": "a\x1b[31m\u202eb"}},
    {"kind": "größe\x9b"},
]


@pytest.mark.parametrize("kept", [[], ODD], ids=["nothing", "what commands a terminal"])
async def test_the_ledger_is_a_list_that_gives_a_terminal_no_commands(
    kept: list[dict[str, object]],
) -> None:
    ready = asyncio.Event()
    ready.set()
    app = web.Application()
    app.add_routes([ledger.route(lambda: kept, ready)])
    async with TestClient(TestServer(app)) as client, client.get("/debug/ledger") as answer:
        text = await answer.text()
    assert text.replace("\n", "").isprintable()
    assert json.loads(text)["items"] == kept


@pytest.mark.parametrize(
    ("peer", "own"),
    [
        ("10.0.0.7", "10.0.0.9"),
        # A sidecar that forwards requests from outside
        ("127.0.0.6", "10.0.0.9"),
        ("10.0.0.7", "127.0.0.1"),
        ("fd00::7", "fd00::9"),
    ],
)
async def test_no_client_outside_of_the_pod_sees_it(peer: str, own: str) -> None:
    ends = {"peername": (peer, 4711), "sockname": (own, 8080)}
    transport = SimpleNamespace(get_extra_info=lambda name, default=None: ends.get(name, default))
    request = make_mocked_request("GET", "/debug/ledger", transport=transport)
    ready = asyncio.Event()
    ready.set()
    answer = await ledger.route(lambda: pytest.fail("was read"), ready).handler(request)
    assert isinstance(answer, web.Response)
    assert answer.status == 403
    assert "kubectl port-forward" in str(answer.text)


async def test_the_pages_are_served_on_the_pods_address_and_inside_the_pod(
    unused_tcp_port: int,
) -> None:
    runner = await http.serve(web.Application(), ["127.0.0.2"], unused_tcp_port)
    try:
        for host in ("127.0.0.1", "127.0.0.2"):
            page = f"http://{host}:{unused_tcp_port}/"
            async with aiohttp.ClientSession() as client, client.get(page) as answer:
                assert answer.status == 404
        # When the port is taken on the loopback, as in a node's network, only that page is missing.
        other = await http.serve(web.Application(), ["127.0.0.3"], unused_tcp_port)
        await other.cleanup()
    finally:
        await runner.cleanup()
