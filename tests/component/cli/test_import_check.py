"""``import --check`` simulates the same pods without and with the imported quotas."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from elasticquota_cli import main as cli


Screen = pytest.CaptureFixture[str]

EXAMPLES = Path(__file__).parents[3] / "examples/import"
NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "node"},
    "status": {"allocatable": {"cpu": 4, "pods": 110}},
}


def limit(cpu: int) -> Any:
    """A ResourceQuota that can be imported completely."""
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "compute", "namespace": "team"},
        "spec": {"hard": {"cpu": cpu}},
    }


def pod(name: str) -> Any:
    container = {"name": "c", "resources": {"requests": {"cpu": 1}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "team"},
        "spec": {"containers": [container]},
    }


@pytest.fixture
def written(tmp_path: Path) -> Any:
    """Writes objects into a file."""

    def write(name: str, *objects: Any) -> str:
        file = tmp_path / name
        file.write_text("\n".join(map(json.dumps, objects)))
        return str(file)

    return write


def check(*arguments: str, code: int = 0) -> None:
    assert cli.main(["import", "resourcequota", *arguments]) == code


def test_the_pods_that_the_quotas_make_wait_are_named(written: Any, capsys: Screen) -> None:
    quota, pods = written("quota.json", limit(1)), written("pods.json", NODE, pod("a"), pod("b"))
    check("-f", quota, "--check", pods)
    shown = capsys.readouterr()
    rows = [line.split() for line in shown.out.splitlines()]
    assert ["+", "team", "team", "cpu", "0", "1", "2", "1", "1", "1", "0", "1", "1"] in [
        row[:-1] for row in rows
    ]
    assert ["without", "these", "quotas", "2", "0"] in rows
    assert ["with", "them", "1", "1"] in rows
    assert [row[1] for row in rows if row[:1] == ["team"]] == ["b"]
    assert shown.err == ""


def test_no_manifest_is_printed(written: Any, capsys: Screen) -> None:
    check("-f", written("quota.json", limit(1)), "--check", written("pods.json", NODE, pod("a")))
    assert "apiVersion" not in capsys.readouterr().out


@pytest.mark.parametrize(("cpu", "code"), [(1, 1), (2, 0)])
def test_with_strict_the_exit_code_says_whether_the_quotas_hold_a_pod(
    cpu: int, code: int, written: Any
) -> None:
    pods = written("pods.json", NODE, pod("a"), pod("b"))
    check("--strict", "-f", written("quota.json", limit(cpu)), "--check", pods, code=code)


def test_with_strict_fields_that_are_not_imported_count_too(written: Any) -> None:
    quota = limit(9)
    quota["spec"]["hard"]["secrets"] = 1
    pods = written("pods.json", NODE, pod("a"))
    check("--strict", "-f", written("quota.json", quota), "--check", pods, code=1)


def test_nodes_and_pods_beside_the_sources_take_part(written: Any, capsys: Screen) -> None:
    given = written("all.json", limit(1), NODE, pod("a"))
    check("-f", given, "--check", written("more.json", pod("b")))
    shown = capsys.readouterr()
    assert "without these quotas   2     0" in shown.out
    assert shown.err == ""


def test_existing_quotas_apply_in_both_simulations(written: Any, capsys: Screen) -> None:
    there = {
        "apiVersion": "scheduling.sigs.k8s.io/v1alpha1",
        "kind": "ElasticQuota",
        "metadata": {"name": "team", "namespace": "team"},
        "spec": {"max": {"cpu": 1}},
    }
    other = limit(1)
    other["metadata"]["namespace"] = "other"
    pods = written("pods.json", NODE, there, pod("a"), pod("b"))
    check("-f", written("quota.json", other), "--check", pods)
    shown = capsys.readouterr().out
    assert "without these quotas   1     1" in shown
    assert "STARTS TO WAIT" not in shown


def test_queues_in_a_plain_file_are_checked_with_nodes_from_another(
    written: Any, capsys: Screen
) -> None:
    nodes = written("nodes.json", NODE)
    queues = str(EXAMPLES / "queues.yaml")
    pods = written("pods.json", pod("a"))
    assert cli.main(["import", "yunikorn", "-f", queues, "-f", nodes, "--check", pods]) == 0
    shown = capsys.readouterr()
    assert "+ root-search" in shown.out
    assert "Node" not in shown.err


def test_bad_pods_are_reported_with_their_file_and_nothing_is_printed(
    written: Any, capsys: Screen
) -> None:
    bad = pod("a")
    bad["spec"]["containers"] = 7
    quota, pods = written("quota.json", limit(1)), written("pods.json", bad)
    check("-f", quota, "--check", pods, "--check", "nowhere.yaml", code=2)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.splitlines() == [
        "elastic-quota: nowhere.yaml: cannot be read: No such file or directory",
        (
            f"elastic-quota: {pods}, document 1 (Pod team/a): spec.containers: must be a list, "
            "got a whole number"
        ),
    ]


def test_standard_input_is_read_once(monkeypatch: pytest.MonkeyPatch, capsys: Screen) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    check("-f", "-", "--check", "-", code=2)
    assert capsys.readouterr().err == "elastic-quota: standard input (-) can be read only once\n"
