"""AdmissionReview (admission.k8s.io/v1): the question as the API server puts it, and the answer.

The object under review stays undecoded until somebody knows its kind, and is weighed before it is
decoded: to skip bytes costs next to nothing, to make a value of each part of them does. Unknown
fields are ignored, so newer API servers are understood too.
"""

import contextlib
from collections.abc import Callable
from typing import Any, Final, Literal, TypeVar

import msgspec

from elasticquota.wire.codec import shallow
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota.wire.integrations import queue_maps
from elasticquota.wire.kubernetes import pods


API_VERSION: Final = "admission.k8s.io/v1"
KIND: Final = "AdmissionReview"

LARGEST_OBJECT: Final = 2 * 1024 * 1024
"""Bytes; what is larger than 1.5 MiB cannot be stored by default."""
MOST_PARTS: Final = 20_000
"""Fields, lists and texts in lists of one pod; a container has about thirty."""
MOST_FREE_PARTS: Final = 4_000
"""Values of any other object, of which all are made: some numbers take microseconds each."""
_MOST_NESTS: Final = 100_000
_MOST_VALUES: Final = 1_000_000
"""Of a whole review: to get past them costs a little for each."""
_MOST_LEVELS: Final = 1_000
"""Of what is to be stored: others who read it have decoders that can do no more."""
_LIGHT: Final = 16 * 1024
_PODS: Final = "pods"
_MARKS: Final = (b'":', b'",', b"{", b"[")
_FREE_MARKS: Final = (b",", b"{", b"[")

T = TypeVar("T")
C = TypeVar("C", bytes | bytearray, msgspec.Raw)


class ReviewError(ValueError):
    """No review, or not the kind of object that was expected: one sentence that names the place."""


class User(msgspec.Struct, gc=False):
    username: str = ""
    groups: list[str] | None = None


class ResourceName(msgspec.Struct, gc=False):
    group: str = ""
    version: str = ""
    resource: str = ""


class Request(msgspec.Struct, rename="camel"):
    """What somebody wants to do to one object; ``old_object`` is null for a creation."""

    uid: str
    operation: Literal["CREATE", "UPDATE", "DELETE", "CONNECT"]
    resource: ResourceName = msgspec.field(default_factory=ResourceName)
    sub_resource: str = ""
    namespace: str = ""
    name: str = ""
    user_info: User = msgspec.field(default_factory=User)
    object: msgspec.Raw = msgspec.field(default_factory=lambda: msgspec.Raw(b"null"))
    old_object: msgspec.Raw = msgspec.field(default_factory=lambda: msgspec.Raw(b"null"))
    dry_run: bool | None = None


class _Question(msgspec.Struct, rename="camel"):
    api_version: str
    kind: str
    request: Request


class Cause(msgspec.Struct, omit_defaults=True):
    """One fault of one field, as ``metav1.StatusCause``."""

    reason: str
    message: str
    field: str = ""


class Details(msgspec.Struct, rename="camel", omit_defaults=True):
    name: str = ""
    group: str = ""
    kind: str = ""
    causes: list[Cause] = []
    retry_after_seconds: int = 0


class Status(msgspec.Struct, omit_defaults=True):
    """Why a request is refused, as ``metav1.Status``."""

    code: int = 0
    reason: str = ""
    message: str = ""
    details: Details | None = None


Operation = dict[str, Any]
"""One operation of a JSON patch."""


class Response(msgspec.Struct):
    """The answer to one request."""

    uid: str
    allowed: bool
    status: Status | None = None
    patch: list[Operation] = []
    warnings: list[str] = []
    rules: list[str] = []
    """Codes of the broken rules, for those who count them; not sent."""


