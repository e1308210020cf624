"""Reads the objects of one kind from the documents, and collects the documents of other kinds."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from elasticquota import names
from elasticquota.wire.codec.metadata import SpecManifest
from elasticquota.wire.kubernetes.namespaces import NamespaceManifest
from elasticquota_cli import wording
from elasticquota_cli.simulate import shape
from elasticquota_cli.simulate.documents import Document


Kind = tuple[str, str]
"""apiVersion and kind."""
Manifest = TypeVar("Manifest", SpecManifest, NamespaceManifest)

TREE: Final[Kind] = (names.TREE_API, "ElasticQuotaTree")
CAPACITY: Final[Kind] = (names.CAPACITY_API, "ElasticQuota")
RESOURCE_QUOTA: Final[Kind] = ("v1", "ResourceQuota")
_DEFAULT: Final = "default"


@dataclass(slots=True)
class Given:
    """What the user gave; readers add to ``faults`` and ``others``."""

    documents: list[Document]
    namespace: str
    """The namespace of quotas that belong to no other namespace."""
    queues: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    """By path, files that are a ``queues.yaml`` and no manifest."""
    faults: list[str] = field(default_factory=list)
    others: list[Document] = field(default_factory=list)
    """Documents of kinds that say nothing about quotas."""

    def of_kind(self, kind: Kind) -> list[Document]:
        """The documents of the kind; it is a fault when there are none."""
        those = [each for each in self.documents if is_of(each, kind)]
        self.others += [each for each in self.documents if not is_of(each, kind)]
        if not (those or self.faults):
            self.faults.append(f"there is no {kind[1]} {kind[0]} in what was given")
        return those

    def specs(self, kind: Kind) -> Iterator[SpecManifest]:
        """The manifests of the kind."""
        return self.manifests(self.of_kind(kind), SpecManifest)

    def homed(self, kind: Kind) -> Iterator[SpecManifest]:
        """The same with a namespace; if none is given it is the default one, as in kubectl."""
        for each in self.specs(kind):
            each.metadata.namespace = each.metadata.namespace or _DEFAULT
            yield each

    def manifests(self, found: Iterable[Document], form: type[Manifest]) -> Iterator[Manifest]:
        """The documents that have the form and a name; the others are faults."""
        for document in found:
            manifest = shape.convert(document, form, self.faults)
            if manifest is None:
                continue
            if manifest.metadata.name:
                yield manifest
            else:
                self.faults.append(f"{document.where}: metadata.name: must be given")


def is_of(document: Document, kind: Kind) -> bool:
    """Whether the document has this apiVersion and kind."""
    return (document.api_version, document.kind) == kind


def skipped(others: Iterable[Document]) -> list[str]:
    """A note on documents of other kinds."""
    kinds = Counter((each.kind, each.api_version) for each in others)
    listed = wording.kinds(kinds)
    return [f"skipped, because it says nothing about quotas: {listed}"] if kinds else []
