"""``pending``, ``top`` and ``history`` show what the controller publishes and the user may read."""

import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import explain_fixture
from api_double import ApiDouble, Refusal
from elasticquota import names
from elasticquota.model import moments
from elasticquota_cli import main as cli
from elasticquota_cli.overview import report
from elasticquota_kube.client import paths
from live_cluster import Live
from simulated import Screen
from stored import Document, Stored


CLUSTER = str(Path(__file__).parents[3] / "examples" / "overview" / "cluster.yaml")


def of_files(capsys: Screen, verb: str, *words: str) -> Any:
    assert cli.main([verb, *words, "-A", "-f", CLUSTER, "-o", "json"]) == 0
    return msgspec.json.decode(capsys.readouterr().out, type=report.Report)


def lines(capsys: Screen, *words: str) -> list[str]:
    assert cli.main([*words, "-f", CLUSTER]) == 0
    return capsys.readouterr().out.splitlines()


def test_a_quota_in_which_pods_wait_has_a_line(capsys: Screen) -> None:
    (found,) = of_files(capsys, "pending").items
    assert (found.quota, found.waiting, found.needs) == ("team-a", 3, {"cpu": "4", "memory": "8Gi"})
    assert (found.head, found.reason) == ("team-a/train-1", "QuotaExhausted")
    assert found.expected == "10 to 40 min"


def test_borrowers_lenders_and_victims_are_listed_apart(capsys: Screen) -> None:
    found = of_files(capsys, "top")
    assert [(each.quota, each.borrowed, each.lent) for each in found.items] == [
        ("team-a", {"cpu": "4"}, {}),
        ("team-b", {}, {"cpu": "4", "memory": "24Gi"}),
    ]
    assert [(each.evicted, each.reclaimed) for each in found.items] == [(3, 0), (0, 2)]


def test_evictions_are_added_up_by_hour(capsys: Screen) -> None:
    latest, earlier = of_files(capsys, "top").hours
    assert (latest.evicted, latest.victims, latest.gainers) == (2, {"team-a": 2}, {"team-b": 2})
    assert (earlier.hour, earlier.gainers) == ("2026-11-25T09:00:00Z", {})


def test_a_cause_that_both_quotas_keep_is_one_line(capsys: Screen) -> None:
    first, second = of_files(capsys, "history").items
    assert (first.evicted_from, first.reclaimed_for, first.pods) == ("team-a", "team-b", 2)
    assert (first.workload, first.right) == ("pod team-b/report-1", "Guarantee")
    assert (second.reclaimed_for, second.right) == ("", "Limit")


def test_a_history_may_be_of_one_quota(capsys: Screen) -> None:
    (found,) = of_files(capsys, "history", "team-b").items
    assert found.reclaimed_for == "team-b"
    assert cli.main(["history", "team-c", "-A", "-f", CLUSTER]) == 1
    assert capsys.readouterr().err == (
        "elastic-quota: there is no quota team-c here; did you mean team-b?\n"
    )


def test_one_namespace_is_shown_without_its_name(capsys: Screen) -> None:
    assert lines(capsys, "pending", "-n", "team-a")[0].startswith("QUOTA    WAITING")
    assert lines(capsys, "pending", "-A")[0].startswith("NAMESPACE   QUOTA    WAITING")
    assert lines(capsys, "pending", "-n", "team-b") == [
        "No pod waits for a quota in namespace team-b (-A for all)."
    ]


def test_the_wide_form_has_the_head_and_its_message(capsys: Screen) -> None:
    head, row = lines(capsys, "pending", "-A", "-o", "wide")
    assert head.endswith("HEAD             MESSAGE")
    assert "Position 1 of 3. " in row
    assert row.endswith("[QuotaExhausted]")


@pytest.mark.parametrize("verb", ["pending", "history"])
def test_names_are_those_that_kubectl_takes(verb: str, capsys: Screen) -> None:
    assert lines(capsys, verb, "-A", "-o", "name") == ["elasticquota.scheduling.sigs.k8s.io/team-a"]


