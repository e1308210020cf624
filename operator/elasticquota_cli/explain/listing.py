"""A listing has all objects of a kind, as far as whoever asks may read them."""

from collections.abc import Sequence
from typing import TypeVar

from elasticquota_cli.failure import Failure
from elasticquota_kube.api import Api
from elasticquota_kube.errors import ApiError
from elasticquota_kube.paths import Resource


T = TypeVar("T")


async def of(
    api: Api, resource: Resource, namespace: str | None = None, *, into: type[T]
) -> Sequence[T] | None:
    """None when that is forbidden. Raises `Failure`, and `ApiError` where there is no such kind."""
    try:
        return await api.list(resource, namespace, into=into)
    except ApiError as error:
        if error.is_forbidden:
            return None
        if error.is_not_found:
            raise
        raise Failure(f"cannot read the {resource.plural}: {error}") from None
