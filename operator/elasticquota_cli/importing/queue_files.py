"""YuniKorn's configuration: a ConfigMap (also zipped) or a ``queues.yaml``, and Namespaces.

As in YuniKorn, the ConfigMap ``yunikorn-configs`` comes before ``yunikorn-defaults``.
"""

import base64
import binascii
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from elasticquota.wire import fields, queue_namespaces, queues
from elasticquota.wire.namespaces import NamespaceManifest
from elasticquota.wire.queue_namespaces import QueueNamespace
from elasticquota.wire.queues import QueueConfig
from elasticquota_cli.importing import sources
from elasticquota_cli.simulate import documents, yaml_text
from elasticquota_cli.simulate.documents import Document
from elasticquota_cli.simulate.yaml_text import YamlError


KEY: Final = "queues.yaml"
ZIPPED: Final = KEY + ".gz"
_CONFIG_MAP: Final = ("v1", "ConfigMap")
_NAMESPACE: Final = ("v1", "Namespace")
_FIRST: Final = ("yunikorn-configs", "yunikorn-defaults")
_LARGEST: Final = 16 * 1024 * 1024
_GZIP: Final = 16 + zlib.MAX_WBITS


def plain(paths: Sequence[str]) -> dict[str, dict[str, Any]]:
    """By path, the document of each file that is a ``queues.yaml`` and no manifest."""
    return {path: value for path in paths if (value := _plain(path)) is not None}


def read(
    files: Mapping[str, dict[str, Any]],
    found: list[Document],
    faults: list[str],
    others: list[Document],
) -> tuple[QueueConfig | None, list[QueueNamespace]]:
    """The configuration, None when there is none, and the namespaces; ``files`` are plain ones."""
    maps = [each for each in found if _is_config(each)]
    spaces = [each for each in found if sources.is_of(each, _NAMESPACE)]
    others += [each for each in found if not (sources.is_of(each, _NAMESPACE) or _is_config(each))]
    namespaces = [
        queue_namespaces.read(each) for each in sources.manifests(spaces, NamespaceManifest, faults)
    ]
    configs = [*files.items(), *((each.where, _decoded(each, faults)) for each in _in_force(maps))]
    if len(configs) > 1:
        named = ", ".join(where for where, _ in configs)
        faults.append(f"there must be one configuration of queues, got {named}")
    elif not (configs or spaces or faults):
        faults.append(f"there is neither {KEY} nor a Namespace in what was given")
    config = queues.read(configs[0][1]) if len(configs) == 1 and not faults else None
    return config, namespaces


def _is_config(document: Document) -> bool:
    return sources.is_of(document, _CONFIG_MAP) and bool(_texts(document))


def _plain(path: str) -> dict[str, Any] | None:
    file = Path(path)
    if path == documents.STANDARD_INPUT or not file.is_file():
        return None
    try:
        values = [each for each in yaml_text.documents(file.read_text("utf-8-sig")) if each]
    except (OSError, UnicodeDecodeError, YamlError):
        return None  # told by whoever reads it as manifests
    if len(values) == 1 and isinstance(values[0], dict) and "partitions" in values[0]:
        return values[0]
    return None


def _in_force(maps: list[Document]) -> list[Document]:
    """The ConfigMaps that count; more than one is one too many."""
    for name in _FIRST:
        named = [each for each in maps if _name(each) == name]
        if named:
            return named
    return maps


def _name(document: Document) -> object:
    metadata = document.content.get("metadata")
    return metadata.get("name") if isinstance(metadata, dict) else None


def _texts(document: Document) -> dict[str, Any]:
    """The keys of a ConfigMap that hold a configuration."""
    found = {}
    for part, key in (("data", KEY), ("binaryData", ZIPPED)):
        data = document.content.get(part)
        if isinstance(data, dict) and data.get(key) is not None:
            found[f"{part}.{key}"] = data[key]
    return found


def _decoded(document: Document, faults: list[str]) -> Any:
    where, text = next(iter(_texts(document).items()))
    at = f"{document.where}: {where}"
    if not isinstance(text, str):
        faults.append(f"{at}: must be a text, got {fields.shown(text)}")
        return None
    if where.endswith(ZIPPED):
        text = _unzipped(text, at, faults)
    try:
        values = [each for each in yaml_text.documents(text) if each is not None]
    except YamlError as error:
        faults.append(f"{at}: {error}")
        return None
    if len(values) > 1:
        faults.append(f"{at}: must be one document, got {len(values)}")
    return values[0] if values else None


def _unzipped(text: str, at: str, faults: list[str]) -> str:
    unpacking = zlib.decompressobj(_GZIP)
    try:
        found = unpacking.decompress(base64.b64decode(text, validate=True), _LARGEST).decode()
    except (binascii.Error, zlib.error, UnicodeDecodeError):
        found = ""
    if unpacking.unconsumed_tail:
        faults.append(f"{at}: must not be larger than {_LARGEST} bytes")
    elif not unpacking.eof:
        faults.append(f"{at}: must be a zipped text in base64")
    return found
