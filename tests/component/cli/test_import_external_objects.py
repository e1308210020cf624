"""``import`` for Kueue, HNC, Volcano and KAI Scheduler: what is read, and ``--check`` with pods."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

import translations
from elasticquota_cli import main as cli


Screen = pytest.CaptureFixture[str]

EXAMPLES = Path(__file__).parents[3] / "examples/import"
QUOTA = "quota.scheduling.koordinator.sh/name"
NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "node"},
    "status": {
        "allocatable": {"cpu": 20, "memory": "80Gi", "nvidia.com/gpu": 8, "pods": 110},
    },
}


def pod(name: str, namespace: str, requests: Any, **metadata: Any) -> Any:
    container = {"name": "c", "resources": {"requests": requests}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, **metadata},
        "spec": {"containers": [container]},
    }


def job(name: str, namespace: str, cpu: int, **metadata: Any) -> Any:
    container = {"name": "c", "resources": {"requests": {"cpu": cpu}}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": namespace, **metadata},
        "spec": {"template": {"spec": {"containers": [container]}}},
    }


@pytest.fixture
def pods(tmp_path: Path) -> Any:
    def write(*objects: Any) -> str:
        file = tmp_path / "pods.json"
        file.write_text("\n".join(map(json.dumps, (NODE, *objects))))
        return str(file)

    return write


def checked(system: str, file: str, capsys: Screen) -> tuple[list[list[str]], list[str]]:
    """The rows of the comparison and the notes."""
    source = EXAMPLES / f"{system}.yaml"
    assert cli.main(["import", system, "-f", str(source), "--check", file]) == 0
    shown = capsys.readouterr()
    return [line.split() for line in shown.out.splitlines()], shown.err.splitlines()


def waiting(rows: list[list[str]], namespace: str) -> list[str]:
    return [row[1] for row in rows if row[:1] == [namespace]]


@pytest.mark.parametrize(
    ("system", "count"), [("kueue", 5), ("hnc", 4), ("volcano", 4), ("kai", 3)]
)
def test_each_example_gives_its_quotas(system: str, count: int, capsys: Screen) -> None:
    assert cli.main(["import", system, "-f", str(EXAMPLES / f"{system}.yaml")]) == 0
    printed = translations.decoded(capsys.readouterr().out)
    assert [each["kind"] for each in printed] == ["ElasticQuota"] * count
    sources = [each["metadata"]["annotations"]["elasticquota.dev/source"] for each in printed]
    assert all(each.startswith(f"{system}:") for each in sources)


@pytest.mark.parametrize(
    ("system", "sentence"),
    [
        ("kueue", "there is no Cohort or ClusterQueue of kueue.x-k8s.io in what was given"),
        ("hnc", "there is no HierarchicalResourceQuota of hnc.x-k8s.io in what was given"),
        ("volcano", "there is no Queue of scheduling.volcano.sh in what was given"),
        ("kai", "there is no Queue of scheduling.run.ai in what was given"),
    ],
)
def test_without_the_kinds_of_the_system_nothing_is_printed(
    system: str, sentence: str, tmp_path: Path, capsys: Screen
) -> None:
    file = tmp_path / "f.json"
    file.write_text(
        json.dumps({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"}})
    )
    assert cli.main(["import", system, "-f", str(file)]) == 2
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", f"elastic-quota: {sentence}\n")


@pytest.mark.parametrize("version", ["v1alpha1", "v1beta1", "v1beta2", "v1"])
def test_kueue_is_read_in_every_version(version: str, tmp_path: Path, capsys: Screen) -> None:
    file = tmp_path / "f.yaml"
    text = (EXAMPLES / "kueue.yaml").read_text()
    file.write_text(text.replace("kueue.x-k8s.io/v1beta2", f"kueue.x-k8s.io/{version}"))
    assert cli.main(["import", "kueue", "-f", str(file)]) == 0
    assert len(translations.decoded(capsys.readouterr().out)) == 5


def test_queues_of_two_systems_are_not_mixed_up(tmp_path: Path, capsys: Screen) -> None:
    (tmp_path / "a.yaml").write_text((EXAMPLES / "kai.yaml").read_text())
    (tmp_path / "b.yaml").write_text((EXAMPLES / "volcano.yaml").read_text())
    assert cli.main(["import", "kai", "-f", str(tmp_path)]) == 0
    shown = capsys.readouterr()
    assert len(translations.decoded(shown.out)) == 3
    lines = [line for line in shown.err.splitlines() if "does not read scheduling.volcano" in line]
    assert len(lines) == 4


@pytest.mark.parametrize("system", ["kueue", "kai", "volcano"])
def test_with_the_namespaces_no_quota_takes_the_name_of_one(
    system: str, tmp_path: Path, capsys: Screen
) -> None:
    taken = {"kueue": "research", "kai": "vision", "volcano": "research"}[system]
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": taken}}
    (tmp_path / "namespaces.json").write_text(json.dumps(space))
    files = ["-f", str(EXAMPLES / f"{system}.yaml"), "-f", str(tmp_path)]
    assert cli.main(["import", system, *files]) == 0
    printed = translations.decoded(capsys.readouterr().out)
    called = [each["metadata"]["name"] for each in printed]
    assert taken not in called
    assert any(name.startswith(f"{taken}-") for name in called)


def test_kueue_pods_of_a_namespace_count_in_the_queue_of_its_local_queue(
    pods: Any, capsys: Screen
) -> None:
    found = [pod(f"p{number}", "team-b", {"cpu": 1}) for number in range(13)]
    rows, _ = checked("kueue", pods(*found), capsys)
    assert len(waiting(rows, "team-b")) == 1


def test_kueue_a_job_that_names_a_local_queue_counts_in_its_quota(
    pods: Any, capsys: Screen
) -> None:
    label = {"kueue.x-k8s.io/queue-name": "theses"}
    inside = job("one", "students", 1, labels=label)
    rows, notes = checked("kueue", pods(inside), capsys)
    used = {row[1]: row[7] for row in rows if row[:1] == ["+"] and row[3] == "cpu"}
    assert (used["thesis"], used["team-a"]) == ("1", "0")
    assert notes[0] == (
        "note: 1 object with kueue.x-k8s.io/queue-name counted in the quota of the queue; on the "
        f"cluster its pods need the label {QUOTA}"
    )


def test_kueue_a_suspended_job_waits_in_its_queue_so_it_counts(pods: Any, capsys: Screen) -> None:
    suspended = job("one", "students", 1, labels={"kueue.x-k8s.io/queue-name": "theses"})
    suspended["spec"]["suspend"] = True
    rows, _ = checked("kueue", pods(suspended), capsys)
    assert ["without", "these", "quotas", "1", "0"] in rows
    assert ["with", "them", "1", "0"] in rows


def test_kueue_a_pod_may_name_any_local_queue_of_its_namespace_and_no_other(
    pods: Any, tmp_path: Path, capsys: Screen
) -> None:
    more = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "LocalQueue",
        "metadata": {"name": "big", "namespace": "students"},
        "spec": {"clusterQueue": "team-a"},
    }
    (tmp_path / "more.json").write_text(json.dumps(more))
    named = {"kueue.x-k8s.io/queue-name": "big"}
    foreign = {QUOTA: "team-a"}
    file = pods(
        pod("a", "students", {"cpu": 1}, labels=named),
        pod("b", "students", {"cpu": 1}),
        pod("c", "team-b", {"cpu": 1}, labels=foreign),
    )
    sources = ["-f", str(EXAMPLES / "kueue.yaml"), "-f", str(tmp_path / "more.json")]
    assert cli.main(["import", "kueue", *sources, "--check", file]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    used = {row[1]: row[7] for row in rows if row[:1] == ["+"] and row[3] == "cpu"}
    # 'big' comes before 'theses', so pods without a label are in its queue, too.
    assert (used["team-a"], used["thesis"], used["team-b"]) == ("2", "0", "0")
    assert ["REFUSED", "(1)"] in rows


def test_hnc_pods_of_all_namespaces_below_count_together(pods: Any, capsys: Screen) -> None:
    found = [
        pod(f"p{number}", space, {"cpu": 1})
        for space, count in (("department", 3), ("team-one", 5), ("team-two", 6))
        for number in range(count)
    ]
    rows, _ = checked("hnc", pods(*found), capsys)
    assert ["with", "them", "12", "2"] in rows


def test_volcano_pods_count_in_the_queue_of_their_annotation_or_namespace(
    pods: Any, capsys: Screen
) -> None:
    named = {"scheduling.volcano.sh/queue-name": "research"}
    rows, notes = checked(
        "volcano",
        pods(
            pod("a", "training", {"cpu": 1}),
            pod("b", "training", {"cpu": 2}, annotations=named),
        ),
        capsys,
    )
    used = {row[1]: row[7] for row in rows if row[:1] == ["+"] and row[3] == "cpu"}
    assert (used["training"], used["research"]) == ("1", "2")
    assert notes[0].startswith("note: 1 object with scheduling.volcano.sh/queue-name counted")


def test_kai_pods_count_in_the_queue_of_their_label(pods: Any, capsys: Screen) -> None:
    label = {"kai.scheduler/queue": "language"}
    found = [pod(f"p{number}", "x", {"nvidia.com/gpu": 1}, labels=label) for number in range(5)]
    rows, _ = checked("kai", pods(*found), capsys)
    assert len(waiting(rows, "x")) == 1


def test_a_label_of_ours_comes_before_the_name_of_a_queue(pods: Any, capsys: Screen) -> None:
    label = {"kai.scheduler/queue": "language", QUOTA: "vision"}
    rows, notes = checked("kai", pods(pod("p", "x", {"cpu": 1}, labels=label)), capsys)
    used = {row[1]: row[7] for row in rows if row[:1] == ["+"] and row[3] == "cpu"}
    assert (used["vision"], used["language"]) == ("1", "0")
    assert not any("counted in the quota" in note for note in notes)


def test_a_queue_that_is_unknown_or_no_leaf_moves_no_pod(pods: Any, capsys: Screen) -> None:
    found = [
        pod(name, "x", {"cpu": 1}, labels={"kai.scheduler/queue": name})
        for name in ("department", "nothing")
    ]
    _, notes = checked("kai", pods(*found), capsys)
    assert not any("counted in the quota" in note for note in notes)


FLAVORS = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: a100}
spec: {nodeLabels: {gpu: a100}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: t4}
spec: {nodeLabels: {gpu: t4}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team}
spec:
  namespaceSelector: {}
  preemption: {reclaimWithinCohort: Any, withinClusterQueue: LowerPriority}
  resourceGroups:
    - coveredResources: [nvidia.com/gpu]
      flavors:
        - {name: a100, resources: [{name: nvidia.com/gpu, nominalQuota: 1}]}
        - {name: t4, resources: [{name: nvidia.com/gpu, nominalQuota: 2}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: default, namespace: team}
spec: {clusterQueue: team}
"""


def test_kueue_flavors_are_pools_that_bound_the_pods_of_a_check(
    pods: Any, tmp_path: Path, capsys: Screen
) -> None:
    source = tmp_path / "flavors.yaml"
    source.write_text(FLAVORS)
    offered = {"cpu": 20, "memory": "80Gi", "nvidia.com/gpu": 4, "pods": 110}
    nodes = [
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": kind, "labels": {"gpu": kind}},
            "status": {"allocatable": offered},
        }
        for kind in ("a100", "t4")
    ]
    asked = [pod(f"p{index}", "team", {"nvidia.com/gpu": 1}) for index in range(5)]
    assert cli.main(["import", "kueue", "-f", str(source)]) == 0
    first, *_ = yaml.safe_load_all(capsys.readouterr().out)
    assert first["kind"] == "ElasticQuotaProfile"
    assert first["spec"]["pools"] == [
        {"name": "a100", "nodeLabels": {"gpu": "a100"}},
        {"name": "t4", "nodeLabels": {"gpu": "t4"}},
    ]
    file = pods(*nodes, *asked)
    assert cli.main(["import", "kueue", "-f", str(source), "--check", file]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"with them +3 +2\n", shown)
