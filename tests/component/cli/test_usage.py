"""``usage`` prints what statuses say about resource-hours."""

import csv
import json
from io import StringIO
from pathlib import Path

import pytest
import yaml

from elasticquota_cli import main
from simulated import METERING


@pytest.fixture
def quotas(tmp_path: Path) -> str:
    """Two quotas, one of which borrowed an hour of 4 cores a long time ago."""
    documents = [
        {
            "apiVersion": "scheduling.sigs.k8s.io/v1alpha1",
            "kind": "ElasticQuota",
            "metadata": {"name": name, "namespace": "team"},
            "status": {"tree": "root", **status},
        }
        for name, status in (("a", {"metering": METERING}), ("b", {}))
    ]
    path = tmp_path / "quotas.yaml"
    path.write_text(yaml.safe_dump_all(documents))
    return str(path)


def test_a_table_has_a_line_for_each_resource_that_was_borrowed_or_lent(
    quotas: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.main(["usage", "-A", "-f", quotas]) == 0
    head, line = capsys.readouterr().out.splitlines()
    assert head.split() == [
        *("NAMESPACE", "QUOTA", "RESOURCE"),
        *("BORROWED", "HOURS", "LENT", "HOURS"),
        "SINCE",
    ]
    assert line.split() == ["team", "a", "cpu", "4", "0", "2026-01-01T00:00:00Z"]


def test_csv_and_json_have_the_same_rows(quotas: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = []
    for form in ("csv", "json"):
        assert main.main(["usage", "-f", quotas, "-o", form]) == 0
        found.append(capsys.readouterr().out)
    rows = list(csv.DictReader(StringIO(found[0])))
    assert rows[0]["borrowed_seconds"] == "14400"
    for row in (*rows, *json.loads(found[1])):
        del row["until"]
    assert len(rows) == 1


def test_without_resource_hours_it_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "none.yaml").write_text("{apiVersion: v1, kind: Namespace, metadata: {name: x}}")
    assert main.main(["usage", "-f", str(tmp_path / "none.yaml")]) == 0
    assert capsys.readouterr().out == "No quota borrowed or lent.\n"
