"""Reads evictions and their callers from the API server's audit log.

A caller that dies before its answer arrives leaves a time-out in the log (504), and the pod is
evicted all the same. So 504 counts as an eviction without an answer; a refusal is no eviction.
"""

import json
from collections.abc import Iterable, Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any, NamedTuple


CONTROLLER = "system:serviceaccount:elastic-quota-system:elastic-quota-controller"


class Eviction(NamedTuple):
    """A call of the eviction API that took effect, or may have (see ``answered``)."""

    pod: str
    by: str
    """User name of the caller."""
    answered: bool = True
    """Whether the caller got the answer; otherwise it died before."""


class Record:
    """The evictions in one namespace since this record was opened."""

    def __init__(self, audit_log: Path, namespace: str) -> None:
        self._log = audit_log
        self._namespace = namespace
        self._from = audit_log.stat().st_size

    def read(self) -> list[Eviction]:
        """All evictions so far, in the order in which they ended."""
        with self._log.open("rb") as log:
            log.seek(self._from)
            return list(not_refused(log, self._namespace))


def not_refused(lines: Iterable[bytes], namespace: str) -> Iterator[Eviction]:
    """The evictions in ``namespace`` in these lines of an audit log, without the refused ones."""
    for line in lines:
        if b'"subresource":"eviction"' not in line or not line.endswith(b"\n"):
            continue  # the API server may still be writing the line
        entry: dict[str, Any] = json.loads(line)
        about = entry["objectRef"]
        code = entry["responseStatus"]["code"]
        if about["namespace"] == namespace and (code < 300 or code == HTTPStatus.GATEWAY_TIMEOUT):
            yield Eviction(about["name"], entry["user"]["username"], answered=code < 300)
