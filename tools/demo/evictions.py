"""Who was evicted, by whom: read from the API server's audit log, which nobody can talk around."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple


CONTROLLER = "system:serviceaccount:elastic-quota-system:elastic-quota-controller"


class Eviction(NamedTuple):
    """A successful call of the eviction API."""

    pod: str
    by: str

    def __str__(self) -> str:
        return f"{self.pod} by {self.by}"


class Record:
    """Evictions in one namespace since this record was opened."""

    def __init__(self, audit_log: Path, namespace: str) -> None:
        self._log = audit_log
        self._namespace = namespace
        self._from = audit_log.stat().st_size

    def read(self) -> list[Eviction]:
        """All evictions so far, in the order they were granted."""
        with self._log.open("rb") as log:
            log.seek(self._from)
            return list(granted(log, self._namespace))


def granted(lines: Iterable[bytes], namespace: str) -> Iterator[Eviction]:
    """The evictions that these lines of an audit log grant in ``namespace``."""
    for line in lines:
        if b'"subresource":"eviction"' not in line or not line.endswith(b"\n"):
            continue  # the server may be in the middle of a line
        entry: dict[str, Any] = json.loads(line)
        about = entry["objectRef"]
        if about["namespace"] == namespace and entry["responseStatus"]["code"] < 300:
            yield Eviction(about["name"], entry["user"]["username"])
