"""In which versions the API server serves a kind, as its discovery documents say.

Each authenticated user may read them (ClusterRole ``system:discovery``).
"""

from collections.abc import Collection
from typing import Final, TypeVar

import msgspec

from elasticquota_kube.client import errors
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.errors import ApiError
from elasticquota_kube.client.sessions.session import Request


class _Named(msgspec.Struct, gc=False):
    name: str = ""


class _Resources(msgspec.Struct, gc=False):
    """``APIResourceList``."""

    resources: list[_Named] = []


class _Version(msgspec.Struct, gc=False):
    version: str = ""


class _Group(msgspec.Struct, gc=False):
    """``APIGroup``; the preferred version comes first."""

    versions: list[_Version] = []


T = TypeVar("T")
_VERB: Final = "get"
_LABEL: Final = "apis"
"""What metrics call these documents, which are no resource."""


async def versions(api: Api, group: str, plural: str) -> tuple[str, ...]:
    """The versions of ``group`` that have ``plural``, in the order of the server; () for none.

    Raises ``ApiError``.
    """
    try:
        listed = await _document(api, f"/apis/{group}", _Group)
    except ApiError as error:
        if error.is_not_found:
            return ()
        raise
    found: list[str] = []
    for each in listed.versions:
        served = await _document(api, f"/apis/{group}/{each.version}", _Resources)
        if any(resource.name == plural for resource in served.resources):
            found.append(each.version)
    return tuple(found)


async def instead(api: Api, group: str, plural: str, read: Collection[str]) -> tuple[str, ...]:
    """The versions that have ``plural`` where none of them is one of ``read``.

    () where one of them is, and where the API server does not serve the kind. Raises ``ApiError``.
    """
    served = await versions(api, group, plural)
    return () if any(version in read for version in served) else served


async def _document(api: Api, path: str, into: type[T]) -> T:
    content = await api.send(Request(_VERB, _LABEL, "GET", path))
    try:
        return msgspec.json.decode(content, type=into)
    except msgspec.MsgspecError as error:
        raise errors.undecodable(error) from error