def test_yaml_is_the_same_as_json(capsys: Screen) -> None:
    assert lines(capsys, "history", "-A", "-o", "yaml")[:2] == [
        "kind: History",
        "apiVersion: overview.elasticquota.dev/v1",
    ]


@pytest.mark.parametrize("verb", ["pending", "top", "history"])
def test_a_bad_file_is_one_line(verb: str, tmp_path: Path, capsys: Screen) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text("{apiVersion: v1, kind: Pod, metadata: 7}\n")
    assert cli.main([verb, "-f", str(bad)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize("verb", ["pending", "top", "history"])
def test_a_status_that_is_not_understood_shows_nothing(
    verb: str, tmp_path: Path, capsys: Screen
) -> None:
    file = tmp_path / "odd.json"
    odd = [{"used": 7}, 7, {"history": 7, "hours": [{"hour": 7}], "waitEstimate": [], "pods": "x"}]
    quotas = [
        {
            "apiVersion": "scheduling.sigs.k8s.io/v1alpha1",
            "kind": "ElasticQuota",
            "metadata": {"name": f"q{number}", "namespace": "n"},
            "status": status,
        }
        for number, status in enumerate(odd)
    ]
    file.write_bytes(msgspec.json.encode({"apiVersion": "v1", "kind": "List", "items": quotas}))
    assert cli.main([verb, "-A", "-f", str(file)]) == 0
    assert capsys.readouterr().out.startswith("No ")


def test_a_waiting_pod_is_shown_with_the_older_of_two_quotas_that_bind_its_namespace(
    tmp_path: Path, capsys: Screen
) -> None:
    def quota(name: str, namespace: str, created: str, **spec: Any) -> Document:
        return {
            "apiVersion": "scheduling.sigs.k8s.io/v1alpha1",
            "kind": "ElasticQuota",
            "metadata": {"name": name, "namespace": namespace, "creationTimestamp": created},
            "spec": spec,
        }

    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "namespace": "shop"},
        "spec": {"containers": [], "schedulingGates": [{"name": names.GATE}]},
    }
    older = quota("dept", "teams", "2026-11-27T10:00:00Z", namespaces=["shop"])
    items = [older, quota("shop", "shop", "2026-11-28T10:00:00Z"), pod]
    file = tmp_path / "two.json"
    file.write_bytes(msgspec.json.encode({"apiVersion": "v1", "kind": "List", "items": items}))
    assert cli.main(["pending", "-A", "-o", "json", "-f", str(file)]) == 0
    assert [each.quota for each in read(capsys).items] == ["dept"]


def test_causes_of_one_second_are_in_the_order_of_their_workloads(
    tmp_path: Path, capsys: Screen
) -> None:
    """The two quotas of the causes keep them in different orders."""
    same = {"time": moments.text(0), "evictedFrom": "a", "reclaimedFor": "b", "right": "Guarantee"}
    causes = [{**same, "workload": f"pod n/{name}", "pods": 1} for name in "yxz"]
    kept = {"a": causes, "b": causes[::-1]}
    quotas = [
        {
            "apiVersion": "scheduling.sigs.k8s.io/v1alpha1",
            "kind": "ElasticQuota",
            "metadata": {"name": name, "namespace": "n"},
            "status": {"history": history},
        }
        for name, history in kept.items()
    ]
    file = tmp_path / "quotas.json"
    file.write_bytes(msgspec.json.encode({"apiVersion": "v1", "kind": "List", "items": quotas}))
    for quota in ([], ["a"], ["b"]):
        assert cli.main(["history", *quota, "-A", "-f", str(file), "-o", "json"]) == 0
        found = msgspec.json.decode(capsys.readouterr().out, type=report.Report)
        assert [each.workload for each in found.items] == ["pod n/x", "pod n/y", "pod n/z"]