class AnyObject(msgspec.Struct, gc=False):
    """Any object of which only the metadata matters, whatever the rest looks like."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)


class _PodMeta(ObjectMeta, rename="camel", gc=False):
    generate_name: str = ""


class NewPod(pods.PodManifest, gc=False):
    """A pod that may not have its name yet, but has a spec."""

    metadata: _PodMeta = msgspec.field(default_factory=_PodMeta)
    spec: pods.PodSpec = msgspec.field(default_factory=pods.PodSpec)


_QUESTION: Final = msgspec.json.Decoder(_Question)
_ENCODER: Final = msgspec.json.Encoder()


def decode(body: bytes | bytearray) -> Request:
    """The request in a review; raises `ReviewError`."""
    if len(body) > _LIGHT and (
        body.count(b"[") + body.count(b"{") > _MOST_NESTS or body.count(b",") > _MOST_VALUES
    ):
        raise ReviewError("the body cannot be read: it has more parts than any object has")
    question = _question(body)
    if (question.api_version, question.kind) != (API_VERSION, KIND):
        raise ReviewError(f"the body must be an {KIND} of {API_VERSION}")
    if not question.request.uid:
        raise ReviewError("the body must have a request.uid")
    return question.request


def _question(body: bytes | bytearray) -> _Question:
    """The review; of one that is too deep the upper levels, where that is enough.

    It is for pods, which would start as if there were no webhook if they had no answer, and by
    their ``metadata.managedFields`` anybody's may be deep; and for what is to go.
    """
    try:
        question = _read(_QUESTION.decode, body, "the body")
    except RecursionError:
        question = None
    if question is not None and not _is_deep(question.request.object):
        return question
    with contextlib.suppress(msgspec.MsgspecError):
        question = question or _QUESTION.decode(shallow.shallow(bytes(body)))
        if question.request.resource.resource == _PODS or question.request.operation == "DELETE":
            return question
    raise ReviewError("the body is nested too deeply")


def _is_deep(content: msgspec.Raw) -> bool:
    text = bytes(content)
    opened = text.count(b"{") + text.count(b"[")
    return opened > _MOST_LEVELS and len(shallow.shallow(text, _MOST_LEVELS)) < len(text)


def subject(content: msgspec.Raw, kind: type[T], where: str) -> T:
    """The object under review as ``kind``; raises `ReviewError` that names ``where``."""
    if len(memoryview(content)) > LARGEST_OBJECT:
        raise ReviewError(f"{where} must not be larger than {LARGEST_OBJECT} bytes of JSON")
    # Texts are made at once, whatever marks they hold.
    if len(memoryview(content)) > _LIGHT and kind is not queue_maps.StoredConfigMap:
        _weigh(content, where, typed=kind in (pods.PodManifest, NewPod))
    decoder = msgspec.json.Decoder(kind).decode
    return _read(lambda text: shallow.decode(decoder, text), content, where)


def encode(response: Response) -> bytes:
    """The review that answers."""
    answer: dict[str, Any] = {"uid": response.uid, "allowed": response.allowed}
    if response.status is not None:
        answer["status"] = response.status
    if response.patch:
        # msgspec writes bytes as base64, which is how the API wants a patch.
        answer |= {"patchType": "JSONPatch", "patch": _ENCODER.encode(response.patch)}
    if response.warnings:
        answer["warnings"] = response.warnings
    return _ENCODER.encode({"apiVersion": API_VERSION, "kind": KIND, "response": answer})


def _weigh(content: msgspec.Raw, where: str, *, typed: bool) -> None:
    """Refuse what nobody writes in earnest. Marks inside of texts count too, which harms nobody."""
    text = bytes(content)
    marks, most = (_MARKS, MOST_PARTS) if typed else (_FREE_MARKS, MOST_FREE_PARTS)
    if sum(map(text.count, marks)) > most:
        raise ReviewError(f"{where} must not have more than {most} fields and list entries")


def _read(decoder: Callable[[C], T], content: C, where: str) -> T:
    try:
        return decoder(content)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ReviewError(f"{where} cannot be read: {error}") from None
