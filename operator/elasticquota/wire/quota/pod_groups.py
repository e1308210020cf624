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
from elasticquota.wire.codec import metadata


API: Final = "explain.elasticquota.dev/v1"
SIZE: Final = "PodGroupSize"
FOLLOWED: Final = "PodGroupKind"
UNREAD: Final = "UnreadDefinition"
ANNOTATION: Final = "explain.elasticquota.dev/group"


class GroupSizeManifest(msgspec.Struct, gc=False):
    """The document of one object that states a size."""

    spec: GroupObject


class UnreadManifest(msgspec.Struct, gc=False):
    """The document of a kind that is served in no version that is read."""

    spec: Unread


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
    return _document(SIZE, *found.key, found)


def followed(kind: str) -> dict[str, Any]:
    """Return the document of a kind all of whose objects are known."""
    # A namespace is given, because all readers expect one.
    return _document(FOLLOWED, "default", kind)


def unread(found: Unread) -> dict[str, Any]:
    """Return the document of a kind that is served in no version that is read."""
    return _document(UNREAD, "default", f"{found.adapter or 'kind'}.{found.definition}", found)


def _document(kind: str, namespace: str, name: str, spec: Any = None) -> dict[str, Any]:
    return metadata.document(API, kind, Key(namespace, name), msgspec.to_builtins(spec or {}))
