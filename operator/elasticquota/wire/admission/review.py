"""AdmissionReview (admission.k8s.io/v1): the request of the API server, and our response.

The object under review stays undecoded until its kind is known. Its size is checked before it is
decoded: skipping bytes costs almost nothing, but decoding creates a value for each part. Unknown
fields are ignored, so reviews of newer API servers can be read, too.
"""

from collections.abc import Callable
from typing import Any, Final, Literal, TypeVar

import msgspec

from elasticquota import names
from elasticquota.wire.codec import shallow
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota.wire.integrations import queue_maps
from elasticquota.wire.kubernetes import pods


API_VERSION: Final = "admission.k8s.io/v1"
KIND: Final = "AdmissionReview"

LARGEST_OBJECT: Final = 2 * 1024 * 1024
"""Bytes; by default the API server cannot store objects larger than 1.5 MiB."""
MOST_PARTS: Final = 20_000
"""Fields, lists and list texts in one pod; a container has about thirty."""
MOST_FREE_PARTS: Final = 4_000
"""Values in any other object; all are decoded, and some numbers take microseconds each."""
_MOST_NESTS: Final = 100_000
_MOST_VALUES: Final = 1_000_000
"""Of a whole review: skipping a value costs a little, too."""
_MOST_LEVELS: Final = 500
"""Of an object that will be stored; other clients read about a thousand, as does Python 3.11."""
_ABOVE: Final = 2
"""Levels of the review above the object."""
_TOO_DEEP: Final = "the body is nested too deeply"
_LIGHT: Final = 16 * 1024
_PODS: Final = "pods"
_MARKS: Final = (b'":', b'",', b"{", b"[")
_FREE_MARKS: Final = (b",", b"{", b"[")

T = TypeVar("T")
C = TypeVar("C", bytes | bytearray, msgspec.Raw)


class ReviewError(ValueError):
    """The body is no review, or the object not of the expected kind; the message says where."""


class UserInfo(msgspec.Struct, gc=False):
    """``userInfo`` of a request."""

    username: str = ""
    groups: list[str] | None = None
    uid: str = ""
    extra: dict[str, list[str]] | None = None


class ResourceName(msgspec.Struct, gc=False):
    """Group, version and plural name of a resource."""

    group: str = ""
    version: str = ""
    resource: str = ""


class AdmissionRequest(msgspec.Struct, rename="camel"):
    """The requested change of one object; ``old_object`` is null for a creation."""

    uid: str
    operation: Literal["CREATE", "UPDATE", "DELETE", "CONNECT"]
    resource: ResourceName = msgspec.field(default_factory=ResourceName)
    sub_resource: str = ""
    namespace: str = ""
    name: str = ""
    user_info: UserInfo = msgspec.field(default_factory=UserInfo)
    object: msgspec.Raw = msgspec.field(default_factory=lambda: msgspec.Raw(b"null"))
    old_object: msgspec.Raw = msgspec.field(default_factory=lambda: msgspec.Raw(b"null"))
    dry_run: bool | None = None

    @property
    def size(self) -> int:
        """Bytes of JSON of the object after the change."""
        return len(memoryview(self.object))

    @property
    def old_size(self) -> int:
        """Bytes of JSON of the object before."""
        return len(memoryview(self.old_object))

    @property
    def is_write(self) -> bool:
        """Whether it creates or edits the object itself, not a subresource of it."""
        return self.operation in ("CREATE", "UPDATE") and not self.sub_resource


class _Question(msgspec.Struct, rename="camel"):
    api_version: str
    kind: str
    request: AdmissionRequest


class ReviewCause(msgspec.Struct, omit_defaults=True):
    """One fault of one field, as ``metav1.StatusCause``."""

    reason: str
    message: str
    field: str = ""


class Details(msgspec.Struct, rename="camel", omit_defaults=True):
    """Details of a refusal, as ``metav1.StatusDetails``."""

    name: str = ""
    group: str = ""
    kind: str = ""
    causes: list[ReviewCause] = []
    retry_after_seconds: int = 0


