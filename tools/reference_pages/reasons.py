"""The table of conditions in the page of reasons, from their examples.

What reasons mean is written by hand in the other tables of the page. None may lack a row.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Final, get_args

from elasticquota.model import verdict, wait_reason
from message_examples import conditions
from reference_pages.sources import ROOT, sources, text_of
from reference_pages.tables import MARK, code, inserted, table


PAGE: Final = ROOT / "docs" / "reference" / "reasons.md"
_REPEATED: Final = "that of Accepted"
_REPEATING: Final = (("Ready", "False"), ("Stalled", "True"))
"""Of a quota that is not accepted."""
_EVENT: Final = re.compile("Quota[A-Z][A-Za-z]+")
_ROW: Final = re.compile(r"^\| `(\w+)` \|", re.MULTILINE)


def written(page: str) -> str:
    """``page`` with its table written again.

    Ends the program where another table lacks a reason, or has one that there is not.
    """
    for heading, reasons in _reasons().items():
        rows = set(_ROW.findall(page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]))
        lacking, unknown = sorted(reasons - rows), sorted(rows - reasons)
        if lacking or unknown:
            raise SystemExit(f"{PAGE}, {heading}: lacking {lacking}, there is no {unknown}")
    return inserted(page, MARK, table(("condition", "status", "reasons"), _grouped(_conditions())))


def _reasons() -> Mapping[str, set[str]]:
    """By the heading of each other table, the reasons that it has."""
    waits, verdicts = set(get_args(wait_reason.WaitReason)), set(get_args(verdict.Reason))
    return {
        "Why a quota is not accepted": verdicts,
        "Why a pod waits": waits,
        "Events": _events() - waits - verdicts,
    }


def _conditions() -> list[tuple[str, ...]]:
    """A row for each example, and for what the others repeat."""
    rows = [(code(kind), code(status), code(_REPEATED)) for kind, status in _REPEATING]
    for each in {each.code for each in conditions.examples()}:
        kind, status, reason = each.split(" ")
        rows.append((code(kind), code(status), code(reason)))
    return sorted(rows)


def _grouped(rows: Iterable[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """A row for each condition and status, with its reasons."""
    for (kind, status), found in groupby(rows, key=lambda row: row[:2]):
        yield kind, status, ", ".join(reason for *_, reason in found)


def _events() -> set[str]:
    """Texts of the controller that look like a reason of an event."""
    nodes = (
        node
        for source in sources()
        if source.process == "controller"
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call | ast.Tuple)
    )
    texts = {
        text_of(part, {})
        for node in nodes
        for part in (node.args if isinstance(node, ast.Call) else node.elts)
    }
    return set(filter(_EVENT.fullmatch, texts))
