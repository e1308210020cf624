"""The figures that a process of ours shows on its own page."""

import re
import urllib.request
from collections.abc import Iterator, Mapping

from users import Document


_LINE = re.compile(r"(?P<name>\w+)(?:\{(?P<labels>.*)\})? (?P<value>\S+)")
_LABEL = re.compile(r'(\w+)="([^"]*)"')


def of(pod: Document, name: str, port: int = 8080) -> Iterator[tuple[Mapping[str, str], float]]:
    """The samples of that name: labels and value; none from a process that does not answer."""
    try:
        address = f"http://{pod['status']['podIP']}:{port}/metrics"
        with urllib.request.urlopen(address, timeout=5) as answer:
            text = str(answer.read().decode())
    except OSError:
        return
    for line in text.splitlines():
        found = _LINE.fullmatch(line)
        if found is not None and found["name"] == name:
            yield dict(_LABEL.findall(found["labels"] or "")), float(found["value"])
