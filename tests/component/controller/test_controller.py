"""The whole controller on a double of the API server: what it writes, and when it does not."""

import contextlib
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from api_double import ApiDouble
from api_double.waiting import until
from elasticquota import names
from elasticquota.derived import root_quotas
from elasticquota_config import model, reload
from elasticquota_kube.client import paths
from small_cluster import controller, gated, pod, pool, summary, team


async def test_pods_are_released_up_to_runtime_and_the_rest_is_reported(
    double: ApiDouble, port: int
) -> None:
    pool(double)
    team(double)

    def message(name: str) -> str:
        condition = double.object(paths.PODS, "team", name)["status"]["conditions"][0]
        return str(condition.get("message", ""))

    async with controller(double, "one", port):
        await until(lambda: summary(double, "team").get("cpu") == "0/4/4..8", within=10)
        for number in range(3):
            pod(double, f"p-{number}", "3")
        await until(lambda: len(gated(double)) == 1)
        (waiting,) = gated(double)
        await until(lambda: "[QuotaExhausted]" in message(waiting))
        double.remove(paths.PODS, "team", "p-0" if waiting != "p-0" else "p-1")
        await until(lambda: gated(double) == [])


async def test_a_standby_writes_nothing_until_the_leader_is_gone(
    double: ApiDouble, unused_tcp_port_factory: Any
) -> None:
    pool(double)
    async with contextlib.AsyncExitStack() as second:
        async with controller(double, "one", unused_tcp_port_factory()):
            await until(lambda: summary(double, "root").get("cpu"), within=10)
            standby = await second.enter_async_context(
                controller(double, "two", unused_tcp_port_factory())
            )
            await until(standby._parts.engine.decided.is_set)
            assert not standby._parts.elector.leading
            team(double)
            await until(lambda: summary(double, "team").get("cpu"))
        holder = double.object(paths.LEASES, "operator", "elastic-quota-controller")["spec"]
        assert holder["holderIdentity"] in ("", "two"), "released, not expired"
        await until(lambda: standby._parts.elector.leading, within=10)
        pod(double, "p", "1")
        await until(lambda: gated(double) == [])


async def test_a_forged_status_is_corrected(double: ApiDouble, port: int) -> None:
    pool(double)
    async with controller(double, "one", port):
        await until(lambda: summary(double, "root").get("cpu"), within=10)
        await until(lambda: summary(double, "root").get("cpu") == "0/8/8..-")
        forged = {"cpu": "999/999/999"}
        double.edit(paths.QUOTAS, "pools", "root", lambda q: q["status"].update(summary=forged))
        await until(lambda: summary(double, "root").get("cpu") == "0/8/8..-")


@pytest.mark.parametrize("wanted", [True, False])
async def test_koordinators_annotations_are_written_unless_disabled(
    double: ApiDouble, port: int, wanted: bool
) -> None:
    pool(double)
    team(double)

    def runtime() -> str:
        metadata = double.object(paths.QUOTAS, "team", "team")["metadata"]
        return str((metadata.get("annotations") or {}).get(names.RUNTIME, ""))

    async with controller(double, "one", port, compatAnnotations=wanted):
        pod(double, "p", "3")
        await until(lambda: summary(double, "team").get("cpu") == "0/4/4..8", within=10)
        if wanted:
            await until(lambda: '"cpu":"3"' in runtime())
        else:
            assert runtime() == ""


