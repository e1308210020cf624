"""Reads YuniKorn's configuration from a ConfigMap (also zipped) or ``queues.yaml``; Namespaces."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from elasticquota.model.fault import Fault
from elasticquota.wire.codec import yaml_text
from elasticquota.wire.codec.yaml_text import YamlError
from elasticquota.wire.integrations import queue_maps, queue_namespaces, queues
from elasticquota.wire.integrations.queue_maps import ConfigMapManifest, QueueMap
from elasticquota.wire.integrations.queue_namespaces import QueueNamespace
from elasticquota.wire.integrations.queues import QueueConfig
from elasticquota.wire.kubernetes.namespaces import NamespaceManifest
from elasticquota_cli.failures.failure import InputFault
from elasticquota_cli.simulate import documents
from elasticquota_cli.simulate.documents import Document
from elasticquota_import import sources
from elasticquota_import.sources import Given


_CONFIG_MAP: Final = ("v1", "ConfigMap")
_NAMESPACE: Final = ("v1", "Namespace")


def plain(paths: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The document of each file that is a ``queues.yaml`` and no manifest, by path."""
    return {path: value for path in paths if (value := _plain(path)) is not None}


def read(given: Given) -> tuple[QueueConfig | None, list[QueueNamespace]]:
    """The configuration (or None) and the namespaces."""
    maps = {}
    spaces = []
    for each in given.documents:
        held = _map(each)
        if held is not None:
            maps[each.where] = held
        elif sources.is_of(each, _NAMESPACE):
            spaces.append(each)
        else:
            given.others.append(each)
    namespaces = [
        queue_namespaces.read(each) for each in given.manifests(spaces, NamespaceManifest)
    ]
    in_force = _in_force(maps)
    where = [*given.queues, *in_force]
    if len(where) > 1:
        given.refuse(f"there must be one configuration of queues, got {', '.join(where)}")
    elif not (where or spaces or given.faults):
        given.refuse(f"there is neither {queue_maps.KEY} nor a Namespace in what was given")
    if given.faults or len(where) != 1:
        return None, namespaces
    if given.queues:
        return queues.read(given.queues[where[0]]), namespaces
    return _config(where[0], in_force[where[0]], given.faults), namespaces


def _map(document: Document) -> QueueMap | None:
    """The queue configuration in a ConfigMap; None if the document is something else."""
    if not sources.is_of(document, _CONFIG_MAP):
        return None
    try:
        found = queue_maps.read(msgspec.convert(document.content, ConfigMapManifest))
    except msgspec.ValidationError:
        return None
    return found if found.where else None


def _plain(path: str) -> dict[str, Any] | None:
    file = Path(path)
    if path == documents.STANDARD_INPUT or not file.is_file():
        return None
    try:
        values = [each for each in yaml_text.documents(file.read_text("utf-8-sig")) if each]
    except (OSError, UnicodeDecodeError, YamlError):
        return None  # reading it as manifests reports the fault
    if len(values) == 1 and isinstance(values[0], dict) and "partitions" in values[0]:
        return values[0]
    return None


def _in_force(maps: Mapping[str, QueueMap]) -> Mapping[str, QueueMap]:
    """The ConfigMaps that count; more than one is a fault."""
    first = queue_maps.in_force(maps.values())
    if first is None:
        return maps
    return {where: found for where, found in maps.items() if found.name == first.name}


def _config(where: str, found: QueueMap, faults: list[InputFault]) -> QueueConfig | None:
    broken: list[Fault] = []
    written = queue_maps.document(found, broken)
    faults += [InputFault(where, fault) for fault in broken]
    return None if broken else queues.read(written)
