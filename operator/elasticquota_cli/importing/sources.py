"""Reads the objects of one kind from the documents, and collects the documents of other kinds."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final, TypeVar

from elasticquota import names
from elasticquota.wire.codec.metadata import SpecManifest
from elasticquota.wire.integrations import ack_trees, capacity_quotas
from elasticquota.wire.integrations.ack_trees import QuotaTree
from elasticquota.wire.integrations.capacity_quotas import CapacityQuota
from elasticquota.wire.kubernetes import resource_quotas
from elasticquota.wire.kubernetes.namespaces import NamespaceManifest
from elasticquota.wire.kubernetes.resource_quotas import ResourceQuota
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


def trees(found: list[Document], faults: list[str], others: list[Document]) -> list[QuotaTree]:
    """All ElasticQuotaTrees."""
    those = of_kind(found, TREE, faults, others)
    return [ack_trees.read(each) for each in manifests(those, SpecManifest, faults)]


def capacity_limits(
    found: list[Document], faults: list[str], others: list[Document]
) -> list[CapacityQuota]:
    """All ElasticQuotas of capacity scheduling."""
    return [capacity_quotas.read(each) for each in _homed(found, CAPACITY, faults, others)]


def hard_limits(
    found: list[Document], faults: list[str], others: list[Document]
) -> list[ResourceQuota]:
    """All ResourceQuotas."""
    return [resource_quotas.read(each) for each in _homed(found, RESOURCE_QUOTA, faults, others)]


def _homed(
    found: list[Document], kind: Kind, faults: list[str], others: list[Document]
) -> Iterator[SpecManifest]:
    """Manifests with a namespace; if none is given it is the default one, as in kubectl."""
    for each in manifests(of_kind(found, kind, faults, others), SpecManifest, faults):
        each.metadata.namespace = each.metadata.namespace or _DEFAULT
        yield each


def of_kind(
    found: list[Document], kind: Kind, faults: list[str], others: list[Document]
) -> list[Document]:
    """The documents of the kind; it is a fault when there are none."""
    those = [each for each in found if is_of(each, kind)]
    others += [each for each in found if not is_of(each, kind)]
    if not (those or faults):
        faults.append(f"there is no {kind[1]} {kind[0]} in what was given")
    return those


def is_of(document: Document, kind: Kind) -> bool:
    """Whether the document has this apiVersion and kind."""
    return (document.api_version, document.kind) == kind


def skipped(others: Iterable[Document]) -> list[str]:
    """A note on documents of other kinds."""
    kinds = Counter((each.kind, each.api_version) for each in others)
    listed = wording.kinds(kinds)
    return [f"skipped, because it says nothing about quotas: {listed}"] if kinds else []


def manifests(found: list[Document], form: type[Manifest], faults: list[str]) -> Iterator[Manifest]:
    """The documents that have the form and a name; the others are faults."""
    for document in found:
        manifest = shape.convert(document, form, faults)
        if manifest is None:
            continue
        if manifest.metadata.name:
            yield manifest
        else:
            faults.append(f"{document.where}: metadata.name: must be given")
