"""Draws a recording, moving, from a page with what commands printed: nothing in it is typed in.

    python tools/recording.py

writes docs/tutorials/session.svg. A test compares it with what the page says.
"""

import html
import pathlib
import re
import textwrap
from typing import Final


FOLDER: Final = pathlib.Path(__file__).parents[1] / "docs" / "tutorials"
PAGE: Final = FOLDER / "a-tenant-sees.md"
SHOWN: Final = (
    "kubectl get eq\n",
    "kubectl apply -f examples/two-teams/5-team-a.yaml\n",
    "kubectl elastic-quota why deploy/preview\n",
    "kubectl apply --dry-run=server -f examples/two-teams/6-team-b.yaml\n",
    "kubectl apply -f examples/two-teams/6-team-b.yaml\n",
)
"""The first command of each block that is shown, in the order of the page."""
SECONDS: Final = 5
COLUMNS: Final = 96
_LINE, _CHARACTER, _EDGE = 19, 7.8, 16


def blocks() -> list[str]:
    """The first command of each block, with its output.

    Raises ``ValueError`` for one that the page does not have.
    """
    found = re.findall(r"```console\n\$ (.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    missing = [each for each in SHOWN if not any(block.startswith(each) for block in found)]
    if missing:
        raise ValueError(f"{PAGE.name} has no block that begins with {missing[0].strip()!r}")
    shown = [next(block for block in found if block.startswith(each)) for each in SHOWN]
    return [block.partition("\n$ ")[0] for block in shown]


def drawn() -> str:
    """The picture: one block after the other, each for some seconds, without end."""
    frames = [_lines(block) for block in blocks()]
    high = max(map(len, frames)) * _LINE + 2 * _EDGE
    wide = round(COLUMNS * _CHARACTER) + 2 * _EDGE
    whole = SECONDS * len(frames)
    share = 100 / len(frames)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" role="img">\n',
        "<title>What a tenant types, and what is printed</title>\n<style>\n",
        "text { font: 13px monospace; fill: #d6dde6; white-space: pre; }\n",
        ".typed { fill: #5ec2a4; }\n",
        f".frame {{ visibility: hidden; animation: shown {whole}s step-end infinite; }}\n",
        "@keyframes shown { 0% { visibility: visible; } ",
        f"{share:g}% {{ visibility: hidden; }} }}\n</style>\n",
        f'<rect width="{wide}" height="{high}" rx="6" fill="#16202b"/>\n',
    ]
    for number, lines in enumerate(frames):
        parts.append(f'<g class="frame" style="animation-delay: {number * SECONDS}s">\n')
        for row, (typed, line) in enumerate(lines):
            style = ' class="typed"' if typed else ""
            at = f'x="{_EDGE}" y="{_EDGE + 13 + row * _LINE}"'
            parts.append(f"<text {at}{style}>{html.escape(line)}</text>\n")
        parts.append("</g>\n")
    return "".join((*parts, "</svg>\n"))


def _lines(block: str) -> list[tuple[bool, str]]:
    """The lines of a block, wrapped, and whether each was typed."""
    found = []
    for number, line in enumerate(block.rstrip("\n").split("\n")):
        typed = number == 0
        text = f"$ {line}" if typed else line
        rows = textwrap.wrap(text, COLUMNS, drop_whitespace=False) or [""]
        found += [(typed, row.rstrip()) for row in rows]
    return found


if __name__ == "__main__":
    (FOLDER / "session.svg").write_text(drawn(), encoding="utf-8")
