"""Draws the pictures of the pages; those of fairness.md from what the core decides.

    PYTHONPATH=operator:tools python docs/pictures/draw.py [FOLDER]

writes them beside this script, or into FOLDER. A test compares the stored pictures with new ones.
"""

import pathlib
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import dashboards
import folders
import structure
import teams
from elasticquota.model.decision import QuotaStatus
from paper import Page
from teams import POOL, UNITS, Team


def water_level() -> Page:
    """One level: every area is an amount, so equal height means an equal part per weight."""
    sharers = [Team("A", 5, 10, 40), Team("B", 20, 15, 60), Team("C", 40, 20, 50)]
    sharers.append(Team("D", 70, 15, 80))
    # A thousand times the amounts show the level before it is rounded to whole units.
    fine = teams.shares(
        100_000, [replace(team, asks=team.asks * 1000, min=team.min * 1000) for team in sharers]
    )
    whole = teams.shares(100, sharers)
    listed = ", ".join(f"{team.name} {share}" for team, share in zip(sharers, whole, strict=True))
    page = Page(
        800, 520, "One water level for all", f"100 units are shared among four teams: {listed}."
    )
    page.text(36, 36, "100 units, four teams", "big")
    page.text(36, 58, "Every area is an amount; the width of a team is its weight.", "small")
    ground, x, surface = 330, 36.0, 0.0
    for team, share, exact in zip(sharers, whole, fine, strict=True):
        floor = min(team.asks, team.min)
        poured = exact / 1000 - floor
        # 2.4 pixels wide per weight and 300 high per level: 720 square pixels are one unit.
        wide, high = team.weight * 2.4, 300 / team.weight
        middle, bottom = x + wide / 2, ground + floor * high
        top, surface = ground - (team.asks - floor) * high, max(surface, poured * high)
        page.rect(x, ground, wide, floor * high, "own")
        page.rect(x, ground - poured * high, wide, poured * high, "water")
        page.path((x, top), (x, bottom), (x + wide, bottom), (x + wide, top), look="rim")
        page.text(middle, ground + floor * high / 2 + 5, f"{floor}", "strong", "middle")
        if poured:
            page.text(middle, ground - poured * high / 2 + 5, f"+ {poured:.3g}", "strong", "middle")
        page.text(middle, top - 9, f"asks {team.asks}, min {team.min}", "small", "middle")
        page.text(middle, 480, f"{team.name}: {share}", "big", "middle")
        page.text(middle, 500, f"weight {team.weight}", "small", "middle")
        x += wide + 40
    page.line(26, ground - surface, x - 26, ground - surface, "level")
    page.text(30, ground - surface - 10, "water level", "small")
    page.line(26, ground, x - 38, ground)
    page.text(x - 32, ground + 5, "guaranteed", "small")
    page.text(x - 32, ground + 19, "below here", "small")
    return page


PLACES = {
    POOL: (400, 0),
    "research": (210, 106),
    "product": (590, 106),
    "vision": (115, 212),
    "speech": (305, 212),
    "web": (495, 212),
    "batch": (685, 212),
}
"""The middle of the upper edge of each box."""


def tree() -> Page:
    """Runtime goes down; what one team leaves helps its department first."""
    page = Page(
        800,
        690,
        "An owner comes back",
        "A pool of 100 with two departments of two teams each, before and after team vision asks "
        "for its min of 40: speech and batch had borrowed 20 each and give them back.",
    )
    page.rect(600, 24, 18, 12, "own")
    page.text(626, 35, "within min", "small")
    page.rect(600, 44, 18, 12, "new")
    page.text(626, 55, "borrowed", "small")
    page.line(609, 63, 609, 77, "mark")
    page.text(626, 75, "min", "small")
    _draw_tree(page, 24, ("Before: vision is idle,", "and its 40 are lent"), vision_asks=0)
    _draw_tree(page, 366, ("After: vision", "wants its 40 back"), vision_asks=40)
    return page


def _draw_tree(page: Page, top: int, heading: tuple[str, str], vision_asks: int) -> None:
    sharers = [
        Team("research", 0, 60, 1),
        Team("product", 0, 40, 1),
        Team("vision", vision_asks, 40, 1, "research"),
        Team("speech", 40, 20, 1, "research"),
        Team("web", 30, 30, 1, "product"),
        Team("batch", 80, 10, 1, "product"),
    ]
    for row, words in enumerate(heading):
        page.text(24, top + 20 + row * 24, words, "big")
    for team in sharers:
        (x, y), (px, py) = PLACES[team.name], PLACES[team.parent]
        bend = top + y - 11
        page.path((px, top + py + 84), (px, bend), (x, bend), (x, top + y), look="rule")
    for name, status in teams.decided(100, sharers).items():
        x, y = PLACES[name]
        _draw_quota(page, x - 86, top + y, status)


