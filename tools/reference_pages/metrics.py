"""The page of metrics, from the calls in the code that make their families."""

import ast
from collections.abc import Iterator
from typing import Final

from reference_pages.sources import Source, called, sources, text_of
from reference_pages.tables import code, prose, table


_INTRO: Final = """# Metrics

Every family of both processes. [What the metrics mean](../metrics.md) says what the values of
labels mean, and [runbooks](../runbooks/README.md) which are worth an alert.
[Annotations](../annotations.md#metrics) describe the gauge of Koordinator. Histograms have the
series `_bucket`, `_sum` and `_count`. Times are in seconds, amounts in base units.

"""
_KINDS: Final = {
    "Counter": ("counter", "_total"),
    "CounterMetricFamily": ("counter", "_total"),
    "Gauge": ("gauge", ""),
    "GaugeMetricFamily": ("gauge", ""),
    "Histogram": ("histogram", ""),
    "HistogramMetricFamily": ("histogram", ""),
    "Summary": ("summary", ""),
    "Info": ("info", "_info"),
    "Enum": ("gauge", ""),
}


def page() -> str:
    parts = [_INTRO]
    for process in ("controller", "webhook"):
        found = {row for each in sources() if each.process == process for row in _families(each)}
        parts.append(f"## Of the {process}\n\n")
        parts.append(table(("name", "kind", "labels", "what"), sorted(found)))
    return "".join(parts)


def _families(source: Source) -> Iterator[tuple[str, ...]]:
    constants = source.constants
    for call in (node for node in ast.walk(source.tree) if isinstance(node, ast.Call)):
        kind, suffix = _KINDS.get(called(call), ("", ""))
        arguments = {word.arg: word.value for word in call.keywords}
        given = [*call.args, None, None, None]
        name = text_of(given[0] or arguments.get("name"), constants)
        if not kind or not name:
            continue
        what = text_of(given[1] or arguments.get("documentation"), constants)
        named = given[2] or arguments.get("labels") or arguments.get("labelnames")
        listed = [text_of(each, constants) for each in getattr(named, "elts", ())]
        yield code(_whole(name, suffix)), kind, ", ".join(map(code, listed)), prose(what)


def _whole(name: str, suffix: str) -> str:
    return name if name.endswith(suffix) else name + suffix
