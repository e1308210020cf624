"""The writes of each user and the requests of our accounts, as the API server recorded them."""

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from local_cluster import product


_POD_NAME = "authentication.kubernetes.io/pod-name"
_DECISION = "authorization.k8s.io/decision"
_CLIENT = "elastic-quota-operator"
_WRITES = ("create", "update", "patch", "delete", "deletecollection")
_NOISE = ("leases", "events")
_REVIEWS = ("authentication.k8s.io", "authorization.k8s.io")


class Request(NamedTuple):
    """One request, a watch when it begins. ``what`` is resource or resource/subresource."""

    at: datetime
    answered: datetime
    verb: str
    what: str
    namespace: str
    name: str
    user: str
    pod: str
    """The pod whose token was used; empty for other users."""
    code: int
    group: str
    agent: str
    decision: str
    """That of the authorizer: ``allow`` or ``forbid``."""


def writes(log: Path, what: str, namespace: str = "", *, since: int = 0) -> list[Request]:
    """Writes to ``what`` in order, of one namespace if given; ``since`` is an earlier ``end``."""
    return [
        write
        for write in _writes(log, since)
        if write.what == what and namespace in ("", write.namespace)
    ]


def by(log: Path, pod: str, *, user: str = "", since: int = 0) -> list[Request]:
    """Every write with the token of a pod, or (``pod`` empty) of a user outside of any pod."""
    return [write for write in _writes(log, since) if write.pod == pod and user in ("", write.user)]


def of_accounts(log: Path) -> Iterator[Request]:
    """Every request for a resource under an account of the operator, by its pods or by its client
    in a test; the reads of other users are not recorded.
    """
    own = f"system:serviceaccount:{product.NAMESPACE}:{product.RELEASE}-"
    return (
        request
        for request in _all(log, 0)
        if request.what
        and request.user.startswith(own)
        and (request.pod or request.agent == _CLIENT)
    )


def end(log: Path) -> int:
    """The present end of the log."""
    return log.stat().st_size


def _writes(log: Path, since: int) -> Iterator[Request]:
    """What changes objects, but for Leases and Events, which would drown the rest."""
    return (
        request
        for request in _all(log, since)
        if request.verb in _WRITES and request.what not in _NOISE and request.group not in _REVIEWS
    )


def _all(log: Path, since: int) -> Iterator[Request]:
    with log.open("rb") as file:
        file.seek(since)
        for line in file:
            if line.endswith(b"\n"):  # the last one may still be incomplete
                yield _request(json.loads(line))


def _request(entry: dict[str, Any]) -> Request:
    target = entry.get("objectRef") or {}
    user = entry["user"]
    return Request(
        at=datetime.fromisoformat(entry["requestReceivedTimestamp"]),
        answered=datetime.fromisoformat(entry["stageTimestamp"]),
        verb=entry["verb"],
        what="/".join(
            part for part in (target.get("resource", ""), target.get("subresource", "")) if part
        ),
        namespace=target.get("namespace", ""),
        name=target.get("name", ""),
        user=user["username"],
        pod=(user.get("extra") or {}).get(_POD_NAME, [""])[0],
        code=(entry.get("responseStatus") or {}).get("code", 0),
        group=target.get("apiGroup", ""),
        agent=entry.get("userAgent", ""),
        decision=(entry.get("annotations") or {}).get(_DECISION, ""),
    )
