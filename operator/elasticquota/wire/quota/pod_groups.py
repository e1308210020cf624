"""Groups of other systems as documents, for files that show what a controller saw.

With them the reader of such a file has the groups, without their labels and objects. A group is an
annotation of its pod; an object that states a size, and a kind of such objects that is followed,
are documents. No cluster stores them, and no controller reads them.
"""

from typing import Any, Final

import msgspec

from elasticquota.model.group import Group, GroupObject
from elasticquota.model.key import Key
from elasticquota.model.unread import Unread
from elasticquota.wire.codec.metadata import ObjectMeta


API: Final = "explain.elasticquota.dev/v1"
SIZE: Final = "PodGroupSize"
FOLLOWED: Final = "PodGroupKind"
UNREAD: Final = "UnreadDefinition"
ANNOTATION: Final = "explain.elasticquota.dev/group"


class Spec(msgspec.Struct, rename="camel", gc=False):
    """What an object states."""

    size: int = 0
    one_by_one: bool = False
    together: list[tuple[str, str]] = []
    fault: str = ""
    whole: bool = False


class UnreadSpec(msgspec.Struct, gc=False):
    """How a kind is served that is not read."""

    definition: str = ""
    served: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    adapter: str = ""


class UnreadManifest(msgspec.Struct, gc=False):
    """The document of a kind that is served in no version that is read."""

    spec: UnreadSpec = msgspec.field(default_factory=UnreadSpec)


class Manifest(msgspec.Struct, gc=False):
    """The document of one object; of a kind that is followed only the name counts."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: Spec = msgspec.field(default_factory=Spec)


def text(found: Group) -> str:
    """Return the annotation of a pod in this group."""
    return msgspec.json.encode(found).decode()


def group(written: str) -> Group | None:
    """Return the group of an annotation; None: it cannot be read."""
    try:
        return msgspec.json.decode(written, type=Group)
    except (msgspec.MsgspecError, RecursionError):
        return None


def manifest(found: GroupObject) -> dict[str, Any]:
    """Return the document of an object that states a size."""
    return {
        "apiVersion": API,
        "kind": SIZE,
        "metadata": {"namespace": found.key.namespace, "name": found.key.name},
        "spec": {
            "size": found.size,
            "oneByOne": found.one_by_one,
            "together": [list(each) for each in found.together],
            "fault": found.fault,
            "whole": found.whole,
        },
    }


def followed(kind: str) -> dict[str, Any]:
    """Return the document of a kind all of whose objects are known."""
    # A namespace is given, because all readers expect one.
    metadata = {"namespace": "default", "name": kind}
    return {"apiVersion": API, "kind": FOLLOWED, "metadata": metadata}


def unread(found: Unread) -> dict[str, Any]:
    """Return the document of a kind that is served in no version that is read."""
    metadata = {"namespace": "default", "name": f"{found.adapter or 'kind'}.{found.definition}"}
    spec = {
        "definition": found.definition,
        "served": list(found.served),
        "read": list(found.read),
        "adapter": found.adapter,
    }
    return {"apiVersion": API, "kind": UNREAD, "metadata": metadata, "spec": spec}


def read_unread(document: UnreadManifest) -> Unread:
    """Return the kind of a document."""
    spec = document.spec
    return Unread(spec.definition, spec.served, spec.read, spec.adapter)


def read(document: Manifest) -> GroupObject:
    """Return the object of a document."""
    spec = document.spec
    together = tuple(Key(*each) for each in spec.together)
    return GroupObject(
        document.metadata.key, spec.size, spec.one_by_one, together, spec.fault, spec.whole
    )
