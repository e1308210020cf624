"""Who was evicted, by whom: read from the API server's audit log, which nobody can talk around.

A caller that dies before its answer arrives leaves a time-out in the log (504), and the pod goes
all the same. So an eviction is either answered or lost, and only what was refused is none.
"""

import json
from collections.abc import Iterable, Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any, NamedTuple


CONTROLLER = "system:serviceaccount:elastic-quota-system:elastic-quota-controller"
UNKNOWN = "somebody whom only the audit log of this cluster knows"


class Eviction(NamedTuple):
    """A call of the eviction API that took effect, or may have: see ``answered``."""

    pod: str
    by: str
    """User name of the caller; UNKNOWN where no audit log can be read."""
    answered: bool = True
    """Whether the caller heard yes; otherwise it was gone before the answer."""


class Record:
    """Evictions in one namespace since this record was opened."""

    def __init__(self, audit_log: Path, namespace: str) -> None:
        self._log = audit_log
        self._namespace = namespace
        self._from = audit_log.stat().st_size

    def read(self) -> list[Eviction]:
        """All evictions so far, in the order they ended."""
        with self._log.open("rb") as log:
            log.seek(self._from)
            return list(not_refused(log, self._namespace))


def not_refused(lines: Iterable[bytes], namespace: str) -> Iterator[Eviction]:
    """The evictions in ``namespace`` that these lines of an audit log tell of."""
    for line in lines:
        if b'"subresource":"eviction"' not in line or not line.endswith(b"\n"):
            continue  # the server may be in the middle of a line
        entry: dict[str, Any] = json.loads(line)
        about = entry["objectRef"]
        code = entry["responseStatus"]["code"]
        if about["namespace"] == namespace and (code < 300 or code == HTTPStatus.GATEWAY_TIMEOUT):
            yield Eviction(about["name"], entry["user"]["username"], answered=code < 300)
