"""Alerts and dashboards are as their code says, and ask only for metrics that are exposed."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import exposed_series
from monitoring_files import __main__ as files
from monitoring_files import alerts, dashboards, panels


ALERTS = {each.name: each for each in alerts.ALERTS}
BOARDS = {each.uid: each for each in dashboards.DASHBOARDS}


def runbooks() -> dict[str, str]:
    """The section of each runbook by its heading."""
    _, *sections = files.RUNBOOKS.read_text(encoding="utf-8").split("\n## ")
    return {name: text for name, _, text in (each.partition("\n") for each in sections)}


def expressions() -> Iterator[tuple[str, str]]:
    for alert in alerts.ALERTS:
        yield alert.name, alert.expression
    for board in dashboards.DASHBOARDS:
        for panel in board.panels:
            for query in panel.queries.values():
                yield f"{board.uid}: {panel.title}", query


@pytest.mark.parametrize("path", [path for path, _ in files.files()], ids=lambda path: path.name)
def test_a_file_is_up_to_date(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == dict(files.files())[path], "run: make reference"


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
    assert len(BOARDS) == len(dashboards.DASHBOARDS) == 4


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
    document = panels.document(BOARDS[uid])
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
