"""Kopf carries what it sees and leaves no trace; the sweep repairs what Kopf misses."""

import asyncio
import contextlib
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from api_double import ApiDouble, refusals
from api_double.waiting import until
from elasticquota.model.key import Key
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.credentials import Credentials, Token
from elasticquota_operator.informers.custom_resources import Watcher
from elasticquota_operator.informers.manifest_store import ManifestStore
from elasticquota_operator.informers.resync import Resync


KEY = Key("team", "a")


def quota(name: str = "a", **spec: Any) -> dict[str, Any]:
    return {"metadata": {"namespace": "team", "name": name}, "spec": spec}


class Carried:
    """Everything that the watcher handed over."""

    def __init__(self) -> None:
        self.events: list[tuple[str, str, str]] = []
        self.loops: set[asyncio.AbstractEventLoop] = set()

    def __call__(self, plural: str, kind: str, manifest: Mapping[str, Any]) -> None:
        self.loops.add(asyncio.get_running_loop())
        self.events.append((plural, kind, manifest["metadata"]["name"]))


@contextlib.asynccontextmanager
async def watching(credentials: Credentials) -> AsyncIterator[Carried]:
    carried = Carried()
    watcher = Watcher(credentials, carried)
    watcher.start()
    try:
        yield carried
    finally:
        await watcher.stop()
        assert watcher.ended.is_set()


async def test_every_event_arrives_in_the_main_loop(double: ApiDouble) -> None:
    double.put(paths.QUOTAS, quota())
    async with watching(Credentials(double.url)) as carried:
        await until(lambda: ("elasticquotas", "ADDED", "a") in carried.events)
        double.put(paths.PROFILES, quota("pool"))
        await until(lambda: ("elasticquotaprofiles", "ADDED", "pool") in carried.events)
        double.put(paths.QUOTAS, quota(min={"cpu": "1"}))
        await until(lambda: ("elasticquotas", "MODIFIED", "a") in carried.events)
        double.remove(paths.QUOTAS, "team", "a")
        await until(lambda: ("elasticquotas", "DELETED", "a") in carried.events)
    assert carried.loops == {asyncio.get_running_loop()}


async def test_kopf_writes_nothing_at_all(double: ApiDouble) -> None:
    before = double.put(paths.QUOTAS, quota())
    async with watching(Credentials(double.url)) as carried:
        await until(lambda: carried.events)
        double.put(paths.QUOTAS, quota(min={"cpu": "1"}))
        await until(lambda: len(carried.events) > 1)
    assert {call.method for call in double.calls} == {"GET"}
    metadata = double.object(paths.QUOTAS, "team", "a")["metadata"]
    assert set(metadata) == set(before["metadata"]), "no annotation, no finalizer"


async def test_a_renewed_token_is_used_without_a_restart(double: ApiDouble, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("first")
    double.token = "first"
    double.put(paths.QUOTAS, quota())
    async with watching(Credentials(double.url, token=Token(path=file))) as carried:
        await until(lambda: carried.events)
        double.token = "second"
        file.write_text("second")
        double.close_watches()
        double.put(paths.QUOTAS, quota("b"))
        await until(lambda: ("elasticquotas", "ADDED", "b") in carried.events, within=10)


def test_who_outlives_the_main_loop_ends_without_a_fault(unused_tcp_port: int) -> None:
    """Under load Kopf may take longer to end than the process has patience."""

    async def begin() -> Watcher:
        watcher = Watcher(Credentials(f"http://127.0.0.1:{unused_tcp_port}"), Carried())
        watcher.start()
        return watcher

    watcher = asyncio.run(begin())
    watcher.ask_to_stop()
    (thread,) = (each for each in threading.enumerate() if each.name == "kopf")
    thread.join(30)
    assert not thread.is_alive()


async def test_a_sweep_drops_a_quota_that_vanished_unseen(double: ApiDouble) -> None:
    dropped: list[Key] = []
    store = ManifestStore(lambda _: None, dropped.append)
    repairs: list[tuple[str, int]] = []
    double.put(paths.QUOTAS, quota())
    async with Api(Credentials(double.url)) as api:
        sweeper = Resync(
            api, {paths.QUOTAS: store}, every=0.05, on_repair=lambda *what: repairs.append(what)
        )
        running = asyncio.create_task(sweeper.run())
        await sweeper.synced.wait()
        assert store.get(KEY) is not None
        assert repairs == [], "filling is no repair"
        double.remove(paths.QUOTAS, "team", "a")
        await until(lambda: dropped == [KEY])
        assert repairs == [("elasticquotas", 1)]
        running.cancel()


async def test_a_sweep_waits_for_kinds_that_are_not_installed_yet(double: ApiDouble) -> None:
    double.faults.answer(refusals.no_such_resource(), times=2, path="/elasticquotas")
    store = ManifestStore(lambda _: None, lambda _: None)
    async with Api(Credentials(double.url)) as api:
        sweeper = Resync(api, {paths.QUOTAS: store}, wait=lambda _: 0.01)
        running = asyncio.create_task(sweeper.run())
        await until(sweeper.synced.is_set)
        running.cancel()
    assert double.count("GET", "/elasticquotas") == 3


def test_kopf_is_not_loaded_with_the_controller_but_by_its_own_thread() -> None:
    loading = "import sys, elasticquota_operator.main; sys.exit('kopf' in sys.modules)"
    subprocess.run([sys.executable, "-c", loading], check=True)
