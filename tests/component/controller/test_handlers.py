"""Kopf's handlers around the whole controller, on a double of the API server."""

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import kopf
import pytest
from kopf._core.intents.causes import Activity

from api_double import ApiDouble, refusals
from api_double.waiting import until
from elasticquota_config import model
from elasticquota_kube import liveness
from elasticquota_kube.client import paths
from elasticquota_kube.client.credentials.credentials import Credentials, Token
from elasticquota_operator import handlers, main
from elasticquota_operator.informers.resync import Resync
from elasticquota_operator.runtime import Runtime
from small_cluster import controller, pool, summary, team


@contextlib.asynccontextmanager
async def operated(
    credentials: Credentials, port: int, liveness_port: int | None = None
) -> AsyncIterator[tuple[Runtime, asyncio.Task[None]]]:
    chosen = model.read({"controller": {"port": port}})
    found = Runtime(chosen, credentials, "operator", "one")
    endpoint = f"http://127.0.0.1:{liveness_port}/healthz" if liveness_port else None
    running = asyncio.create_task(main.operate(found, ["127.0.0.1"], endpoint))
    try:
        yield found, running
    finally:
        running.cancel()
        await asyncio.wait([running])


async def test_an_edit_and_the_end_of_a_quota_reach_the_ledger_through_kopf(
    double: ApiDouble, port: int
) -> None:
    pool(double)
    team(double)
    async with controller(double, "one", port) as found:
        await until(lambda: double.watches(paths.QUOTAS), within=10)
        before = found._parts.resync.last_heard
        double.edit(paths.QUOTAS, "team", "team", lambda q: q["spec"].update(max={"cpu": "6"}))
        await until(lambda: summary(double, "team").get("cpu") == "0/4/4..6", within=10)
        double.remove(paths.QUOTAS, "team", "team")
        await until(lambda: "team" not in {q.name for q in found._parts.context.ledger.quotas})
        assert found._parts.resync.last_heard == before, "no resync was needed"


async def test_kopf_writes_nothing_to_users_objects(double: ApiDouble, port: int) -> None:
    pool(double)
    team(double)
    before = double.object(paths.QUOTAS, "team", "team")["metadata"]
    async with controller(double, "one", port, compatAnnotations=False):
        await until(lambda: double.watches(paths.QUOTAS), within=10)
        double.edit(paths.QUOTAS, "team", "team", lambda q: q["spec"].update(max={"cpu": "6"}))
        await until(lambda: summary(double, "team").get("cpu") == "0/4/4..6", within=10)
    metadata = double.object(paths.QUOTAS, "team", "team")["metadata"]
    assert set(metadata) <= {*before, "generation"}, "no annotation, no finalizer"


async def test_kopf_reads_a_renewed_token_without_a_restart(
    double: ApiDouble, port: int, tmp_path: Path
) -> None:
    file = tmp_path / "token"
    file.write_text("first")
    double.token = "first"
    pool(double)
    async with operated(Credentials(double.url, token=Token(path=file)), port):
        await until(lambda: double.watches(paths.QUOTAS), within=10)
        double.token = "second"
        file.write_text("second")
        double.close_watches()
        team(double)
        await until(lambda: summary(double, "team").get("cpu"), within=20)


def test_the_start_has_five_steps_in_this_order() -> None:
    registered = kopf.get_default_registry()._activities.get_handlers(activity=Activity.STARTUP)
    ours = [each.id for each in registered if each.fn.__module__ == handlers.__name__]
    assert ours == ["configure", "follow_the_cluster", "decide", "act", "elect"]