def _draw_quota(page: Page, x: int, y: int, status: QuotaStatus) -> None:
    """A box of 172 by 84 with a bar of 1.5 pixels per unit and a mark at min."""
    asks = status.request.get(UNITS, 0)
    least, held = status.min[UNITS], status.runtime[UNITS]
    mark = x + 11 + least * 1.5
    page.rect(x, y, 172, 84, "box", corner=6)
    page.text(x + 11, y + 21, status.key.name, "strong")
    page.text(x + 161, y + 21, f"{held}", "strong", "end")
    page.rect(x + 11, y + 30, 150, 12, "open")
    page.rect(x + 11, y + 30, min(held, least) * 1.5, 12, "own")
    page.rect(mark, y + 30, max(held - least, 0) * 1.5, 12, "new")
    page.line(mark, y + 27, mark, y + 45, "mark")
    page.text(x + 11, y + 60, f"min {least}, asks {asks}", "small")
    if held != least:
        change = f"borrows {held - least}" if held > least else f"lends {least - held}"
        page.text(x + 11, y + 76, change, "small strong")


def whole_units() -> Page:
    """Units in the order in which they are due, as the solver hands them out one by one."""
    sharers = [Team("A", 99, 0, 6), Team("B", 99, 0, 6), Team("C", 99, 0, 2)]
    of = [teams.shares(total, sharers) for total in range(13)]
    page = Page(
        800,
        322,
        "Whole units come one by one",
        f"With 10 GPUs the teams have {of[10]}, with 11 they have {of[11]}: the eleventh GPU goes "
        "to one team and is taken from no team.",
    )
    page.text(24, 36, "10 GPUs, then 11", "big")
    page.text(24, 58, "Water rises from left to right; a number says whose turn it is.", "small")
    page.text(660, 88, "of 10", "small", "middle")
    page.text(740, 88, "of 11", "small strong", "middle")
    for row, team in enumerate(sharers):
        y = 104 + row * 60
        page.text(24, y + 18, team.name, "big")
        page.text(24, y + 36, f"weight {team.weight}", "small")
        for turn in range(1, 13):
            unit = of[turn][row]
            if unit > of[turn - 1][row]:
                x = 110 + (unit - 0.5) / team.weight * 560
                look = "water" if turn <= 10 else "new" if turn == 11 else "open"
                page.rect(x - 20, y, 40, 40, look, corner=4)
                page.text(x, y + 25, f"{turn}", "strong" if turn <= 11 else "small", "middle")
        page.text(660, y + 27, f"{of[10][row]}", "big", "middle")
        page.text(740, y + 27, f"{of[11][row]}", "big", "middle")
    page.line(110, 282, 570, 282)
    page.path((562, 277), (570, 282), (562, 287), look="rule")
    page.text(
        110, 302, "at weight w a unit is due every 1/w, the first after half of that", "small"
    )
    return page


def shrinking() -> Page:
    """Guarantees that no longer fit are filled in proportion to min."""
    sharers = [Team("A", 60, 60, 60), Team("B", 30, 30, 30), Team("C", 6, 30, 30)]
    page = Page(
        800,
        316,
        "Guarantees that do not fit",
        "Three teams with min 60, 30 and 30 on 120 units, then on 66 after a node was lost.",
    )
    page.text(24, 36, "120 units, then 66", "big")
    page.text(24, 58, "A and B ask for all of their min, C for 6 of its 30.", "small")
    for column, total in enumerate((120, 66)):
        x = 84 + column * 370
        found = teams.shares(total, sharers)
        page.text(x, 92, f"{total} units: {sum(found)} used", "strong")
        for row, (team, share) in enumerate(zip(sharers, found, strict=True)):
            y = 108 + row * 66
            met = share == min(team.asks, team.min)
            page.rect(x, y, team.min * 4.5, 32, "open", corner=3)
            page.rect(x, y, share * 4.5, 32, "own" if met else "new", corner=3)
            page.text(x + share * 4.5 + 8, y + 21, f"{share}", "strong")
            page.text(x, y + 46, f"min {team.min}", "small")
            if not column:
                page.text(36, y + 23, team.name, "big")
    return page


PICTURES: dict[str, Callable[[], Page]] = {
    "water-level.svg": water_level,
    "tree.svg": tree,
    "whole-units.svg": whole_units,
    "shrinking.svg": shrinking,
    "structure.svg": structure.picture,
    "folders-before.svg": folders.before,
    "folders-now.svg": folders.now,
    **{
        f"{path.stem}.svg": partial(dashboards.picture, path.stem)
        for path in sorted(dashboards.FILES.glob("*.json"))
    },
}


def main(folder: pathlib.Path) -> None:
    """Write all pictures into ``folder``."""
    for name, picture in PICTURES.items():
        (folder / name).write_text(picture().svg(), "utf-8", newline="\n")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]) if sys.argv[1:] else pathlib.Path(__file__).parent)
