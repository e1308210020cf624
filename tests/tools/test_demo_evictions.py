"""The demo reads evictions from an audit log: granted ones, and ones whose answer was lost."""

import json
from pathlib import Path

from demo import evictions
from demo.evictions import Eviction


def line(pod: str, *, code: int = 201, namespace: str = "team-a", what: str = "eviction") -> bytes:
    """A shortened audit line as the API server writes it."""
    entry = {
        "verb": "create",
        "user": {"username": evictions.CONTROLLER},
        "objectRef": {
            "resource": "pods",
            "namespace": namespace,
            "name": pod,
            "subresource": what,
        },
        "responseStatus": {"code": code},
    }
    return json.dumps(entry, separators=(",", ":")).encode() + b"\n"


def test_granted_evictions_of_the_namespace_count() -> None:
    lines = [line("a"), line("b", namespace="team-b"), line("c", what="binding"), line("d")]
    assert list(evictions.not_refused(lines, "team-a")) == [
        Eviction("a", evictions.CONTROLLER),
        Eviction("d", evictions.CONTROLLER),
    ]


def test_a_refused_eviction_does_not_count() -> None:
    lines = [line("a", code=429), line("b", code=404), line("c", code=403)]
    assert list(evictions.not_refused(lines, "team-a")) == []


def test_an_eviction_whose_caller_died_may_have_taken_effect() -> None:
    assert list(evictions.not_refused([line("a", code=504)], "team-a")) == [
        Eviction("a", evictions.CONTROLLER, answered=False)
    ]


def test_an_incomplete_last_line_is_skipped() -> None:
    assert list(evictions.not_refused([line("a")[:-1]], "team-a")) == []


def test_a_record_starts_at_its_creation(tmp_path: Path) -> None:
    log = tmp_path / "audit.log"
    log.write_bytes(line("before"))
    record = evictions.Record(log, "team-a")
    with log.open("ab") as more:
        more.write(line("after"))
    assert record.read() == [Eviction("after", evictions.CONTROLLER)]
