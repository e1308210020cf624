"""ConfigMap -> YuniKorn's configuration in it (Y7): key ``queues.yaml``, also zipped.

Extracting the text and decoding it are two steps, so that a watcher of ConfigMaps decodes only a
changed text. ``yunikorn-configs`` comes before ``yunikorn-defaults``, as in YuniKorn.
"""

import base64
import binascii
import zlib
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from elasticquota.model.fault import Fault
from elasticquota.structs import Struct, field
from elasticquota.wire.codec import fields, yaml_text
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota.wire.integrations import queues
from elasticquota.wire.integrations.queues import QueueConfig


KEY: Final = "queues.yaml"
ZIPPED: Final = KEY + ".gz"
NAMES: Final = ("yunikorn-configs", "yunikorn-defaults")
"""The first one with a configuration applies."""
LARGEST: Final = 4 * 1024 * 1024
"""Bytes of an unzipped text: about ten thousand queues."""
_GZIP: Final = 16 + zlib.MAX_WBITS


class ConfigMapManifest(msgspec.Struct, rename="camel", gc=False):
    """A ConfigMap, perhaps from a file: both parts may hold anything."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    data: Any = None
    binary_data: Any = None


class StoredConfigMap(ConfigMapManifest, gc=False):
    """A ConfigMap from the API server: all values are texts."""

    data: dict[str, str] | None = None
    binary_data: dict[str, str] | None = None


class QueueMap(Struct, frozen=True):
    """The text of the configuration in one ConfigMap."""

    name: str
    where: str = ""
    """The path of the text, such as ``data.queues.yaml``; empty if there is no configuration."""
    text: str = ""
    faults: tuple[Fault, ...] = field(default=())
    """Why the text is missing although the key exists."""


def read(manifest: ConfigMapManifest) -> QueueMap:
    """Return the text; the plain one comes before the zipped one."""
    name = manifest.metadata.name
    for part, key, written in (
        ("data", KEY, manifest.data),
        ("binaryData", ZIPPED, manifest.binary_data),
    ):
        value = written.get(key) if isinstance(written, dict) else None
        if value is None:
            continue
        where = f"{part}.{key}"
        if not isinstance(value, str):
            fault = fields.mismatch(where, "a text", value)
            return QueueMap(name, where, "", (fault,))
        if key == KEY:
            return QueueMap(name, where, value)
        faults: list[Fault] = []
        text = _unzipped(value, where, faults)
        return QueueMap(name, where, text, tuple(faults))
    return QueueMap(name)


def in_force(found: Iterable[QueueMap]) -> QueueMap | None:
    """Return the ConfigMap that applies; None if none has a configuration."""
    named = {each.name: each for each in found if each.where}
    return next((named[name] for name in NAMES if name in named), None)


def document(found: QueueMap, faults: list[Fault]) -> Any:
    """Return the decoded YAML; None and a fault if it is not YAML, None if it is empty."""
    if found.faults:
        faults.extend(found.faults)
        return None
    try:
        values = [each for each in yaml_text.documents(found.text) if each is not None]
    except yaml_text.YamlError as error:
        faults.append(Fault(found.where, str(error)))
        return None
    if len(values) > 1:
        faults.append(Fault(found.where, f"must be one document, got {len(values)}"))
    return values[0] if values else None


def config(found: QueueMap | None) -> QueueConfig | None:
    """Return the configuration, None if there is none; its ``faults`` name unreadable parts."""
    if found is None:
        return None
    faults: list[Fault] = []
    written = document(found, faults)
    if faults:
        return QueueConfig(faults=tuple(faults))
    return None if written is None else queues.read(written)


def _unzipped(text: str, where: str, faults: list[Fault]) -> str:
    unpacking = zlib.decompressobj(_GZIP)
    try:
        found = unpacking.decompress(base64.b64decode(text, validate=True), LARGEST).decode()
    except (binascii.Error, zlib.error, UnicodeDecodeError):
        found = ""
    if unpacking.unconsumed_tail:
        faults.append(Fault(where, f"must not be larger than {LARGEST} bytes"))
    elif not unpacking.eof:
        faults.append(Fault(where, "must be a zipped text in base64"))
    return found
