"""Reviews that are made to cost: each is as large as may be sent, or as strange as may be written.

All are built from a valid review by putting something into its object; sizes are those of the
largest body that is read, so nothing larger can come.
"""

import json
from collections.abc import Iterator
from typing import Any, Final

from door import pod, quota, review
from elasticquota_webhooks.incoming import LARGEST_BODY


ROOM: Final = LARGEST_BODY - 2048
"""Bytes that are left beside the rest of a review."""
_HERE: Final = '"HERE"'


def bodies() -> Iterator[tuple[str, str, bytes]]:
    """What it is, the path to send it to, and the body."""
    for path, manifest in (
        ("/mutate/pod", pod("a")),
        ("/validate/elasticquota", quota("a")),
    ):
        for name, text in _texts().items():
            for place in ("label", "annotations", "spec", "object", "extra"):
                yield f"{name} as {place}", path, _with(manifest, place, text)
    yield from _of_pods()
    yield from _of_quotas()


def _texts() -> dict[str, bytes]:
    """JSON values."""
    pairs = 100_000
    return {
        "nested lists": b"[" * (ROOM // 2) + b"]" * (ROOM // 2),
        "open lists": b"[" * ROOM,
        "nested maps": b'{"a":' * 900 + b"1" + b"}" * 900,
        "many shallow nests": b"[" + b",".join([b"[" * 100 + b"]" * 100] * (ROOM // 201)) + b"]",
        "empty lists": b"[" + b"[]," * (ROOM // 3 - 1) + b"[]]",
        "empty maps": b"[" + b"{}," * (ROOM // 3 - 1) + b"{}]",
        "one long text": b'"' + b"x" * ROOM + b'"',
        "a text of escapes": b'"' + b"\\u0041" * (ROOM // 6) + b'"',
        "a text of two bytes each": b'"' + "\u00e9".encode() * (ROOM // 2) + b'"',
        "no UTF-8": b'"' + b"\xff" * ROOM + b'"',
        "a giant number": b"9" * ROOM,
        "a giant fraction": b"0." + b"9" * ROOM,
        "a giant exponent": b"1e" + b"9" * ROOM,
        "many numbers": b"[" + b"1," * (ROOM // 2 - 1) + b"1]",
        "many fractions": b"[" + b"1.7e301," * (ROOM // 8 - 1) + b"1]",
        "a map of many": b"{" + b",".join(b'"k%d":"v"' % n for n in range(pairs)) + b"}",
        "a full map": b"{" + b",".join(b'"%x":""' % n for n in range(ROOM // 11)) + b"}",
        "one key again and again": b"{" + b'"a":"b",' * (ROOM // 8 - 1) + b'"a":"b"}',
        "spaces": b"[" + b" " * ROOM + b"]",
    }


def _with(manifest: dict[str, Any], place: str, text: bytes) -> bytes:
    made = json.loads(json.dumps(manifest))
    extra: dict[str, Any] = {}
    match place:
        case "label":
            made["metadata"]["labels"] = {"a": "HERE"}
        case "annotations" | "labels":
            made["metadata"][place] = "HERE"
        case "object" | "extra":
            extra = {place: "HERE"}
        case _:
            made[place] = "HERE"
    whole = json.dumps(review(made, **extra)).encode()
    assert whole.count(_HERE.encode()) == 1
    return whole.replace(_HERE.encode(), text)


def _of_pods() -> Iterator[tuple[str, str, bytes]]:
    """Pods in which what we read is what there is much of."""
    amount = {"resources": {"requests": {"cpu": "1"}}}
    terms = [{"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}]
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    spec: dict[str, dict[str, Any]] = {
        "containers": {"containers": [amount] * (ROOM // 43)},
        "empty containers": {"containers": [{}] * (ROOM // 4)},
        "init containers": {"initContainers": [amount] * (ROOM // 43)},
        "requests": {"containers": [_requests(n, 1000) for n in range(ROOM // 20_000)]},
        "one container's requests": {"containers": [_requests(0, ROOM // 20)]},
        "gates": {"schedulingGates": [{"name": f"{n}"} for n in range(ROOM // 21)]},
        "terms": {
            "affinity": {"nodeAffinity": {required: {"nodeSelectorTerms": terms * (ROOM // 75)}}}
        },
        "values": {
            "affinity": {
                "nodeAffinity": {
                    required: {
                        "nodeSelectorTerms": [
                            {
                                "matchExpressions": [
                                    {
                                        "key": "a",
                                        "operator": "In",
                                        "values": [f"{n}" for n in range(ROOM // 12)],
                                    }
                                ]
                            }
                        ]
                    }
                }
            }
        },
    }
    for name, fields in spec.items():
        yield f"a pod of {name}", "/mutate/pod", _fitting(pod("a", **fields))
    owners = pod("a")
    owners["metadata"]["ownerReferences"] = [{"kind": "Job"}] * (ROOM // 18)
    yield "a pod of owners", "/mutate/pod", _fitting(owners)
    states = pod("a")
    states["status"] = {"containerStatuses": [{"name": f"{n}"} for n in range(ROOM // 20)]}
    yield "a pod of states", "/mutate/pod", _fitting(states)


def _requests(seed: int, count: int) -> dict[str, Any]:
    return {"resources": {"requests": {f"a.b/{seed}-{n}": "1" for n in range(count)}}}


def _of_quotas() -> Iterator[tuple[str, str, bytes]]:
    """Quotas in which what we read is what there is much of."""
    many = {f"example.com/{n}": "1" for n in range(10_000)}
    full = {f"a.b/{n}": "1" for n in range(ROOM // 20)}
    names = json.dumps([f"n{n}" for n in range(200_000)])
    prefix = "quota.scheduling.koordinator.sh/"
    for name, made in {
        "10,000 resources": quota("a", many, many),
        "as many resources as fit": quota("a", {}, full),
        "as many amounts of min as fit": quota("a", full, {}),
        "strange names": quota("a", {f"\u0000{n}": "1" for n in range(ROOM // 24)}, {}),
        "long amounts": quota("a", {"cpu": "9" * ROOM}, {}),
        "deep amounts": quota("a", {"cpu": [[[{}]]] * (ROOM // 12)}, {}),
        "weights": quota("a", annotations={f"{prefix}shared-weight": json.dumps(many)}),
        "namespaces": quota("a", annotations={f"{prefix}namespaces": names}),
        "a huge annotation": quota("a", annotations={"note": "x" * (3 * 1024 * 1024)}),
    }.items():
        yield f"a quota of {name}", "/validate/elasticquota", _fitting(made)
        yield f"a quota of {name}, new", "/mutate/elasticquota", _fitting(made)


def _fitting(manifest: dict[str, Any]) -> bytes:
    body = json.dumps(review(manifest), separators=(",", ":")).encode()
    assert len(body) <= LARGEST_BODY, f"{len(body)} bytes"
    return body
