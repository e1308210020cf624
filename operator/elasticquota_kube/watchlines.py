"""The lines of a watch: how bytes become events, and which bytes hold the object.

Lines are split here and not by the HTTP client, whose line limit raises on large objects.
"""

from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass
from typing import Final, NamedTuple

import msgspec

from elasticquota_kube import errors
from elasticquota_kube.errors import ApiError


INITIAL_EVENTS_END: Final = "k8s.io/initial-events-end"


class Key(NamedTuple):
    """Which object: `namespace` is empty outside namespaces, `uid` tells a namesake apart."""

    namespace: str
    name: str
    uid: str


class _Metadata(msgspec.Struct, rename="camel", gc=False):
    namespace: str = ""
    name: str = ""
    uid: str = ""
    resource_version: str = ""


class Head(msgspec.Struct, gc=False):
    """The part of any object that says which one it is."""

    metadata: _Metadata = msgspec.field(default_factory=_Metadata)

    @property
    def key(self) -> Key:
        meta = self.metadata
        return Key(meta.namespace, meta.name, meta.uid)


class _Line(msgspec.Struct, gc=False):
    type: str
    object: Head


class _RawLine(msgspec.Struct):
    object: msgspec.Raw


class _Marks(msgspec.Struct):
    annotations: dict[str, str] | None = None


class _Bookmark(msgspec.Struct):
    metadata: _Marks


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a watch; `content` is the object as JSON."""

    type: str
    key: Key
    resource_version: str
    content: bytes | msgspec.Raw

    @property
    def ends_the_initial_events(self) -> bool:
        """Whether this bookmark says that everything that existed has been sent."""
        marks = msgspec.json.decode(self.content, type=_Bookmark).metadata.annotations or {}
        return marks.get(INITIAL_EVENTS_END) == "true"

    @property
    def error(self) -> ApiError:
        """What an event of type ERROR says."""
        return msgspec.json.decode(self.content, type=errors.Status).error()


_HEAD: Final = msgspec.json.Decoder(Head)
_LINE: Final = msgspec.json.Decoder(_Line)
_RAW_LINE: Final = msgspec.json.Decoder(_RawLine)
_OPENING: Final = b'{"type":"'
_OBJECT: Final = b'","object":'


def parse(line: bytes) -> Event:
    """Read one line; raises `msgspec.MsgspecError` when it is not a watch event."""
    event = _LINE.decode(line)
    head = event.object
    return Event(event.type, head.key, head.metadata.resource_version, _content(line))


def head(content: bytes | msgspec.Raw) -> Head:
    """Read which object a piece of JSON is; raises `msgspec.MsgspecError` for anything else."""
    return _HEAD.decode(content)


def _content(line: bytes) -> bytes | msgspec.Raw:
    # The API server writes type first and object last: cutting saves scanning the object again.
    if line.startswith(_OPENING) and line.endswith(b"}"):
        start = line.find(_OBJECT)
        if 0 < start < len(_OPENING) + 16:
            return line[start + len(_OBJECT) : -1]
    return _RAW_LINE.decode(line).object


async def split(chunks: AsyncIterator[bytes]) -> AsyncGenerator[list[bytes], None]:
    """Yield the whole lines of each chunk; a torn line at the end of the stream is dropped."""
    rest = b""
    async for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        if lines:
            yield [line for line in lines if line.strip()]