@pytest.fixture
async def double(tmp_path: Path, capsys: Screen) -> AsyncIterator[Live]:
    """Team a lost pods an hour ago and two days ago; one of its pods waits, and one of team b."""
    now = int(time.time() * 1000)
    stored = Stored()
    stored.grown_tree(20)
    team = stored.quota("team-a", 4, 6)
    stored.quota("team-b", 4, 6)
    stored.runs("run", 1)
    stored.waits("new", 1)
    stored.waits("secret", 1, namespace="team-b")
    hours = [now - 3_600_000, now - 48 * 3_600_000]
    team["status"] = {
        "hours": [{"hour": moments.text(at), "evicted": 2, "reclaimed": 0} for at in hours],
        "history": [
            {
                "time": moments.text(at),
                "evictedFrom": "team-a",
                "reclaimedFor": "team-b",
                "workload": "pod team-b/x",
                "right": "Guarantee",
                "pods": pods,
                "amounts": {"cpu": "2"},
            }
            for pods, at in enumerate(hours, start=1)
        ],
        "waitEstimate": {
            "observedTime": moments.text(now - 600_000),
            "positions": [{"position": 1, "lowSeconds": 1200, "highSeconds": 3000}],
        },
    }
    async with Live(tmp_path, capsys) as double:
        explain_fixture.fill(double, stored.documents)
        yield double


def read(capsys: Screen) -> Any:
    return msgspec.json.decode(capsys.readouterr().out, type=report.Report)


async def test_only_the_last_day_counts(double: Live) -> None:
    assert await double.run("top", "-n", "team-a", "-o", "json") == 0
    found = read(double.screen)
    assert [(each.quota, each.evicted) for each in found.items] == [("team-a", 2)]
    assert len(found.hours) == 1


async def test_a_history_ends_a_day_ago(double: Live) -> None:
    assert await double.run("history", "-n", "team-a", "-o", "json") == 0
    assert [each.pods for each in read(double.screen).items] == [1]


async def test_an_estimate_shrinks_with_its_age(double: Live) -> None:
    assert await double.run("pending", "-n", "team-a", "-o", "json") == 0
    (found,) = read(double.screen).items
    # Made ten minutes ago for 20 to 50 min; the ends are rounded outwards.
    assert found.expected in ("10 to 40 min", "9 to 40 min")


async def test_a_tenant_reads_one_namespace_only(double: Live) -> None:
    assert await double.run("pending", "-n", "team-a") == 0
    shown = double.said()
    assert "team-b" not in shown.out + shown.err
    assert {call.path for call in double.calls} == {
        paths.QUOTAS.list("team-a"),
        paths.PODS.list("team-a"),
    }


async def test_a_user_who_may_not_list_pods_gets_what_statuses_say(double: Live) -> None:
    double.edit(paths.QUOTAS, "team-a", "team-a", let_two_wait)
    refuse(double, paths.PODS.list("team-a"))
    assert await double.run("pending", "-n", "team-a", "-o", "json") == 0
    found = read(double.screen)
    assert [(each.quota, each.waiting, each.needs) for each in found.items] == [("team-a", 2, {})]
    assert found.notes == ["you may not list pods: what waits is known only as far as statuses say"]


def let_two_wait(quota: Document) -> None:
    quota["status"]["pods"] = {"admitted": 1, "gated": 2}


def refuse(double: ApiDouble, path: str) -> None:
    double.faults.answer(Refusal(403, "Forbidden", "no"), times=9, method="GET", path=path)


@pytest.mark.parametrize("verb", ["pending", "top", "history"])
async def test_a_user_who_may_not_list_all_quotas_gets_one_line(verb: str, double: Live) -> None:
    refuse(double, paths.QUOTAS.list())
    assert await double.run(verb, "-A") == 1
    assert double.said().err == (
        "elastic-quota: you may not list elasticquotas in all namespaces; without -A those of one "
        "namespace are read\n"
    )
