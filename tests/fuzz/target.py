"""Bytes -> one try of the wire: whatever comes, only the errors that are documented come back.

The first byte picks a door. Some doors get the rest as it is; the others get a document that is
built of it, with the field names that matter, because bytes that are changed blindly are hardly
ever JSON.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec

from byte_source import ByteReader, words
from elasticquota import names, quantity
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Condition, QuotaStatus
from elasticquota.model.fault import Fault
from elasticquota.model.quota import Quota
from elasticquota.status import quota_status
from elasticquota.wire.admission import patch, review
from elasticquota.wire.codec import amounts, fields, selectors
from elasticquota.wire.kubernetes import namespaces, nodes, pods
from elasticquota.wire.quota import profiles, quotas, statuses


LONGEST_FAULT: Final = 1000
LONGEST_MESSAGE: Final = 32768  # of a condition, says the schema
NOT_DECODED: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
READERS: Final[tuple[tuple[type[Any], Callable[[Any], Any]], ...]] = (
    (quotas.QuotaManifest, quotas.read),
    (profiles.ProfileManifest, profiles.read),
    (nodes.NodeManifest, nodes.read),
    (namespaces.NamespaceManifest, namespaces.read),
    (pods.PodManifest, pods.read),
)
EXAMPLES: Final[dict[str, Any]] = msgspec.json.decode(
    Path(__file__).with_name("examples.json").read_bytes()
)
WORDS: Final = words(*EXAMPLES.values())
SELECTOR: Final = EXAMPLES["profile"]["spec"]["nodeSelector"]


def manifest(kind: str, data: bytes) -> bytes:
    """An object with the metadata that the API server guarantees."""
    reader = ByteReader(data, WORDS)
    example = EXAMPLES[kind]
    meta = {
        **example["metadata"],
        "labels": fields.labels(reader.texts(), "", [], most=8),
        "annotations": example["metadata"]["annotations"] | reader.texts(),
    }
    rest = {part: reader.altered(value) for part, value in example.items() if part != "metadata"}
    return msgspec.json.encode({"metadata": meta, **rest})


def a_quantity(data: bytes) -> None:
    written = data.decode(errors="replace")
    for resource in (names.CPU, names.MEMORY, "example.com/x"):
        try:
            amount = quantity.amount(resource, written)
        except quantity.QuantityError as error:
            said([str(error)])
            continue
        assert type(amount) is int
        if abs(amount) < 2**62:  # a binary suffix ends at 2^63
            assert quantity.amount(resource, quantity.text(resource, amount)) == amount


def an_annotation(data: bytes) -> None:
    text = data.decode(errors="replace")
    faults: list[Fault] = []
    counted(amounts.read_json(text, "metadata.annotations[x]", faults, amounts.MOST))
    found = amounts.read_names(text, "metadata.annotations[x]", faults)
    assert all(map(fields.is_name, found or ()))
    said(map(str, faults))


def a_raw_object(data: bytes) -> None:
    for kind, read in READERS:
        try:
            found = msgspec.json.decode(data, type=kind)
        except NOT_DECODED:
            continue
        said(map(str, getattr(read(found), "faults", ())))


def a_quota(data: bytes) -> None:
    quota = quotas.read(msgspec.json.decode(manifest("quota", data), type=quotas.QuotaManifest))
    assert quota.key == ("b", "a")
    for found in (quota.min, quota.max, quota.shared_weight, quota.total):
        counted(found)
    assert len(quota.max) <= amounts.MOST
    said(map(str, quota.faults))
    ledger = Ledger()
    ledger.upsert_quota(quota)
    (status,) = quota_status.statuses(ledger, ledger.update(Accounting()))
    said([each.message for each in status.conditions], LONGEST_MESSAGE)
    assert status.conditions[0].status <= (not quota.faults)
    published(quota, status.conditions)


def a_profile(data: bytes) -> None:
    profile = profiles.read(
        msgspec.json.decode(manifest("profile", data), type=profiles.ProfileManifest)
    )
    assert profile.key == ("b", "a")
    assert 0 < profile.ratio.numerator <= profile.ratio.denominator
    assert len(profile.selector.requirements) <= 2 * selectors.MOST
    if any(fault.path.startswith("spec.nodeSelector") for fault in profile.faults):
        assert not profile.selector.matches({})
    said(map(str, profile.faults))


def a_node(data: bytes) -> None:
    node = nodes.read(msgspec.json.decode(manifest("node", data), type=nodes.NodeManifest))
    assert node.name == "a"
    counted(node.allocatable)


def a_pod(data: bytes) -> None:
    encoded = manifest("pod", data)
    try:
        pod = pods.read(msgspec.json.decode(encoded, type=pods.PodManifest))
        new = msgspec.json.decode(encoded, type=review.NewPod)
    except msgspec.ValidationError:
        return
    assert all(type(amount) is int and amount >= 0 for amount in pod.request.values())
    said(map(str, pod.faults))
    reader = ByteReader(data[::-1], WORDS)
    selector = selectors.read(reader.altered(SELECTOR), "spec.nodeSelector", [])
    operations = patch.labels(new.metadata.labels, reader.texts())
    operations += patch.gate(pod.gates)
    operations += patch.affinity(new.spec.node_selector, new.spec.affinity, selector)
    response = review.Response(
        "u", allowed=True, patch=operations, warnings=list(map(str, pod.faults))
    )
    assert review.encode(response)


def a_review(data: bytes) -> None:
    reader = ByteReader(data, WORDS)
    question = {
        "apiVersion": review.API_VERSION,
        "kind": review.KIND,
        "request": {
            "uid": "u",
            "operation": "CREATE",
            "object": reader.value(),
            "x": reader.value(),
        },
    }
    asked(data)
    asked(msgspec.json.encode(question))
    asked(msgspec.json.encode({**question, "request": reader.value()}))


def asked(body: bytes) -> None:
    with suppress(review.ReviewError):
        request = review.decode(body)
        for kind in (review.AnyObject, review.NewPod, pods.PodManifest, quotas.QuotaManifest):
            review.subject(request.object, kind, "the object")


def counted(found: Any) -> None:
    for resource, amount in (found or {}).items():
        assert fields.is_name(resource)
        assert type(amount) is int
        assert amount >= 0


def said(sentences: Iterable[str], longest: int = LONGEST_FAULT) -> None:
    for sentence in sentences:
        assert sentence.isprintable(), repr(sentence)
        assert 0 < len(sentence) <= longest, sentence


def published(quota: Quota, conditions: tuple[Condition, ...]) -> None:
    """The status of a quota that uses all it may use."""
    amount = quota.max
    status = QuotaStatus(
        quota.key, 1, "t", quota.parent, amount, amount, amount, amount, quota.min, quota.max,
        quota.shared_weight or {}, 0, 0, conditions,
    )  # fmt: skip
    assert msgspec.json.encode(statuses.quota_status(status))


DOORS: Final[tuple[Callable[[bytes], None], ...]] = (
    a_quantity,
    an_annotation,
    a_raw_object,
    a_quota,
    a_profile,
    a_node,
    a_pod,
    a_review,
)


def one(data: bytes) -> None:
    """One try; raises when something else than a documented error comes out."""
    if data:
        DOORS[data[0] % len(DOORS)](data[1:])
