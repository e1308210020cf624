"""Every dashboard is one that Grafana's own schema accepts, panel by panel and query by query."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dashboard_check


CHART = Path(__file__).parents[2] / "charts" / "elastic-quota-operator"
DASHBOARDS = sorted((CHART / "files" / "dashboards").glob("*.json"))

Document = dict[str, Any]


def test_the_schema_accepts_every_dashboard() -> None:
    assert len(DASHBOARDS) == 4
    assert dashboard_check.check(DASHBOARDS) == []


@pytest.mark.parametrize(
    ("edit", "line"),
    [
        pytest.param(
            lambda board: board.pop("annotations"),
            "annotations: required field is missing from input",
            id="a field is missing",
        ),
        pytest.param(
            lambda board: board["panels"][0]["targets"][0].update(query="up"),
            "panels[0].targets[0].Dataquery: unexpected field 'query'",
            id="a query has an unknown field",
        ),
        pytest.param(
            lambda board: board["panels"][1]["gridPos"].update(w=30),
            "panels[1].Panel.gridPos.w: must be <= 24",
            id="a panel is too wide",
        ),
        pytest.param(
            lambda board: board["panels"][1].update(type="pie"),
            "panels[1].type: there is no kind of panel 'pie'",
            id="a panel is of an unknown kind",
        ),
    ],
)
def test_what_the_schema_does_not_know_is_found(
    tmp_path: Path, edit: Callable[[Document], object], line: str
) -> None:
    board = json.loads(DASHBOARDS[0].read_text(encoding="utf-8"))
    edit(board)
    wrong = tmp_path / "wrong.json"
    wrong.write_text(json.dumps(board), encoding="utf-8")
    assert dashboard_check.check([wrong]) == [f"{wrong}: {line}"]
