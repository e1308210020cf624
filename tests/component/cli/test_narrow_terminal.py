"""On a terminal of 80 columns no row of a table is wrapped, and sentences are whole."""

from pathlib import Path

import pytest
import yaml

from elasticquota_cli import main as cli
from elasticquota_cli.commands import tree
from elasticquota_cli.printers import table
from simulated import METERING, Screen


EXAMPLES = Path(__file__).parents[3] / "examples"
OVERVIEW = str(EXAMPLES / "overview" / "cluster.yaml")
VERBS = (
    ("pending", "-A", "-f", OVERVIEW),
    ("top", "-A", "-f", OVERVIEW),
    ("history", "-A", "-f", OVERVIEW),
)
CLUSTERS = ("company", "pools/cluster.yaml", "simulate/cluster.yaml", "two-teams")
LONG = "the-quota-of-the-team-for-computer-vision-in-the-department-of-research"


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "columns", lambda: 80)


def too_long(capsys: Screen) -> list[str]:
    shown = capsys.readouterr().out.splitlines()
    assert shown
    return [line for line in shown if len(line) > 80]


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_no_row_of_an_overview_is_wrapped(words: tuple[str, ...], capsys: Screen) -> None:
    assert cli.main(words) == 0
    assert too_long(capsys) == []


def test_no_row_of_a_tree_is_wrapped(capsys: Screen) -> None:
    documents = yaml.safe_load_all(Path(OVERVIEW).read_text(encoding="utf-8"))
    quotas = [each for each in documents if each["kind"] == "ElasticQuota"]
    for each in quotas:
        figures = {"cpu": "32/32/24..48", "memory": "64Gi/112Gi/96Gi..192Gi"}
        accepted = {"type": "Accepted", "status": "True"}
        each["status"] |= {"summary": figures, "conditions": [accepted]}
    tree.write(quotas, "table")
    assert too_long(capsys) == []


def test_no_row_of_usage_is_wrapped(tmp_path: Path, capsys: Screen) -> None:
    metadata = {"name": LONG, "namespace": LONG}
    status = {"tree": "root", "metering": METERING}
    head = {"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "ElasticQuota"}
    file = tmp_path / "quota.yaml"
    file.write_text(yaml.safe_dump({**head, "metadata": metadata, "status": status}))
    assert cli.main(["usage", "-A", "-f", str(file)]) == 0
    assert too_long(capsys) == []


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_no_row_of_a_simulation_is_wrapped_but_its_sentences(cluster: str, capsys: Screen) -> None:
    assert cli.main(["simulate", "-f", str(EXAMPLES / cluster)]) == 0
    figures, *_ = capsys.readouterr().out.split("\n\n")
    head, *rows = figures.splitlines()
    assert {"QUOTA", "RESOURCE", "USED", "RUNTIME"} <= set(head.split())
    assert [row for row in (head, *rows) if len(row) > 80] == []


def test_columns_are_left_out_before_cells_are_cut(capsys: Screen) -> None:
    assert cli.main(["history", "-A", "-f", OVERVIEW]) == 0
    head, first, _ = capsys.readouterr().out.splitlines()
    assert "HELD" not in head.split()
    assert first.startswith("2026-11-25T11:42:10Z   team-a   team-b")
    assert cli.main(["simulate", "-f", str(EXAMPLES / CLUSTERS[0]), "-o", "wide"]) == 0
    assert {"LENT", "BORROWED"} <= set(capsys.readouterr().out.split())


def test_a_sentence_is_never_cut(capsys: Screen) -> None:
    sentence = "Waiting for quota team-a: " * 10
    table.show(("POD", "WHY"), [table.Line((LONG, sentence.strip()))])
    assert capsys.readouterr().out.splitlines()[1] == f"{LONG}   {sentence.strip()}"
