"""ObjectMeta: the fields of it that we read, for every kind."""

from typing import Any, Final

import msgspec

from elasticquota.model import moments
from elasticquota.model.key import Key
from elasticquota.wire.codec import shallow


_NOTHING: Final = msgspec.Raw(b"null")
_ANY: Final = msgspec.json.Decoder()


class OwnerReference(msgspec.Struct, rename="camel", gc=False):
    kind: str = ""
    name: str = ""
    controller: bool | None = None


class ObjectMeta(msgspec.Struct, rename="camel", gc=False):
    """Names keep the API's meaning; null maps read as None."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    creation_timestamp: str | None = ""
    deletion_timestamp: str | None = None
    deletion_grace_period_seconds: int | None = None
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None
    owner_references: list[OwnerReference] | None = None

    @property
    def key(self) -> Key:
        return Key(self.namespace, self.name)

    @property
    def created(self) -> str:
        return self.creation_timestamp or ""

    @property
    def deleting(self) -> bool:
        return self.deletion_timestamp is not None

    @property
    def gone_after(self) -> int | None:
        """When the grace that follows the deletion timestamp is over (K 2.2), epoch milliseconds.

        The timestamp contains the grace already: a node has as long again to be late.
        """
        if self.deletion_timestamp is None:
            return None
        deleted = moments.read(self.deletion_timestamp)
        if deleted is None:
            return None
        return deleted + (self.deletion_grace_period_seconds or 0) * 1000

    @property
    def ends_at(self) -> int | None:
        """The deletion timestamp, when the grace that was asked for ends, epoch milliseconds."""
        return moments.read(self.deletion_timestamp or "")

    def label(self, key: str, default: str = "") -> str:
        return (self.labels or {}).get(key, default)

    def annotation(self, key: str, default: str = "") -> str:
        return (self.annotations or {}).get(key, default)


class SpecManifest(msgspec.Struct, gc=False):
    """An object of a kind whose stored ``spec`` may have any shape."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: Any = None


class StatusManifest(SpecManifest, gc=False):
    """The same with its ``status``, for whoever writes that."""

    status: Any = None


class ClosedManifest(msgspec.Struct, gc=False):
    """The same as text, for whoever asks first whether it says anything new."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: msgspec.Raw = _NOTHING
    status: msgspec.Raw = _NOTHING

    @property
    def opened(self) -> SpecManifest:
        """With its ``spec`` decoded."""
        return SpecManifest(self.metadata, shallow.decode(_ANY.decode, self.spec))

    @property
    def opened_status(self) -> Any:
        """Its ``status``, decoded."""
        return shallow.decode(_ANY.decode, self.status)
