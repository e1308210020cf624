"""Names what means something to another system and is not read: keys of objects, kinds of quotas.

A key is an annotation or label with a prefix (``volcano.sh/hierarchy``). Those of tools that apply
or list objects say nothing about quotas, and neither does a key without a prefix, which is a
user's own.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from elasticquota.integrations.translation.translation import TranslationWarning
from elasticquota.wire.codec import fields
from elasticquota_cli.simulate.documents import Document


_QUOTAS: Final = re.compile("Quota|Queue|Cohort")
"""In the name of a kind that states what a team may use."""
_TOOLS: Final = (
    "kubernetes.io",
    "config.k8s.io",
    "helm.sh",
    "argoproj.io",
    "fluxcd.io",
    "cattle.io",
    "elasticquota.dev",
)
"""Domains of tools, with all below them. Of ours only those of an exported tree are there."""


def keys(document: Document) -> Iterator[TranslationWarning]:
    """A warning for each key that no reader of this kind knows."""
    metadata = document.content.get("metadata")
    for part in ("labels", "annotations"):
        found = metadata.get(part) if isinstance(metadata, dict) else None
        for key, value in sorted(found.items()) if isinstance(found, dict) else ():
            if not _is_of_tools(key):
                where = f"metadata.{part}[{fields.shown_key(key)}]"
                text = f"{fields.shown(value)} is not taken over"
                yield TranslationWarning(_source(document), where, text)


def states_quotas(document: Document) -> bool:
    """Whether an object of a kind that an import does not read says something about quotas."""
    return _QUOTAS.search(document.kind) is not None


def kinds(others: Iterable[Document]) -> list[TranslationWarning]:
    """A warning for each object that states quotas and is not read."""
    text = "it states quotas, and this import does not read {}; not taken over"
    return [
        TranslationWarning(_source(each), "", text.format(fields.shown_key(each.api_version)))
        for each in others
        if states_quotas(each)
    ]


def _is_of_tools(key: str) -> bool:
    domain, slash, _ = key.partition("/")
    return not slash or any(domain == tool or domain.endswith(f".{tool}") for tool in _TOOLS)


def _source(document: Document) -> str:
    metadata = document.content.get("metadata")
    own = metadata if isinstance(metadata, dict) else {}
    placed = [own.get("namespace"), own.get("name")]
    return f"{document.kind} {'/'.join(fields.shown_key(str(each)) for each in placed if each)}"
