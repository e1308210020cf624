"""``plan``: who gains and loses by a change, who would be evicted, and what a program reads."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec
import pytest

from elasticquota import names
from elasticquota_cli import main as cli
from elasticquota_cli.plan import report
from simulated import Manifest, Screen, deleted, live, node, pod, quota, workload


Planner = Callable[..., tuple[int, report.Plan]]


@pytest.fixture
def planned(tmp_path: Path, capsys: Screen) -> Planner:
    """Plans a change on a state, both given as manifests: the exit code and the report."""

    def plan(base: Iterable[Manifest], change: Iterable[Manifest]) -> tuple[int, report.Plan]:
        first, second = written(tmp_path, "base", base), written(tmp_path, "change", change)
        code = cli.main(["plan", "-f", second, "--report", first, "-o", "json"])
        return code, msgspec.json.decode(capsys.readouterr().out, type=report.Plan)

    return plan


def written(folder: Path, name: str, objects: Iterable[Manifest]) -> str:
    file = folder / f"{name}.json"
    whole = {"kind": "List", "apiVersion": "v1", "items": list(objects)}
    file.write_text(json.dumps(whole))
    return str(file)


def full_node() -> list[Manifest]:
    """Quota a has 6 of 8 cpu and b 2, by weight; one pod of a waits, and three of b."""
    return [
        node("n"), quota("a", 4), quota("b", 0),
        *(pod(f"p{i}", "b") for i in range(4)),
        *(pod(f"p{i}") for i in range(4)),
    ]  # fmt: skip


def test_a_raised_min_names_who_is_evicted_when_and_for_whom(planned: Planner) -> None:
    code, plan = planned(full_node(), [quota("a", 8)])
    assert code == 3
    (gone,) = plan.evicted
    assert (gone.quota, gone.pods, gone.request["cpu"], gone.for_quotas) == ("b", 1, "2", ["a"])
    assert (gone.first_milliseconds, gone.last_milliseconds) == (5000, 5000)
    assert [(each.namespace, each.returns) for each in plan.evictions] == [("b", False)]
    assert plan.summary == "Would evict 1 pod of b within 5 s; 1 waiting pod would start."


def test_who_gains_and_loses_share_is_listed_with_both_figures(planned: Planner) -> None:
    _, plan = planned(full_node(), [quota("a", 8)])
    shares = {(each.name, each.resource): (each.before, each.after) for each in plan.shares}
    assert shares == {("a", "cpu"): ("6", "8"), ("b", "cpu"): ("2", "0")}


def test_a_pod_that_waits_starts_when_its_victims_are_gone(planned: Planner) -> None:
    _, plan = planned(full_node(), [quota("a", 8)])
    (pod_of_a,) = plan.starts_sooner
    assert (pod_of_a.namespace, pod_of_a.name, pod_of_a.after_milliseconds) == ("a", "p3", 5000)
    assert (pod_of_a.place_before, pod_of_a.place_after) == (1, 0)


def test_a_change_without_effect_says_so(planned: Planner) -> None:
    code, plan = planned(full_node(), [quota("a", 4, 16)])
    assert (code, plan.summary) == (0, "No pod is evicted, and no share changes.")
    assert (plan.shares, plan.evictions, plan.starts_sooner, plan.starts_later) == ([], [], [], [])


def test_a_lowered_max_evicts_for_no_quota_after_the_delay(planned: Planner) -> None:
    code, plan = planned([node("n"), quota("a"), *(pod(f"p{i}") for i in range(4))], [
        quota("a", 0, 4)
    ])  # fmt: skip
    assert code == 3
    (gone,) = plan.evicted
    assert (gone.quota, gone.pods, gone.for_quotas) == ("a", 2, [])
    assert gone.last_milliseconds == 120_000
    assert plan.summary == "Would evict 2 pods of a within 2 min."


def test_a_pod_that_others_overtake_waits_longer(planned: Planner) -> None:
    base = [node("n"), quota("a"), *(pod(f"p{i}") for i in range(5))]
    urgent = pod("urgent", priority=5, preemptionPolicy="Never")
    code, plan = planned(base, [urgent])
    assert code == 0
    (late,) = plan.starts_later
    assert (late.name, late.place_before, late.place_after) == ("p4", 1, 2)
    assert plan.summary == "Pod a/urgent waits at position 1; 1 pod would wait, or wait longer."


def test_an_edit_that_the_webhook_refuses_exits_with_1(planned: Planner) -> None:
    parent = quota("p", 4, labels={"quota.scheduling.koordinator.sh/is-parent": "true"})
    child = quota("c", 4, labels={"quota.scheduling.koordinator.sh/parent": "p"})
    more = quota("c", 6, labels={"quota.scheduling.koordinator.sh/parent": "p"})
    code, plan = planned([node("n"), parent, child], [more])
    assert code == 1
    assert [(each.kind, each.name) for each in plan.refused] == [("ElasticQuota", "c")]
    assert plan.summary == "1 object would be refused."


def test_evictions_that_happen_anyway_are_no_effect_of_the_change(planned: Planner) -> None:
    running = [live(pod(f"p{i}", "b", nodeName="n"), phase="Running") for i in range(4)]
    base = [node("n"), quota("a", 4), quota("b", 0), *running, pod("waits")]
    code, plan = planned(base, [quota("b", 0, 16)])
    assert (code, plan.evictions) == (0, [])
    assert "without the change 1 pod would be evicted too: not shown" in plan.notes


def test_paused_evictions_are_noted(planned: Planner) -> None:
    in_force = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "elastic-quota-in-force", "namespace": "system"},
        "data": {"config.yaml": "reclaim: {paused: true}"},
    }
    code, plan = planned([in_force, *full_node()], [quota("a", 8)])
    assert (code, plan.evictions) == (0, [])
    assert plan.notes == ["evictions are paused by the configuration: a plan shows none"]


def test_a_guarantee_that_loses_its_nodes_is_named(planned: Planner) -> None:
    base = [node("n"), node("m"), quota("a", 8), quota("b", 8)]
    code, plan = planned(base, [deleted(node("m"))])
    assert (code, [each.name for each in plan.not_backed]) == (0, ["a", "b"])
    assert plan.summary.startswith("2 guarantees would no longer be backed by nodes")


def test_a_job_gets_its_position_and_what_it_reclaims(planned: Planner) -> None:
    base = [node("n"), quota("a", 4), quota("b", 4), *(pod(f"p{i}", "b") for i in range(4))]
    code, plan = planned(base, [workload("Job", "train", parallelism=4)])
    assert code == 3
    (job,) = plan.submitted
    assert (job.kind, job.quota, job.pods, job.starts, job.waits) == ("Job", "a", 4, 2, 2)
    assert (job.starts_within_milliseconds, job.place) == (5000, 1)
    assert (job.reason, job.reclaims) == ("QuotaExhausted", 2)
    assert plan.summary == (
        "Would evict 2 pods of b within 5 s; "
        "Job a/train: 2 of 4 pods start within 5 s, 2 wait at position 1."
    )


def test_a_wait_gets_the_estimate_that_the_controller_publishes(planned: Planner) -> None:
    positions = [
        {"position": 1, "lowSeconds": 60, "highSeconds": 120},
        {"position": 2, "lowSeconds": 600, "highSeconds": 2400},
    ]
    estimate = {"observedTime": "2026-11-25T12:00:00Z", "positions": positions}
    mine = live(quota("a", 8), waitEstimate=estimate)
    base = [node("n"), mine, *(pod(f"p{i}") for i in range(5))]
    _, plan = planned(base, [pod("more")])
    assert plan.submitted[0].estimate == "10 to 40 min"
    assert plan.summary == ("Pod a/more waits at position 2, expected to start in 10 to 40 min.")


def test_what_is_reclaimed_for_a_group_is_reclaimed_for_its_job(planned: Planner) -> None:
    base = [node("n"), quota("a", 4), quota("b", 4), *(pod(f"p{i}", "b") for i in range(4))]
    job = workload("Job", "train", parallelism=2)
    job["spec"]["template"]["metadata"] = {
        "labels": {names.POD_GROUP: "g"},
        "annotations": {names.POD_GROUP_SIZE: "2"},
    }
    _, plan = planned(base, [job])
    assert plan.evictions[0].for_workload.startswith("group g of 2 pods")
    assert plan.submitted[0].reclaims == 2


def test_a_pod_without_a_quota_starts_at_once(planned: Planner) -> None:
    code, plan = planned([node("n"), quota("a")], [pod("free", "elsewhere")])
    (submitted,) = plan.submitted
    assert (code, submitted.starts, submitted.starts_within_milliseconds) == (0, 1, 0)
    assert plan.summary == "Pod elsewhere/free starts at once."


def test_pods_of_two_quotas_are_named_and_of_more_counted(planned: Planner) -> None:
    base = [node("n"), quota("a"), quota("b"), quota("c"), quota("d"), quota("e")]
    base += [pod("p", each) for each in "bcde"]
    _, plan = planned(base, [quota("a", 4), workload("Job", "j", parallelism=2)])
    assert plan.summary.startswith("Would evict 1 pod of b and 1 pod of c within 5 s")
    _, plan = planned(base, [quota("a", 6), workload("Job", "j", parallelism=3)])
    assert plan.summary.startswith("Would evict 3 pods of 3 quotas within 5 s")


def test_markdown_shows_the_same_and_breaks_no_cell(tmp_path: Path, capsys: Screen) -> None:
    base = written(tmp_path, "base", full_node())
    change = written(tmp_path, "a|b<c>@all", [quota("a", 8), quota("bad", 9, 4)])
    assert cli.main(["plan", "-f", change, "--report", base, "-o", "markdown"]) == 1
    shown = capsys.readouterr().out
    lines = shown.splitlines()
    assert lines[0].startswith("**1 object would be refused; would evict 1 pod of b within 5 s")
    assert "| QUOTA | PODS | HOLDING | FIRST AFTER | LAST AFTER | FOR |" in lines
    assert "| b | 1 | 2 cpu | 5 s | 5 s | a |" in lines
    assert "a\\|b&lt;c>&#64;all.json" in shown
    assert "<c>" not in shown


def test_a_bad_file_is_one_line(tmp_path: Path, capsys: Screen) -> None:
    base = written(tmp_path, "base", full_node())
    bad = tmp_path / "bad.yaml"
    bad.write_text("kind: ElasticQuota\n")
    assert cli.main(["plan", "-f", str(bad), "--report", base]) == 2
    assert capsys.readouterr().err == (
        f"elastic-quota: {bad}, document 1 (ElasticQuota): must have an apiVersion and a kind\n"
    )


def test_a_missing_file_is_one_line(capsys: Screen) -> None:
    assert cli.main(["plan", "-f", "none.yaml", "--report", "none.yaml"]) == 2
    assert capsys.readouterr().err == (
        "elastic-quota: none.yaml: cannot be read: No such file or directory\n"
    )
