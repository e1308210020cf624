"""AdmissionReview (admission.k8s.io/v1): the question as the API server puts it, and the answer.

The object under review stays undecoded until somebody knows its kind. Unknown fields are ignored,
so newer API servers are understood too.
"""

from collections.abc import Callable
from typing import Any, Final, Literal, TypeVar

import msgspec

from elasticquota.wire import node_affinity
from elasticquota.wire.metadata import ObjectMeta


API_VERSION: Final = "admission.k8s.io/v1"
KIND: Final = "AdmissionReview"

T = TypeVar("T")
C = TypeVar("C", bytes, msgspec.Raw)


class ReviewError(ValueError):
    """No review, or not the kind of object that was expected: one sentence that names the place."""


class User(msgspec.Struct, gc=False):
    username: str = ""


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


class _PodSpec(msgspec.Struct, gc=False):
    affinity: node_affinity.Affinity | None = None


class _PodMeta(ObjectMeta, rename="camel", gc=False):
    generate_name: str = ""


class NewPod(msgspec.Struct, gc=False):
    """What a review needs to know of a pod beside what quotas need."""

    metadata: _PodMeta = msgspec.field(default_factory=_PodMeta)
    spec: _PodSpec = msgspec.field(default_factory=_PodSpec)


_QUESTION: Final = msgspec.json.Decoder(_Question)
_ENCODER: Final = msgspec.json.Encoder()


def decode(body: bytes) -> Request:
    """The request in a review; raises `ReviewError`."""
    question = _read(_QUESTION.decode, body, "the body")
    if (question.api_version, question.kind) != (API_VERSION, KIND):
        raise ReviewError(f"the body must be an {KIND} of {API_VERSION}")
    if not question.request.uid:
        raise ReviewError("the body must have a request.uid")
    return question.request


def subject(content: msgspec.Raw, kind: type[T], where: str) -> T:
    """The object under review as ``kind``; raises `ReviewError` that names ``where``."""
    return _read(lambda text: msgspec.json.decode(text, type=kind), content, where)


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


def _read(decoder: Callable[[C], T], content: C, where: str) -> T:
    try:
        return decoder(content)
    except RecursionError:
        raise ReviewError(f"{where} is nested too deeply") from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ReviewError(f"{where} cannot be read: {error}") from None
