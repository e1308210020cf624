"""Prints a plan as markdown, for the description of a pull request or a comment on it."""

from collections.abc import Sequence
from typing import Final

from elasticquota import texts
from elasticquota_cli.plan import report, sections


_SPECIAL: Final = {"\\": "\\\\", "|": "\\|", "<": "&lt;", "@": "&#64;", "\n": " ", "\r": " "}
"""What would break a cell, start HTML or notify a person."""


def show(plan: report.Plan) -> None:
    """Print the plan to standard output."""
    print(f"**{_plain(plan.summary)}**")
    for title, head, rows in sections.of(plan):
        print(f"\n### {title} ({len(rows)})\n")
        kept = [i for i in range(len(head)) if any(row[i] for row in rows)]
        _row([head[i] for i in kept])
        _row(["---"] * len(kept))
        for row in rows[: sections.MOST]:
            _row([_plain(row[i]) for i in kept])
        if len(rows) > sections.MOST:
            print(f"\n{len(rows) - sections.MOST} more.")
    for note in plan.notes:
        print(f"\n> {_plain(note)}")


def _row(cells: Sequence[str]) -> None:
    print(f"| {' | '.join(cells)} |")


def _plain(text: str) -> str:
    return texts.printable("".join(_SPECIAL.get(letter, letter) for letter in text))
