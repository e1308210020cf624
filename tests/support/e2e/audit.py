"""Who wrote what, as the API server recorded it."""

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple


_POD_NAME = "authentication.kubernetes.io/pod-name"


class Write(NamedTuple):
    """One finished write. ``what`` is resource or resource/subresource."""

    at: datetime
    verb: str
    what: str
    namespace: str
    name: str
    user: str
    pod: str
    """The pod whose token was used; empty for other users."""
    code: int


def writes(log: Path, what: str, namespace: str = "", *, since: int = 0) -> list[Write]:
    """Writes to ``what`` in order, of one namespace if given; ``since`` is an earlier ``end``."""
    return [
        write
        for write in _all(log, since)
        if write.what == what and namespace in ("", write.namespace)
    ]


def by(log: Path, pod: str, *, user: str = "", since: int = 0) -> list[Write]:
    """Every write by the token of a pod, or (``pod`` empty) of a user outside of any."""
    return [write for write in _all(log, since) if write.pod == pod and user in ("", write.user)]


def end(log: Path) -> int:
    """The present end of the log."""
    return log.stat().st_size


def _all(log: Path, since: int) -> Iterator[Write]:
    with log.open("rb") as file:
        file.seek(since)
        for line in file:
            if line.endswith(b"\n"):  # the last one may still be on its way
                yield _write(json.loads(line))


def _write(entry: dict[str, Any]) -> Write:
    target = entry.get("objectRef") or {}
    user = entry["user"]
    return Write(
        at=datetime.fromisoformat(entry["requestReceivedTimestamp"]),
        verb=entry["verb"],
        what="/".join(
            part for part in (target.get("resource", ""), target.get("subresource", "")) if part
        ),
        namespace=target.get("namespace", ""),
        name=target.get("name", ""),
        user=user["username"],
        pod=(user.get("extra") or {}).get(_POD_NAME, [""])[0],
        code=(entry.get("responseStatus") or {}).get("code", 0),
    )
