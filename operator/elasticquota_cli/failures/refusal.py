"""Says what went wrong between a command and the API server, in words without names of classes."""

from http import HTTPStatus
from typing import Final

from elasticquota_kube.client.paths import Resource
from elasticquota_kube.client.rest.errors import UNDECODABLE, ApiError


_NO_KIND: Final = "the server could not find the requested resource"


def of(error: ApiError) -> str:
    """The error as the end of a sentence."""
    if error.is_unauthorized:
        return "the API server does not accept your credentials (401); log in again"
    if error.reason == UNDECODABLE:
        return f"the answer is not that of a Kubernetes API server ({error.message})"
    if error.status < HTTPStatus.INTERNAL_SERVER_ERROR:
        return error.message
    return f"{error.message} ({error.status} {error.reason})"


def unread(resource: Resource, error: ApiError) -> str:
    """Why the objects of a kind were not read, which there are and which the user may list."""
    return f"cannot read the {resource.plural}: {of(error)}"


def is_of_unknown_kind(error: ApiError) -> bool:
    """Whether the API server has no such kind; a missing namespace has the same code."""
    return error.is_not_found and error.message.startswith(_NO_KIND)


def forbidden(resource: Resource, namespace: str | None) -> str:
    """The user may not list the objects of a kind."""
    where = f"in namespace {namespace}" if namespace else "in all namespaces"
    return f"you may not list {resource.plural} {where}"


def unknown(resource: Resource) -> str:
    """The API server has no such kind."""
    return f"the API server knows no {resource.plural}; is the operator installed?"
