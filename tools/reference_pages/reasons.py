"""The page of conditions, reasons and events, from the types and examples that state them."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Final, TypeVar, get_args

from elasticquota.model import verdict, wait_reason
from message_examples import conditions
from reference_pages import advice
from reference_pages.sources import sources, text_of
from reference_pages.tables import code, table


_INTRO: Final = """# Conditions, reasons and events

What the controller publishes on objects. Reasons are stable: programs may read them. What to do in
an outage is in [on-call](../how-to/on-call.md).

"""
_CONDITIONS: Final = """## Conditions of quotas, profiles and objects of other systems

On quotas, `Accepted`, `Ready`, `Overused`, `Starved` and `Reclaiming` are always there. `Stalled`
is there while the object is refused, the others while they are true. A reason leads to an example
of its message.

"""
_VERDICTS: Final = """## Why a quota is not accepted

Reasons of the condition `Accepted`.

"""
_WAITS: Final = """## Why a pod waits

Reasons of waiting pods, at the end of the [message](messages.md#waiting-pods) of the condition
`PodScheduled`, in the event `QuotaWait` and in the metric `elasticquota_pending_pods`.

"""
_EVENTS: Final = """## Events

Reasons of events on pods and jobs. The message of an event is that of its decision.

"""
_ADVICE: Final = ("reason", "what it means", "what to do")
_REPEATED: Final = "that of Accepted"
_REPEATING: Final = (("Ready", "False"), ("Stalled", "True"))
"""Of a quota that is not accepted."""
_EVENT: Final = re.compile("Quota[A-Z][A-Za-z]+")

T = TypeVar("T")


def page(root: Path) -> str:
    waits, verdicts = get_args(wait_reason.WaitReason), get_args(verdict.Reason)
    events = sorted(_events(root) - {*waits, *verdicts})
    return "".join(
        (
            _INTRO,
            _CONDITIONS,
            table(("condition", "status", "reasons"), _grouped(_conditions())),
            _VERDICTS,
            table(_ADVICE, _advised(advice.OF_VERDICTS, verdicts)),
            _WAITS,
            table(_ADVICE, _advised(advice.OF_WAITS, waits)),
            _EVENTS,
            table(
                ("reason", "when"),
                [(code(each), _known(advice.OF_EVENTS, each)) for each in events],
            ),
        )
    )


def _advised(advised: advice.Advice, reasons: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """A row for each of ``reasons``."""
    for each in sorted(reasons):
        yield code(each), *_known(advised, each)


def _known(advised: Mapping[str, T], reason: str) -> T:
    if reason not in advised:
        raise SystemExit(f"reason {reason} has no row in tools/reference_pages/advice.py")
    return advised[reason]


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


def _events(root: Path) -> set[str]:
    """Texts of the controller that look like a reason of an event."""
    nodes = (
        node
        for source in sources(root)
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
