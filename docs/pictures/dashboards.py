"""Pictures of the chart's dashboards: panels and units from its files, figures from an example.

A panel without figures in ``dashboards.yaml`` ends the program.
"""

import json
import pathlib
from typing import Any, Final

import yaml

from paper import Page


HERE: Final = pathlib.Path(__file__).parent
FILES: Final = HERE.parents[1] / "charts/elastic-quota-operator/files/dashboards"
_WIDE, _HIGH = 40, 26
"""Pixels of one step of Grafana's grid."""
_SPACE, _TOP, _LEGEND, _GUTTER = 8, 44, 16, 62
"""Pixels between panels, above them, of a line of a legend, and left of a graph."""
_HOURS: Final = 6


def picture(uid: str) -> Page:
    """The dashboard of one file."""
    board = json.loads((FILES / f"{uid}.json").read_text("utf-8"))
    figures = figures_of(uid)
    places = [panel["gridPos"] for panel in board["panels"]]
    high = max(place["y"] + place["h"] for place in places) * _HIGH
    titles = [panel["title"] for panel in board["panels"]]
    page = Page(24 * _WIDE + _SPACE, high + _TOP + _SPACE, board["title"], "; ".join(titles))
    page.text(16, 29, board["title"], "big")
    for panel, place in zip(board["panels"], places, strict=True):
        x, y = place["x"] * _WIDE + _SPACE, place["y"] * _HIGH + _TOP
        wide, deep = place["w"] * _WIDE - _SPACE, place["h"] * _HIGH - _SPACE
        page.rect(x, y, wide, deep, "box", corner=4)
        page.text(x + 10, y + 20, panel["title"], "strong")
        unit, shown = panel["fieldConfig"]["defaults"]["unit"], figures[panel["title"]]
        if panel["type"] == "stat":
            page.text(x + wide / 2, y + deep / 2 + 16, worded(shown, unit), "big", "middle")
        elif panel["type"] == "table":
            _table(page, x, y, wide, shown)
        else:
            _graph(page, (x, y, wide, deep), shown, unit)
    return page


def figures_of(uid: str) -> dict[str, Any]:
    """Panel -> a number, the rows of a table, or values by legend."""
    found: dict[str, Any] = yaml.safe_load((HERE / "dashboards.yaml").read_text("utf-8"))[uid]
    return found


def worded(value: float, unit: str) -> str:
    """A value as Grafana shows it, about."""
    if unit == "percentunit":
        return f"{value * 100:.0f}%"
    if unit == "ops":
        return f"{value:.3g}/s"
    if unit == "s":
        for most, factor, name in ((1, 1000, "ms"), (60, 1, "s"), (3600, 1 / 60, "min")):
            if value < most:
                return f"{value * factor:.3g} {name}" if value else "0 s"
        return f"{value / 3600:.3g} h" if value < 86_400 else f"{value / 86_400:.3g} d"
    return f"{value:.3g}"


def _table(page: Page, x: float, y: float, wide: float, rows: list[list[str]]) -> None:
    for line, row in enumerate(rows):
        for column, cell in enumerate(row):
            at = x + 10 + column * wide / len(row)
            page.text(at, y + 48 + line * 26, cell, "" if line else "small")


def _graph(
    page: Page, box: tuple[float, float, float, float], lines: dict[str, list[float]], unit: str
) -> None:
    x, y, wide, deep = box
    left, right, top = x + _GUTTER, x + wide - 12, y + 36
    bottom = y + deep - 26 - _LEGEND * len(lines)
    most = max(max(values) for values in lines.values()) or 1
    for part in (0.0, 0.5, 1.0):
        level = bottom - (bottom - top) * part
        page.line(left, level, right, level)
        page.text(left - 6, level + 4, worded(most * part, unit), "small", "end")
    for hour in range(0, _HOURS + 1, 2):
        at = left + (right - left) * hour / _HOURS
        words = f"-{_HOURS - hour} h" if hour < _HOURS else "now"
        page.text(at, bottom + 15, words, "small", "middle" if hour < _HOURS else "end")
    for number, (legend, values) in enumerate(lines.items()):
        step, scale = (right - left) / (len(values) - 1), (bottom - top) / most
        points = [(left, bottom - values[0] * scale)]
        for place, each in enumerate(values[1:], start=1):
            if all(isinstance(value, int) for value in values):  # a level, which changes at once
                points.append((left + place * step, points[-1][1]))
            points.append((left + place * step, bottom - each * scale))
        page.path(*points, look=f"series{number}")
        height = bottom + 30 + number * _LEGEND
        page.line(x + 12, height - 4, x + 30, height - 4, f"series{number}")
        page.text(x + 36, height, f"{legend}: {worded(values[-1], unit)}", "small")