async def test_a_part_that_breaks_during_the_start_ends_it_before_the_election(
    double: ApiDouble, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool(double)

    async def broken(_self: Resync) -> None:
        raise RuntimeError("broken on purpose")

    monkeypatch.setattr(Resync, "run", broken)
    async with operated(Credentials(double.url), port) as (found, running):
        with pytest.raises(ExceptionGroup, match="unhandled errors in a TaskGroup"):
            await asyncio.wait_for(running, 20)
    assert not found._parts.engine.decided.is_set()
    assert double.objects(paths.LEASES) == []


async def test_an_event_of_a_profile_says_why_its_root_is_not_written_and_holds_up_no_other(
    double: ApiDouble, port: int, caplog: pytest.LogCaptureFixture
) -> None:
    pool(double)
    async with operated(Credentials(double.url), port) as (found, _):
        await until(lambda: summary(double, "root").get("cpu"), within=10)
        shut = refusals.Refusal(403, "Forbidden", "no quotas here")
        double.faults.answer(shut, times=1000, method="POST", path="/shut/elasticquotas")
        for namespace in ("shut", "open"):
            profile(double, namespace)
        await until(lambda: "open-root" in roots(double))
        await until(lambda: said(caplog))
        assert said(caplog) == [
            "Handler 'profile' failed temporarily: root quota shut/shut-root is not written yet, "
            "and is tried again: 403 Forbidden: no quotas here"
        ]
        assert "shut-root" not in roots(double)
        assert found._parts.elector.leading
        double.faults.scripted.clear()
        await until(lambda: "shut-root" in roots(double), within=20)


async def test_kopfs_liveness_endpoint_reports_the_state(
    double: ApiDouble, unused_tcp_port_factory: Any
) -> None:
    pool(double)
    own, alive = unused_tcp_port_factory(), unused_tcp_port_factory()
    async with operated(Credentials(double.url), own, alive) as (found, _):
        await until(found._parts.engine.decided.is_set, within=10)
        await until(lambda: found._parts.elector.leading, within=10)
        code, text = await health(alive)
        assert code == 200
        seen = json.loads(text)
        assert seen["leadership"] == "leader"
        assert seen["decisions"] >= 1
        assert {"pods", "nodes", "namespaces", "resync", "lease"} == seen["watches"].keys()


async def test_a_dead_watch_fails_the_liveness_endpoint(
    double: ApiDouble, unused_tcp_port_factory: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(liveness, "SILENCE", -1.0)
    pool(double)
    own, alive = unused_tcp_port_factory(), unused_tcp_port_factory()
    async with operated(Credentials(double.url), own, alive) as (found, _):
        await until(found._parts.engine.decided.is_set, within=10)
        assert (await health(alive))[0] == 500


async def test_a_part_that_breaks_ends_the_process_in_order(
    double: ApiDouble, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool(double)

    def broken(_resource: object, _why: str) -> None:
        raise RuntimeError("broken on purpose")

    async with operated(Credentials(double.url), port) as (found, running):
        await until(lambda: found._parts.elector.leading, within=10)
        monkeypatch.setattr(found._parts.reflectors[0], "_on_restart", broken)
        double.close_watches()
        with pytest.raises(ExceptionGroup, match="unhandled errors in a TaskGroup"):
            await asyncio.wait_for(running, 20)
    holder = double.object(paths.LEASES, "operator", "elastic-quota-controller")["spec"]
    assert holder["holderIdentity"] == "", "released, not expired"


async def test_a_stop_during_the_start_ends_at_once(double: ApiDouble, port: int) -> None:
    """The API server serves no quotas yet, so the caches never fill."""
    double.faults.answer(refusals.no_such_resource(), times=1000, path="/elasticquotas")
    async with operated(Credentials(double.url), port) as (found, running):
        await until(lambda: double.count("GET", "/elasticquotas"), within=10)
        assert not found._parts.engine.decided.is_set()
        running.cancel()
        await asyncio.wait([running], timeout=10)
        assert running.cancelled()
    assert [task.get_name() for task in asyncio.all_tasks() if "Resync" in task.get_name()] == []


async def test_kopf_run_starts_the_same_operator(
    double: ApiDouble, tmp_path: Path, port: int
) -> None:
    pool(double)
    file = tmp_path / "config.yaml"
    file.write_text(f"controller: {{port: {port}}}\n", encoding="utf-8")
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "kopf",
        "run",
        "-A",
        "-m",
        "elasticquota_operator.handlers",
        env={
            **os.environ,
            "KUBECONFIG": str(double.kubeconfig(tmp_path)),
            "POD_NAMESPACE": "operator",
            "ELASTIC_QUOTA_CONFIG": str(file),
            "PYTHONPATH": str(Path(main.__file__).parents[1]),
        },
    )
    try:
        await until(lambda: summary(double, "root").get("cpu"), within=20)
        team(double)
        await until(lambda: summary(double, "team").get("cpu"), within=20)
        process.terminate()
        assert await asyncio.wait_for(process.wait(), 20) == 0
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
    holder = double.object(paths.LEASES, "operator", "elastic-quota-controller")["spec"]
    assert holder["holderIdentity"] == "", "released, not expired"


def profile(double: ApiDouble, name: str) -> None:
    """In a namespace of the same name."""
    spec = {"quotaName": f"{name}-root", "nodeSelector": {"matchLabels": {"pool": name}}}
    double.put(paths.NAMESPACES, {"metadata": {"name": name}})
    double.put(paths.PROFILES, {"metadata": {"namespace": name, "name": name}, "spec": spec})


def roots(double: ApiDouble) -> set[str]:
    return {quota["metadata"]["name"] for quota in double.objects(paths.QUOTAS)}


def said(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What Kopf said of the profile handler."""
    lines = [record.getMessage() for record in caplog.records if record.name == "kopf.objects"]
    return list(dict.fromkeys(line for line in lines if "'profile'" in line))


async def health(port: int) -> tuple[int, str]:
    """Return when a server listens."""
    async with aiohttp.ClientSession() as client:
        while True:
            with contextlib.suppress(aiohttp.ClientConnectorError):
                async with client.get(f"http://127.0.0.1:{port}/healthz") as answer:
                    return answer.status, await answer.text()
            await asyncio.sleep(0.02)
