"""Puts objects that name no namespace into one, as ``kubectl apply`` does."""

from collections.abc import Iterable, Iterator

from elasticquota_cli.failures.failure import InputFault
from elasticquota_cli.simulate.documents import Document
from elasticquota_cli.simulate.manifests import WITHOUT_NAMESPACE


def placed(
    documents: Iterable[Document], usual: str, required: str, faults: list[InputFault]
) -> Iterator[Document]:
    """Yield the documents, those without a namespace in ``usual``.

    With a ``required`` namespace, that of ``--namespace``, any other one is a fault. Kinds without
    namespaces stay as they are.
    """
    for document in documents:
        metadata = document.content.get("metadata")
        if not isinstance(metadata, dict) or document.kind in WITHOUT_NAMESPACE:
            yield document
            continue
        own = metadata.get("namespace")
        if own and required and own != required:
            problem = f"is {own}, but --namespace says {required}"
            faults.append(document.fault(problem, "metadata.namespace"))
        filled = {**document.content, "metadata": {**metadata, "namespace": own or usual}}
        yield document._replace(content=filled)
