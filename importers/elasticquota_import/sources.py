"""Reads the objects of one kind from the documents, and collects the documents of other kinds."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeVar

from elasticquota import names
from elasticquota.integrations.translation.translation import Translation, TranslationWarning
from elasticquota.model.fault import Fault
from elasticquota.structs import Struct, field
from elasticquota.wire.codec.metadata import SpecManifest, StatusManifest
from elasticquota.wire.kubernetes.namespaces import NamespaceManifest
from elasticquota.wire.quota.quotas import QuotaManifest
from elasticquota_cli.failures.failure import InputFault
from elasticquota_cli.simulate import documents, shape
from elasticquota_cli.simulate.documents import Document
from elasticquota_import import unread
from elasticquota_import.pod_queues import PodQueues


Kind = tuple[str, str]
"""apiVersion and kind."""
Manifest = TypeVar("Manifest", SpecManifest, StatusManifest, NamespaceManifest, QuotaManifest)

TREE: Final[Kind] = (names.TREE_API, "ElasticQuotaTree")
CAPACITY: Final[Kind] = (names.CAPACITY_API, "ElasticQuota")
RESOURCE_QUOTA: Final[Kind] = ("v1", "ResourceQuota")
NAMESPACE: Final[Kind] = ("v1", "Namespace")
_DEFAULT: Final = "default"


class Imported(NamedTuple):
    """The quotas, and how pods of the other system name a queue."""

    made: Translation
    queues: PodQueues | None = None
    """None: pods name none, or they are not read."""


class Given(Struct):
    """What the user gave; readers add to ``faults`` and ``others``."""

    documents: list[Document]
    namespace: str
    """The namespace of quotas that belong to no other namespace."""
    queues: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    """By path, files that are a ``queues.yaml`` and no manifest."""
    faults: list[InputFault] = field(default_factory=list)
    others: list[Document] = field(default_factory=list)
    """Documents of kinds that are not read."""
    warnings: list[TranslationWarning] = field(default_factory=list)
    """What those that are read have besides, and means something to the other system."""

    def refuse(self, problem: str) -> None:
        """Add a fault of all that was given."""
        self.faults.append(InputFault("", Fault("", problem)))

    def of_kind(self, kind: Kind) -> list[Document]:
        """The documents of the kind; it is a fault when there are none."""
        those = [each for each in self.documents if is_of(each, kind)]
        self.others += [each for each in self.documents if not is_of(each, kind)]
        if not (those or self.faults):
            self.refuse(f"there is no {kind[1]} {kind[0]} in what was given")
        return those

    def of_group(
        self, group: str, kinds: Collection[str], *, needed: Collection[str]
    ) -> dict[str, list[Document]]:
        """The documents of some kinds of a group, in any version, by kind.

        It is a fault when there is none of the kinds ``needed``. Namespaces are read, too.
        """
        by_kind: dict[str, list[Document]] = {kind: [] for kind in kinds}
        for each in self.documents:
            if each.kind in by_kind and each.api_version.partition("/")[0] == group:
                by_kind[each.kind].append(each)
            elif not is_of(each, NAMESPACE):
                self.others.append(each)
        if not (self.faults or any(by_kind[kind] for kind in needed)):
            self.refuse(f"there is no {' or '.join(needed)} of {group} in what was given")
        return by_kind

    def of_namespaces(self) -> list[Document]:
        """The Namespaces."""
        return [each for each in self.documents if is_of(each, NAMESPACE)]

    def specs(self, kind: Kind) -> Iterator[SpecManifest]:
        """The manifests of the kind."""
        return self.manifests(self.of_kind(kind), SpecManifest)

    def homed(self, kind: Kind) -> Iterator[SpecManifest]:
        """The same with a namespace; if none is given it is the default one, as in kubectl."""
        return self.homed_of(self.of_kind(kind))

    def homed_of(self, found: Iterable[Document]) -> Iterator[SpecManifest]:
        """The manifests in these documents, with a namespace."""
        for each in self.manifests(found, SpecManifest):
            each.metadata.namespace = each.metadata.namespace or _DEFAULT
            yield each

    def manifests(self, found: Iterable[Document], form: type[Manifest]) -> Iterator[Manifest]:
        """The documents that have the form and a name; the others are faults."""
        for document in found:
            manifest = shape.convert(document, form, self.faults)
            if manifest is None:
                continue
            if manifest.metadata.name:
                if form in (SpecManifest, StatusManifest):
                    self.warnings += unread.keys(document)
                yield manifest
            else:
                self.faults.append(document.fault("must be given", "metadata.name"))


def is_of(document: Document, kind: Kind) -> bool:
    """Whether the document has this apiVersion and kind."""
    return (document.api_version, document.kind) == kind


def skipped(others: Iterable[Document]) -> list[str]:
    """A note on documents of kinds that say nothing about quotas."""
    silent = (each for each in others if not unread.states_quotas(each))
    kinds = Counter((each.kind, each.api_version) for each in silent)
    listed = documents.kinds(kinds)
    return [f"skipped, because it says nothing about quotas: {listed}"] if kinds else []
