"""The commands on trees that grow: they work without a cluster, and say what is there already."""

from pathlib import Path

import pytest

from elasticquota_cli import main as cli


ELASTIC = Path(__file__).parents[3] / "examples" / "capacity" / "elastic.yaml"
PENDING = """
---
apiVersion: v1
kind: Pod
metadata:
  name: pending
  namespace: team-b
  uid: pending
  labels: {quota.scheduling.koordinator.sh/name: team-b}
spec:
  containers: [{name: main, image: i, resources: {requests: {cpu: "2"}}}]
status:
  phase: Pending
  conditions: [{type: PodScheduled, status: "False", reason: Unschedulable}]
"""

Screen = pytest.CaptureFixture[str]


def edited(folder: Path, old: str, new: str, more: str = "") -> str:
    text = ELASTIC.read_text(encoding="utf-8")
    assert old in text
    found = folder / "objects.yaml"
    found.write_text(text.replace(old, new) + more, encoding="utf-8")
    return str(found)


def test_a_simulation_lets_nodes_come_up_to_max_and_says_so(tmp_path: Path, capsys: Screen) -> None:
    assert cli.main(["simulate", "-f", edited(tmp_path, "replicas: 8", "replicas: 11")]) == 0
    out, err = capsys.readouterr()
    assert "team-a/web-10" in out or "web-10" in out
    assert "WAITING (1)" in out
    assert err == (
        "note: tree batch-pool may grow (mode Elastic): the simulation lets nodes come for all "
        "that is admitted, up to max\n"
    )


def test_a_simulation_without_any_node_is_no_mistake_where_nodes_may_come(
    tmp_path: Path, capsys: Screen
) -> None:
    assert cli.main(["simulate", "-f", edited(tmp_path, "kind: Node", "kind: ConfigMap")]) == 0
    assert "there is no Node" not in capsys.readouterr().err


def test_the_explanation_of_a_quota_says_what_is_there(capsys: Screen) -> None:
    assert cli.main(["explain", "quota", "team-a", "-f", str(ELASTIC)]) == 0
    assert "CPU: tree batch-pool shares 20; 8 of it is there now" in capsys.readouterr().out


def test_the_explanation_of_an_admitted_pod_says_that_it_waits_for_nodes(
    tmp_path: Path, capsys: Screen
) -> None:
    objects = edited(tmp_path, "replicas: 8", "replicas: 0", PENDING)
    assert cli.main(["explain", "pod", "team-b/pending", "-f", objects]) == 0
    assert (
        "it is admitted; WaitingForNodes: waiting for nodes (8 of at most 20 cpu)"
        in capsys.readouterr().out
    )


def test_the_explanation_of_a_pod_beyond_max_names_the_field(
    tmp_path: Path, capsys: Screen
) -> None:
    objects = edited(tmp_path, '  max: {cpu: "20", memory: 80Gi}', "  max: {}")
    objects = edited(tmp_path, 'Elastic, max: {cpu: "20"', 'Elastic, max: {cpu: "1"')
    assert cli.main(["explain", "pod", "team-a/web-0", "-f", objects]) == 0
    out = capsys.readouterr().out
    assert "needs 2 cpu; the tree offers at most 1 by the capacity of its profile" in out
    assert "a larger spec.capacity.max of the profile" in out


def test_a_capacity_that_cannot_be_read_is_reported_with_its_path(
    tmp_path: Path, capsys: Screen
) -> None:
    objects = edited(tmp_path, 'Elastic, max: {cpu: "20"', 'Elastic, maxx: {cpu: "20"')
    cli.main(["simulate", "-f", objects])
    out = "".join(capsys.readouterr())
    assert "spec.capacity.maxx: is no field of capacity; did you mean max?" in out
