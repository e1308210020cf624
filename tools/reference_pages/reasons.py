"""The page of conditions, reasons and events, from the places in the code that state them."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Final, TypeGuard, TypeVar

from reference_pages import advice
from reference_pages.forms import Function, Scope
from reference_pages.sources import Source, called, calls, sources, text_of
from reference_pages.tables import code, table


_INTRO: Final = """# Conditions, reasons and events

What the controller publishes on objects. Reasons are stable: programs may read them. Each message
is shown whole in [messages](messages.md). Where a message
stands here, braces stand for what is filled in. What to do in an outage is in
[on-call](../how-to/on-call.md).

"""
_CONDITIONS: Final = """## Conditions of quotas, profiles and objects of other systems

On quotas, `Accepted`, `Ready`, `Overused`, `Starved` and `Reclaiming` are always there. `Stalled`
is there while the object is refused, the others while they are true.

"""
_VERDICTS: Final = """## Why a quota is not accepted

Reasons of the condition `Accepted`.

"""
_WAITS: Final = """## Why a pod waits

Reasons of waiting pods, at the end of the message of the condition `PodScheduled`, in the event
`QuotaWait` and in the metric `elasticquota_pending_pods`.

"""
_EVENTS: Final = """## Events

Reasons of events on pods and jobs. The message of an event is that of its decision.

