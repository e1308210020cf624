"""The series that both processes expose, and those that a PromQL expression asks for."""

import re
from collections.abc import Iterator
from functools import cache

from reference_pages import metrics


_ROW = re.compile(r"^\| `(\w+)` \| (\w+) \| (.*?) \|", re.MULTILINE)
_SELECTOR = re.compile(r"\b(elasticquota_\w+)(?:\{([^}]*)\})?")
_GROUPED = re.compile(r"by \(([\w, ]+)\)")
_OF_TARGETS = {"instance", "le", "__name__"}


@cache
def exposed() -> dict[str, set[str]]:
    """Labels of each series, by the generated page, which is made from the code."""
    found = {}
    for name, kind, labels in _ROW.findall(metrics.page()):
        for suffix in ("_bucket", "_sum", "_count") if kind == "histogram" else ("",):
            found[name + suffix] = set(re.findall(r"`(\w+)`", labels))
    return found


def asked(expression: str) -> Iterator[tuple[str, set[str]]]:
    """Each series that an expression names, with the labels that it needs."""
    grouped = {label for found in _GROUPED.findall(expression) for label in found.split(", ")}
    for name, matchers in _SELECTOR.findall(expression.replace("[$__rate_interval]", "")):
        yield name, (grouped | set(re.findall(r"(\w+)\s*=~?", matchers))) - _OF_TARGETS
