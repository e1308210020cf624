"""The definitions as files, in ``crds/`` and in the chart."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml

import integration_definitions
from definition_files import definition
from elasticquota_api import ElasticQuota, ElasticQuotaProfile, Queue, QueueUnit


ROOT: Final = Path(__file__).parents[2]
CHART: Final = "charts/elastic-quota-operator/files"

_HEAD: Final = "# Written by make crds.\n"

Document = dict[str, Any]


def written() -> dict[str, str]:
    """The text of each file by its path in the repository."""
    texts: dict[str, str] = {}
    for name, found in _always():
        texts[f"crds/{name}.yaml"] = texts[f"{CHART}/crds/{name}.yaml"] = _text(found)
    for name, found in _dialects():
        texts[f"crds/dialects/{name}.yaml"] = texts[f"{CHART}/dialects/{name}.yaml"] = _text(found)
    return texts


def _always() -> Iterator[tuple[str, Document]]:
    for kind in (ElasticQuota, ElasticQuotaProfile):
        yield kind.served.plural, definition.of(kind)


def _dialects() -> Iterator[tuple[str, Document]]:
    yield from integration_definitions.definitions().items()
    for kind in (Queue, QueueUnit):
        yield kind.served.plural, definition.of(kind)


class _Plain(yaml.SafeDumper):
    """Writes no YAML anchors: nested over ten levels they are unreadable."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - the signature is PyYAML's
        return True


def _string(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    """Rules have quotes of their own, which a block does not need to double."""
    style = "|" if "'" in text or "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style)


_Plain.add_representer(str, _string)


def _text(document: Document) -> str:
    text: str = yaml.dump(document, Dumper=_Plain, sort_keys=False, width=10_000)
    return _HEAD + text