class ReviewStatus(msgspec.Struct, omit_defaults=True):
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
    status: ReviewStatus | None = None
    patch: list[Operation] = []
    warnings: list[str] = []
    rules: list[str] = []
    """Codes of the broken rules, for the metrics; not sent."""


class AnyObject(msgspec.Struct, gc=False):
    """Any object of which only the metadata is read."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)


def is_evicted_last(manifest: AnyObject) -> bool | None:
    """Whether pods of a PriorityClass are evicted last; None if it says nothing (Y22)."""
    return manifest.metadata.annotation(names.ALLOW_PREEMPTION) == "false" or None


class _PodMeta(ObjectMeta, rename="camel", gc=False):
    generate_name: str = ""


class _NewPodSpec(pods.PodSpec, rename="camel", gc=False):
    priority_class_name: str = ""


class NewPod(pods.PodManifest, gc=False):
    """A pod with a spec that may not have its name yet."""

    metadata: _PodMeta = msgspec.field(default_factory=_PodMeta)
    spec: _NewPodSpec = msgspec.field(default_factory=_NewPodSpec)


_QUESTION: Final = msgspec.json.Decoder(_Question)
_ENCODER: Final = msgspec.json.Encoder()


def decode(body: bytes | bytearray) -> AdmissionRequest:
    """Return the request in a review; raises `ReviewError`."""
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
    """The review; of an object that is nested too deeply, only the upper levels.

    Without an answer a pod would start as if there were no webhook, and any user can write a deep
    ``metadata.managedFields``; so pods and deletions are answered, and anything else whose object
    is too deep is refused. The levels are counted here, because how many a decoder can read
    depends on the version of Python.
    """
    whole = bytes(body)
    opened = whole.count(b"{") + whole.count(b"[")
    # One more level than an object may have, which tells those that have more.
    upper = shallow.shallow(whole, _ABOVE + _MOST_LEVELS + 1) if opened > _MOST_LEVELS else whole
    try:
        question = _QUESTION.decode(upper)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        if upper != whole:
            raise ReviewError(_TOO_DEEP) from None
        raise ReviewError(f"the body cannot be read: {error}") from None
    request = question.request
    if request.resource.resource == _PODS or request.operation == "DELETE":
        return question
    if shallow.is_deep(bytes(request.object), _MOST_LEVELS):
        raise ReviewError(_TOO_DEEP)
    return question


def subject(content: msgspec.Raw, kind: type[T], where: str) -> T:
    """Return the object under review as ``kind``; raises a `ReviewError` that names ``where``."""
    if len(memoryview(content)) > LARGEST_OBJECT:
        raise ReviewError(f"{where} must not be larger than {LARGEST_OBJECT} bytes of JSON")
    # The values of a ConfigMap are texts: each is decoded in one step, whatever marks it holds.
    if len(memoryview(content)) > _LIGHT and kind is not queue_maps.StoredConfigMap:
        _weigh(content, where, typed=kind in (pods.PodManifest, NewPod))
    decoder = msgspec.json.Decoder(kind).decode
    return _read(lambda text: shallow.decode(decoder, text), content, where)


def present(content: msgspec.Raw, kind: type[T], where: str) -> T | None:
    """Return the object as ``subject`` does, or None where the review has null."""
    return None if bytes(content) == b"null" else subject(content, kind, where)


def encode(response: Response) -> bytes:
    """Return the review with the response, as JSON."""
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
    """Refuse more parts than a real object has. Marks inside texts count, too, without harm."""
    text = bytes(content)
    marks, most = (_MARKS, MOST_PARTS) if typed else (_FREE_MARKS, MOST_FREE_PARTS)
    if sum(map(text.count, marks)) > most:
        raise ReviewError(f"{where} must not have more than {most} fields and list entries")


def _read(decoder: Callable[[C], T], content: C, where: str) -> T:
    try:
        return decoder(content)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ReviewError(f"{where} cannot be read: {error}") from None
