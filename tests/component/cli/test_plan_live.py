"""``plan`` reads a cluster as ``--report`` reads a file of it, writes nothing, and needs all."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import msgspec
import pytest

import explain_fixture
import simulated
from api_double import ApiDouble, Refusal
from elasticquota_cli import main as cli
from elasticquota_cli.plan import report
from elasticquota_kube.client import paths
from live_cluster import Live
from simulated import Screen
from stored import Document, Stored


@pytest.fixture
def stored() -> Stored:
    """Team a borrows 4 of 12 cpu, and one pod of it waits; team b uses 4 of its 8."""
    stored = Stored()
    stored.grown_tree(12)
    stored.quota("team-a", 4, 12)
    stored.quota("team-b", 8, 12)
    for number in range(8):
        stored.runs(f"run-{number}", 1)
    for number in range(4):
        stored.runs(f"run-{number}", 1, namespace="team-b")
    stored.waits("new", 1)
    return stored


@pytest.fixture
async def double(stored: Stored, tmp_path: Path, capsys: Screen) -> AsyncIterator[Live]:
    async with Live(tmp_path, capsys) as double:
        explain_fixture.fill(double, stored.documents)
        yield double


def job(folder: Path, parallelism: int = 3) -> str:
    container = {"name": "main", "resources": {"requests": {"cpu": "1"}}}
    template = {"spec": {"containers": [container], "priorityClassName": "urgent"}}
    document: Document = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "report", "namespace": "team-b"},
        "spec": {"parallelism": parallelism, "template": template},
    }
    file = folder / "job.json"
    file.write_text(json.dumps(document))
    return str(file)


def read(capsys: Screen) -> report.Plan:
    return msgspec.json.decode(capsys.readouterr().out, type=report.Plan)


async def test_a_plan_on_a_cluster_equals_that_on_a_report_of_it(
    double: Live, stored: Stored
) -> None:
    double.put(paths.PRIORITY_CLASSES, urgent())
    stored.documents.append(urgent())
    for node in stored.documents:
        if node["kind"] == "Node":
            node["status"]["conditions"] = [{"type": "Ready", "status": "True"}]
    file = str(stored.write(double.folder))
    assert await double.run("plan", "-f", job(double.folder), "-o", "json") == 3
    of_cluster = read(double.screen)
    assert cli.main(["plan", "-f", job(double.folder), "--report", file, "-o", "json"]) == 3
    assert of_cluster == read(double.screen)
    assert of_cluster.summary == (
        "Would evict 3 pods of team-a within 5 s; Job team-b/report: 3 of 3 pods start within 5 s."
    )
    assert of_cluster.notes == []


def urgent() -> Document:
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": "urgent", "uid": "u"},
        "value": 7,
    }


async def test_nothing_is_written(double: Live) -> None:
    assert await double.run("plan", "-f", job(double.folder)) == 3
    assert {call.method for call in double.calls} == {"GET"}


async def test_an_unknown_priority_class_is_a_note(double: Live) -> None:
    await double.run("plan", "-f", job(double.folder), "-o", "json")
    assert read(double.screen).notes == ["priority class urgent is not known: 0 is used"]


def refuse(double: ApiDouble, *closed: paths.Resource) -> None:
    for each in closed:
        refusal = Refusal(403, "Forbidden", "no")
        double.faults.answer(refusal, times=9, method="GET", path=each.list())


@pytest.mark.parametrize("closed", [(paths.NODES,), (paths.PODS,), (paths.NODES, paths.QUOTAS)])
async def test_an_edit_needs_the_right_to_read_everything(
    closed: Sequence[paths.Resource], double: Live
) -> None:
    refuse(double, *closed)
    edit = double.folder / "edit.json"
    edit.write_text(json.dumps(simulated.quota("team-a", 1)))
    assert await double.run("plan", "-f", str(edit)) == 1
    shown = double.said()
    assert shown.out == ""
    (line,) = shown.err.splitlines()
    assert line.startswith("elastic-quota: you may not read all ")
    assert all(each.plural in line for each in closed)
    assert line.endswith("kubectl apply --dry-run=server prints the webhook's summary of it")


async def test_a_tenant_gets_the_start_of_a_job_from_published_figures(double: Live) -> None:
    refuse(double, paths.NODES, paths.PODS, paths.QUOTAS)
    double.edit(paths.QUOTAS, "team-b", "team-b", publish)
    assert await double.run("plan", "-f", job(double.folder), "-o", "json") == 0
    plan = read(double.screen)
    (found,) = plan.submitted
    assert not found.after_reclaim
    assert (plan.basis, found.quota, found.starts, found.waits) == ("published", "team-b", 2, 1)
    assert (found.place, found.estimate) == (1, "10 to 40 min")
    assert plan.summary == (
        "Job team-b/report: 2 of 3 pods start at once, 1 waits at position 1, expected to start in "
        "10 to 40 min."
    )
    assert "team-a" not in json.dumps(msgspec.to_builtins(plan))
    (note,) = plan.notes
    assert "what would be evicted is not known" in note


@pytest.mark.parametrize(("words", "home"), [(["-n", "team-b"], "team-b"), ([], "here")])
async def test_an_object_without_a_namespace_is_in_that_of_the_option_or_the_context(
    words: Sequence[str], home: str, double: Live
) -> None:
    config = double.kubeconfig(double.folder)
    replace(config, '"user": "double"}', '"user": "double", "namespace": "here"}')
    file = job(double.folder)
    replace(Path(file), ', "namespace": "team-b"', "")
    given = ["plan", "-f", file, *words, "-o", "json", "--kubeconfig", str(config)]
    assert await asyncio.to_thread(cli.main, given) in (0, 3)
    (found,) = read(double.screen).submitted
    assert found.namespace == home


def replace(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


@pytest.mark.parametrize("report_of", [[], ["--report", "-"]])
async def test_an_object_of_another_namespace_than_the_option_says_is_refused(
    report_of: Sequence[str], double: Live
) -> None:
    words = ("-f", job(double.folder), "-n", "team-a", *report_of)
    assert await double.run("plan", *words) == 2
    (line,) = double.said().err.splitlines()
    assert line.endswith(
        "(Job team-b/report): metadata.namespace: is team-b, but --namespace says team-a"
    )
    assert double.calls == []


async def test_a_tenants_job_waits_behind_the_pods_that_wait_already(double: Live) -> None:
    refuse(double, paths.NODES, paths.PODS, paths.QUOTAS)
    double.edit(paths.QUOTAS, "team-b", "team-b", lambda quota: publish(quota, waiting=4))
    assert await double.run("plan", "-f", job(double.folder), "-o", "json") == 0
    (found,) = read(double.screen).submitted
    assert (found.starts, found.waits, found.place) == (0, 3, 5)
    assert found.message == "4 pods ahead at most"


async def test_a_tenants_job_has_room_up_to_the_min_of_its_idle_quota(double: Live) -> None:
    """The share of a quota in which no pod asks is 0."""
    refuse(double, paths.NODES, paths.PODS, paths.QUOTAS)
    double.edit(paths.QUOTAS, "team-b", "team-b", idle)
    assert await double.run("plan", "-f", job(double.folder, 9), "-o", "json") == 0
    plan = read(double.screen)
    (found,) = plan.submitted
    assert (found.starts, found.waits, found.after_reclaim) == (8, 1, True)
    assert found.message == (
        "8 cpu of that within the guarantee of quota team-b and beyond its current share: pods "
        "that borrow this room are evicted first; not all of them fit what is left"
    )
    assert "at once" not in plan.summary
    assert "8 of 9 pods start within the guarantee, once pods that borrow its room are evicted" in (
        plan.summary
    )
    assert "more may start than is said here" in plan.notes[0]


@pytest.mark.parametrize(
    ("paused", "accepted", "message"),
    [
        (True, "True", "quota team-b is paused"),
        (False, "False", "quota team-b is not accepted: ParentMissing"),
    ],
)
async def test_no_pod_starts_in_a_quota_that_is_paused_or_not_accepted(
    paused: bool, accepted: str, message: str, double: Live
) -> None:
    def close(quota: Document) -> None:
        idle(quota)
        quota["spec"]["paused"] = paused
        verdict = {"type": "Accepted", "status": accepted, "reason": "ParentMissing", "message": ""}
        quota["status"]["conditions"] = [verdict]

    refuse(double, paths.NODES, paths.PODS, paths.QUOTAS)
    double.edit(paths.QUOTAS, "team-b", "team-b", close)
    assert await double.run("plan", "-f", job(double.folder), "-o", "json") == 0
    (found,) = read(double.screen).submitted
    assert (found.starts, found.message) == (0, message)


def idle(quota: Document) -> None:
    quota["status"] = {"used": {}, "admitted": {}, "request": {"cpu": "0"}, "runtime": {"cpu": "0"}}
    quota["status"] |= {"min": {"cpu": "8"}, "tree": "pool", "parent": "pool"}
    quota["status"]["pods"] = {"admitted": 0, "gated": 0}


async def test_without_published_figures_nothing_is_promised(double: Live) -> None:
    refuse(double, paths.NODES, paths.PODS, paths.QUOTAS)
    assert await double.run("plan", "-f", job(double.folder), "-o", "json") == 0
    (found,) = read(double.screen).submitted
    assert (found.starts, found.message) == (0, "no quota that you may read says what is left")


def publish(quota: Document, waiting: int = 0) -> None:
    figures = {"used": "4", "admitted": "4", "request": "4", "runtime": "6"}
    quota["status"] = {key: {"cpu": amount} for key, amount in figures.items()}
    quota["status"] |= {"tree": "pool", "parent": "pool"}
    quota["status"]["pods"] = {"admitted": 4, "gated": waiting}
    quota["status"]["waitEstimate"] = {
        "observedTime": "2026-11-25T12:00:00Z",
        "positions": [{"position": 1, "lowSeconds": 600, "highSeconds": 2400}],
    }


async def test_an_object_that_is_not_understood_is_named_and_does_not_count(double: Live) -> None:
    double.put(
        paths.PODS, {"metadata": {"namespace": "team-a", "name": "odd"}, "spec": {"containers": 7}}
    )
    assert await double.run("plan", "-f", job(double.folder), "-o", "json") == 3
    assert (
        "pods that are not understood count nowhere here: team-a/odd" in read(double.screen).notes
    )
