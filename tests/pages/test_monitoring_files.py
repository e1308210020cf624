"""Alerts and dashboards ask only for metrics that are exposed, and each alert has a runbook."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import exposed_series
from reference_pages import alerts


ROOT = Path(__file__).parents[2]
PAGE = alerts.PAGE.read_text(encoding="utf-8")
ALERTS = {each.name: each for each in alerts.ALERTS}
BOARDS: dict[str, dict[str, Any]] = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted(ROOT.glob("charts/*/files/dashboards/*.json"))
}


def runbooks() -> dict[str, str]:
    """The section of each runbook by its heading."""
    _, *sections = PAGE.split("\n## ")
    return {name: text for name, _, text in (each.partition("\n") for each in sections)}


def expressions() -> Iterator[tuple[str, str]]:
    for alert in alerts.ALERTS:
        yield alert.name, alert.expression
    for uid, board in BOARDS.items():
        for panel in board["panels"]:
            for target in panel["targets"]:
                yield f"{uid}: {panel['title']}", target["expr"]


def test_the_table_of_alerts_is_up_to_date() -> None:
    assert alerts.written(PAGE) == PAGE, "run: make reference"


@pytest.mark.parametrize(("where", "expression"), list(expressions()))
def test_every_series_and_label_that_is_asked_for_is_exposed(where: str, expression: str) -> None:
    known = exposed_series.exposed()
    by_pattern = '{__name__=~"' in expression
    found = [] if by_pattern else list(exposed_series.asked(expression))
    assert by_pattern or found, where
    for name, labels in found:
        assert name in known, where
        assert labels <= known[name], where
    for pattern in re.findall(r'__name__=~"([^"]*)"', expression):
        assert sum(bool(re.fullmatch(pattern, name)) for name in known) == 2, where


def test_there_are_fifteen_alerts_and_four_dashboards() -> None:
    assert len(ALERTS) == len(alerts.ALERTS) == 15
    assert len(BOARDS) == 4


@pytest.mark.parametrize("name", ALERTS)
def test_an_alert_has_a_runbook_that_says_what_it_means_and_what_to_do(name: str) -> None:
    assert ALERTS[name].runbook == f"RUNBOOKS/README.md#{name.lower()}"
    section = runbooks()[name]
    without = re.sub(r"```.*?```", "", section, flags=re.DOTALL)
    assert re.findall(r"^(?:#+ .*|\*\*.*\*\*)$", without, re.MULTILINE) == ["**Look**", "**Do**"]
    assert len(without.partition("**Look**")[0].split()) > 10
    assert re.search(r"```(sh|promql)\n", section)


def test_every_runbook_is_that_of_an_alert() -> None:
    assert list(runbooks()) == list(ALERTS)


@pytest.mark.parametrize("uid", BOARDS)
def test_the_panels_of_a_dashboard_have_their_own_places_and_numbers(uid: str) -> None:
    document = BOARDS[uid]
    assert document["uid"] == uid
    taken = [
        (x, y)
        for panel in document["panels"]
        for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
    ]
    assert len(taken) == len(set(taken))
    assert max(x for x, _ in taken) < 24
    ids = [panel["id"] for panel in document["panels"]]
    assert len(ids) == len(set(ids))
    variables = {each["name"] for each in document["templating"]["list"]}
    used = set(re.findall(r"\$\{?(\w+)", str([panel["targets"] for panel in document["panels"]])))
    assert used - {"__rate_interval"} <= variables
