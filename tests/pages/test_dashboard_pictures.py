"""The pictures of dashboards have figures for lines that a panel may draw, and for no others."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml


ROOT = Path(__file__).parents[2]
BOARDS = sorted(ROOT.glob("charts/*/files/dashboards/*.json"))
FIGURES: dict[str, Any] = yaml.safe_load(
    (ROOT / "docs/pictures/dashboards.yaml").read_text(encoding="utf-8")
)
MOST = 4
"""Lines of a panel; each has a color of its own."""

each_board = pytest.mark.parametrize("path", BOARDS, ids=lambda path: path.stem)


def panels(path: Path) -> dict[str, Any]:
    document = json.loads(path.read_text(encoding="utf-8"))
    return {panel["title"]: panel for panel in document["panels"]}


@each_board
def test_there_are_figures_for_each_panel_and_for_nothing_else(path: Path) -> None:
    assert list(FIGURES[path.stem]) == list(panels(path))


@each_board
def test_each_line_is_one_that_a_query_of_the_panel_can_return(path: Path) -> None:
    for title, panel in panels(path).items():
        if panel["type"] != "timeseries":
            continue
        legends = [re.escape(each["legendFormat"]) for each in panel["targets"]]
        patterns = [re.sub(r"\\{\\{\w+\\}\\}", r"[^ ]+", each) for each in legends]
        lines = FIGURES[path.stem][title]
        assert 0 < len(lines) <= MOST, title
        for line in lines:
            assert any(re.fullmatch(each, line) for each in patterns), (title, line)
        assert len({len(values) for values in lines.values()}) == 1, title


def test_every_dashboard_has_figures() -> None:
    assert sorted(FIGURES) == [path.stem for path in BOARDS]
