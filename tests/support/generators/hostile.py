"""Reviews that are made to be expensive: as large as allowed, and with as much to decode as
allowed.

Each is a valid review with extra content in its object. ``WHOLE`` fills the largest body that is
read; the others stay just within the limits of an object, so that all of it is decoded.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from elasticquota.wire.admission.review import LARGEST_OBJECT, MOST_FREE_PARTS, MOST_PARTS
from elasticquota_webhooks.server.incoming import LARGEST_BODY
from webhook_fixture import pod, quota, review


_BESIDE: Final = 4096
"""Bytes that are left for the rest of a review."""
_HERE: Final = b'"HERE"'
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFIX: Final = "quota.scheduling.koordinator.sh"


@dataclass(frozen=True)
class SizeLimits:
    """Bytes and parts that a hostile value may have."""

    size: int
    parts: int

    def times(self, width: int, namespace_labels: int) -> int:
        """How many values of so many bytes and parts fit."""
        return min(self.size // width, self.parts // namespace_labels) - 8


WHOLE: Final = SizeLimits(LARGEST_BODY - _BESIDE, LARGEST_BODY)
DECODED: Final = SizeLimits(LARGEST_OBJECT - _BESIDE, MOST_PARTS - 64)
DECODED_FREELY: Final = SizeLimits(LARGEST_OBJECT - _BESIDE, MOST_FREE_PARTS - 64)
UNWEIGHED: Final = SizeLimits(14 * 1024, LARGEST_BODY)
ROOMS: Final = {
    "whole": WHOLE,
    "decoded": DECODED,
    "decoded freely": DECODED_FREELY,
    "unweighed": UNWEIGHED,
}


def bodies(room: SizeLimits) -> Iterator[tuple[str, str, bytes]]:
    """Name, path and body of each review."""
    for name, text in _texts(room).items():
        for place in ("label", "object", "extra"):
            yield f"{name} as {place}", "/mutate/pod", _with(pod("a"), place, text)
        for place in ("annotations", "spec"):
            yield f"{name} as {place}", "/validate/elasticquota", _with(quota("a"), place, text)
    if room is WHOLE:
        return  # content that is not decoded does not matter
    for name, document in _of_pods(room).items():
        yield f"a pod of {name}", "/mutate/pod", _packed(document)
    for name, document in _of_quotas(room).items():
        yield f"a quota of {name}", "/validate/elasticquota", _packed(document)
        yield f"a new quota of {name}", "/mutate/elasticquota", _packed(document)


def _texts(room: SizeLimits) -> dict[str, bytes]:
    """JSON, valid or nearly."""
    full = room.size

    def items(text: bytes, namespace_labels: int) -> bytes:
        return b",".join([text] * room.times(len(text) + 1, namespace_labels))

    return {
        "nested lists": b"[" * (full // 2) + b"]" * (full // 2),
        "open lists": b"[" * full,
        "nested maps": b'{"a":' * 900 + b"1" + b"}" * 900,
        "shallow nests": b"[" + items(b"[" * 100 + b"]" * 100, 100) + b"]",
        "empty lists": b"[" + items(b"[]", 1) + b"]",
        "empty maps": b"[" + items(b"{}", 1) + b"]",
        "one long text": b'"' + b"x" * full + b'"',
        "a text of escapes": b'"' + b"\\u0041" * (full // 6) + b'"',
        "a wide text": b'"' + "\u00e9".encode() * (full // 2) + b'"',
        "a long text with one wide letter": b'"' + b"x" * (full - 8) + "\U0001f4a3".encode() + b'"',
        "no UTF-8": b'"' + b"\xff" * full + b'"',
        "a giant number": b"9" * full,
        "a giant fraction": b"0." + b"9" * (full - 2),
        "a giant exponent": b"1e" + b"9" * (full - 2),
        "many numbers": b"[" + items(b"1", 1) + b"]",
        "many fractions": b"[" + items(b"1.7e301", 1) + b"]",
        "a full map": b"{" + b",".join(b'"%x":""' % n for n in range(room.times(12, 2))) + b"}",
        "one key again and again": b"{" + items(b'"a":"b"', 2) + b"}",
        "spaces": b"[" + b" " * full + b"]",
    }


def _with(manifest: dict[str, Any], place: str, text: bytes) -> bytes:
    made = json.loads(json.dumps(manifest))
    extra: dict[str, Any] = {}
    match place:
        case "label":
            made["metadata"]["labels"] = {"a": "HERE"}
        case "annotations":
            made["metadata"][place] = "HERE"
        case "object" | "extra":
            extra = {place: "HERE"}
        case _:
            made[place] = "HERE"
    return json.dumps(review(made, **extra)).encode().replace(_HERE, text)


def _of_pods(room: SizeLimits) -> dict[str, dict[str, Any]]:
    """Pods with much content in fields that we read."""
    amount = {"resources": {"requests": {"cpu": "1"}}}
    resized = {"name": "a", **amount}
    term = {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}
    values = {"key": "a", "operator": "In", "values": [f"{n}" for n in range(room.times(12, 1))]}
    wide = {"resources": {"requests": {f"a.b/{n}": "1" for n in range(room.times(20, 2))}}}
    made = {
        "containers": pod("a", containers=[amount] * room.times(48, 8)),
        "empty containers": pod("a", containers=[{}] * room.times(4, 1)),
        "init containers": pod("a", initContainers=[amount] * room.times(48, 8)),
        "wide requests": pod("a", containers=[wide]),
        "gates": pod("a", schedulingGates=[{"name": f"{n}"} for n in range(room.times(22, 3))]),
        "terms": pod("a", affinity=_affinity([term] * room.times(80, 9))),
        "values": pod("a", affinity=_affinity([{"matchExpressions": [values]}])),
        "owners": pod("a"),
        "states": pod("a", containers=[resized] * room.times(120, 20)),
    }
    made["owners"]["metadata"]["ownerReferences"] = [{"kind": "Job"}] * room.times(20, 3)
    made["states"]["status"]["containerStatuses"] = [resized] * room.times(120, 20)
    return made


def _affinity(terms: list[Any]) -> dict[str, Any]:
    return {"nodeAffinity": {_REQUIRED: {"nodeSelectorTerms": terms}}}


def _of_quotas(room: SizeLimits) -> dict[str, dict[str, Any]]:
    """Quotas with much content in fields that we read."""
    many = {f"a.b/{n}": "1" for n in range(room.times(20, 4))}
    few = dict(list(many.items())[: len(many) // 2])
    names = json.dumps([f"n{n}" for n in range(room.times(14, 2))])
    return {
        "resources": quota("a", few, few),
        "amounts of min alone": quota("a", many, {}),
        "strange names": quota("a", {f"\0{n}": "1" for n in range(room.times(26, 2))}, {}),
        "long amounts": quota("a", {"cpu": "9" * room.size}, {}),
        "deep amounts": quota("a", {"cpu": [[[{}]]] * room.times(11, 4)}, {}),
        "weights": quota("a", annotations={f"{_PREFIX}/shared-weight": json.dumps(few)}),
        "namespaces": quota("a", annotations={f"{_PREFIX}/namespaces": names}),
        "one annotation": quota("a", annotations={"note": "x" * room.size}),
    }


def _packed(manifest: dict[str, Any]) -> bytes:
    body = json.dumps(review(manifest), separators=(",", ":")).encode()
    assert len(body) <= LARGEST_BODY, f"{len(body)} bytes"
    return body