"""
_EVENT: Final = "Quota"
_AS_ACCEPTED: Final = "that of Accepted"

Row = tuple[str, ...]
T = TypeVar("T")


def page(root: Path) -> str:
    waits, verdicts = _literal(root, "QuotaExhausted"), _literal(root, "ParentNotFound")
    found = [row for source in sources(root) for row in _conditions(root, source, verdicts)]
    events = sorted(set(_events(root, {*waits, *verdicts})))
    return "".join(
        (
            _INTRO,
            _CONDITIONS,
            table(("condition", "status", "reason", "message"), _listed(found)),
            _VERDICTS,
            table(
                ("reason", "what it means", "what to do"), _advised(advice.OF_VERDICTS, verdicts)
            ),
            table(("reason", "message"), _listed(_stated(root, verdicts))),
            _WAITS,
            table(("reason", "what it means", "what to do"), _advised(advice.OF_WAITS, waits)),
            _EVENTS,
            table(
                ("reason", "when"),
                [(code(each), _known(advice.OF_EVENTS, each)) for (each,) in events],
            ),
        )
    )


def _advised(advised: advice.Advice, reasons: Iterable[str]) -> Iterator[Row]:
    """A row for each of ``reasons``."""
    for each in sorted(reasons):
        yield code(each), *_known(advised, each)


def _known(advised: Mapping[str, T], reason: str) -> T:
    if reason not in advised:
        raise SystemExit(f"reason {reason} has no row in tools/reference_pages/advice.py")
    return advised[reason]


def _listed(rows: list[Row]) -> list[Row]:
    """Sorted, each once, and without a row that says less than another of the same name."""
    kept = {row for row in rows if row[-1] or not any(_more(row, each) for each in rows)}
    return [tuple(code(cell) for cell in row) for row in sorted(kept)]


def _more(less: Row, row: Row) -> bool:
    return len(row) > 1 and row[:-1] == less[:-1] and bool(row[-1])


def _literal(root: Path, member: str) -> dict[str, str]:
    """The members of the one ``Literal`` that has ``member`` among them."""
    found: dict[str, str] = {}
    for source in sources(root):
        for node in source.tree.body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript):
                parts = getattr(node.value.slice, "elts", ())
                texts = [text_of(each, {}) for each in parts]
                if member in texts:
                    found |= dict.fromkeys(texts, "")
    if not found:
        raise SystemExit(f"no Literal with {member} in the code")
    return found


def _all_of(root: Path, reasons: set[str]) -> list[str]:
    """``reasons``; where one is computed, every member of the ``Literal`` that has the others."""
    known = reasons - {""}
    if known != reasons and known:
        return sorted({each for one in known for each in _literal(root, one)})
    return sorted(known) or [""]


def _conditions(root: Path, source: Source, verdicts: dict[str, str]) -> Iterator[Row]:
    constants = source.constants
    for scope, call in _calls(source):
        if called(call) != "Condition" or len(call.args) < 4:
            continue
        kind, status, reason, message = call.args[:4]
        name = text_of(kind, constants)
        if not name or not name[0].isupper():
            continue
        state = str(status.value) if isinstance(status, ast.Constant) else "True, False"
        attribute = reason.attr if isinstance(reason, ast.Attribute) else ""
        text = "" if attribute == "reason" else scope.form(message, call.lineno)
        if attribute == "reason" and name != "Accepted":
            yield name, state, _AS_ACCEPTED, text
            continue
        found = _members(root, reason) if attribute == "value" else scope.reasons(reason, verdicts)
        for each in _all_of(root, set(found)):
            if attribute != "reason" or state == str(each == "Accepted"):
                yield name, state, each, text


def _stated(root: Path, known: dict[str, str]) -> list[Row]:
    """Where the code says one of ``known``, followed by a message."""
    rows: list[Row] = [(each, "") for each in known]
    for source in sources(root):
        for scope, node in _sayings(source):
            parts = node.args if isinstance(node, ast.Call) else node.elts
            for one, two in pairwise(parts):
                reason = text_of(one, {})
                if reason in known and " " in (text := scope.form(two, node.lineno)):
                    rows.append((reason, text))
    return rows


def _events(root: Path, others: set[str]) -> list[Row]:
    """Constants ``Quota...`` that are passed on and are no reason of a wait or a verdict."""
    found: list[Row] = []
    for source in sources(root):
        if source.process != "controller":
            continue
        for _, node in _sayings(source):
            parts = node.args if isinstance(node, ast.Call) else node.elts
            texts = [text_of(each, {}) for each in parts]
            found += [(text,) for text in texts if _is_event(text) and text not in others]
    return found


def _is_event(text: str) -> bool:
    return text.startswith(_EVENT) and text.isalpha() and text != _EVENT


def _calls(source: Source) -> Iterator[tuple[Scope, ast.Call]]:
    """Calls in functions, and those that give a constant its value."""
    for function in _functions(source):
        scope = Scope(source, function)
        yield from ((scope, call) for call in calls(function))
    for each in source.tree.body:
        if isinstance(each, ast.AnnAssign) and isinstance(each.value, ast.Call):
            yield Scope(source, None), each.value


def _members(root: Path, value: ast.expr) -> Iterator[str]:
    """The values of the enumeration of ``found.cause.value``, whose name ends with ``Cause``."""
    name = ast.unparse(value).split(".")[-2].capitalize()
    for source in sources(root):
        for each in source.tree.body:
            if isinstance(each, ast.ClassDef) and each.name.endswith(name):
                found = (line.value for line in each.body if isinstance(line, ast.Assign))
                yield from (text_of(value, {}) for value in found if text_of(value, {}))


def _sayings(source: Source) -> Iterator[tuple[Scope, ast.Call | ast.Tuple]]:
    """Calls and tuples, at the top of the module too."""
    for function in _functions(source):
        scope = Scope(source, function)
        yield from ((scope, node) for node in ast.walk(function) if _says(node))
    top = (each for each in source.tree.body if isinstance(each, ast.Assign | ast.AnnAssign))
    nodes = (node for each in top for node in ast.walk(each))
    yield from ((Scope(source, None), node) for node in nodes if _says(node))


def _says(node: ast.AST) -> TypeGuard[ast.Call | ast.Tuple]:
    return isinstance(node, ast.Call | ast.Tuple)


def _functions(source: Source) -> Iterator[Function]:
    yield from source.functions.values()