async def test_the_tree_follows_its_nodes(
    double: ApiDouble, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(root_quotas, "KEPT_FOR", 100)  # not half a minute
    pool(double)
    async with controller(double, "one", port):
        await until(lambda: summary(double, "root").get("cpu") == "0/8/8..-", within=10)
        pool(double, cpu="16")
        await until(lambda: summary(double, "root").get("cpu") == "0/16/16..-")
        double.remove(paths.PROFILES, "pools", "pool")
        await until(lambda: "root" not in quotas(double))


async def test_a_new_process_reads_in_a_status_for_which_pod_a_victim_went(
    double: ApiDouble, port: int
) -> None:
    """Of two pods there is room for one. A victim of this moment went for the later one."""
    pool(double)
    async with controller(double, "before", port):
        await until(lambda: "root" in quotas(double), within=10)
    for quota in ("early", "later"):
        metadata = {"namespace": "team", "name": quota, "labels": {names.PARENT: "root"}}
        double.put(paths.QUOTAS, {"metadata": metadata, "spec": {"max": {"cpu": "8"}}})
        pod(double, f"of-{quota}", "5")
        double.edit(paths.PODS, "team", f"of-{quota}", partial(_label, quota=quota))
    evicted = {
        "time": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "evictedFrom": "early",
        "reclaimedFor": "later",
        "workload": "pod team/of-later",
        "right": "FairShare",
        "pods": 1,
    }
    double.edit(paths.QUOTAS, "team", "later", lambda q: q.update(status={"history": [evicted]}))
    async with controller(double, "one", port):
        await until(lambda: len(gated(double)) == 1, within=10)
    assert gated(double) == ["of-early"]


def _label(pod: dict[str, Any], quota: str) -> None:
    pod["metadata"]["labels"] = {names.QUOTA_NAME: quota}


def quotas(double: ApiDouble) -> set[str]:
    return {quota["metadata"]["name"] for quota in double.objects(paths.QUOTAS)}


def test_the_operators_namespace_belongs_to_the_system_quota() -> None:
    chosen = model.read({"reclaim": {"graceSeconds": 7, "paused": True}})
    found = chosen.policy("operator")
    assert found.accounting.terms.system_namespaces == {"kube-system", "operator"}
    assert found.accounting.default_quota
    assert (found.grace, found.delay, found.paused) == (7000, 120_000, True)


def choose_mode(double: ApiDouble, mode: str | None) -> None:
    """As an administrator edits the profile."""

    def change(profile: dict[str, Any]) -> None:
        profile["spec"]["enforcement"] = mode

    double.edit(paths.PROFILES, "pools", "pool", change)


def run_all(double: ApiDouble) -> None:
    """What the scheduler and the node do with pods that have no gate."""

    def change(pod: dict[str, Any]) -> None:
        pod["spec"]["nodeName"] = "n-1"
        pod["status"] = {"phase": "Running", "conditions": []}

    for found in double.objects(paths.PODS):
        if not found["spec"]["schedulingGates"] and not found["spec"].get("nodeName"):
            double.edit(paths.PODS, "team", found["metadata"]["name"], change)


async def test_a_tree_may_switch_to_observe_mode_and_back_under_load(
    double: ApiDouble, port: int
) -> None:
    pool(double)
    team(double)
    double.edit(paths.QUOTAS, "team", "team", lambda q: q["spec"].update(max={"cpu": "4"}))

    def observed() -> bool:
        conditions = double.object(paths.QUOTAS, "team", "team")["status"]["conditions"]
        return any(found["type"] == "Observed" for found in conditions)

    def mode_of_root() -> str | None:
        root = double.object(paths.QUOTAS, "pools", "root")
        return (root["spec"].get("tree") or {}).get("enforcement")

    def reasons() -> set[str]:
        return {event["reason"] for event in double.objects(paths.EVENTS)}

    def events_of(name: str) -> set[str]:
        events = double.objects(paths.EVENTS)
        return {event["reason"] for event in events if event["regarding"]["name"] == name}

    reclaim = {"graceSeconds": 0, "delaySeconds": 0}
    async with controller(double, "one", port, reclaim=reclaim):
        await until(lambda: summary(double, "team").get("cpu") == "0/4/4..4", within=10)
        for number in range(4):
            pod(double, f"p-{number}", "2")
        await until(lambda: len(gated(double)) == 2)
        run_all(double)

        choose_mode(double, "Observe")
        await until(lambda: gated(double) == [])
        await until(observed)
        assert mode_of_root() == "Observe"
        run_all(double)
        await until(lambda: "QuotaWouldReclaim" in reasons())
        assert double.count("POST", "eviction") == 0

        choose_mode(double, None)
        await until(lambda: double.count("POST", "eviction") == 2)
        await until(lambda: not observed())
        assert mode_of_root() is None
        pod(double, "late", "2")
        await until(lambda: "QuotaWait" in events_of("late"))
        assert gated(double) == ["late"]

        choose_mode(double, "Observe")
        await until(lambda: gated(double) == [])
        assert double.count("POST", "eviction") == 2


async def test_a_changed_configuration_takes_effect_without_a_restart(
    double: ApiDouble, port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reload, "INTERVAL", 0.05)
    file = tmp_path / "config.yaml"
    chosen = f"controller: {{port: {port}}}\n"
    file.write_text(chosen, encoding="utf-8")
    team(double)

    def mark() -> object:
        namespace = double.object(paths.NAMESPACES, "", "team")
        return (namespace["metadata"].get("labels") or {}).get(names.NAMESPACE_QUOTA)

    async with controller(double, "one", port, file) as found, aiohttp.ClientSession() as client:

        def valid(value: float) -> bool:
            return f"config_valid {value}\n".encode() in found._parts.context.telemetry.exposition()

        await until(lambda: summary(double, "team").get("cpu"), within=10)
        file.write_text("podAdmission: pollicy", encoding="utf-8")
        await until(lambda: valid(0.0))
        assert mark() is None
        async with client.get(f"http://127.0.0.1:{port}/readyz") as answer:
            assert answer.status == 200
        file.write_text(f"{chosen}podAdmission: policy", encoding="utf-8")
        await until(lambda: mark() == "team")
        assert valid(1.0)
