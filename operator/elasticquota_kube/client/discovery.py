"""In which versions the API server serves a kind and with which fields, as its documents say.

Each authenticated user may read them (ClusterRole ``system:discovery``).
"""

from collections.abc import Collection, Iterable
from typing import Final, TypeVar

import msgspec

from elasticquota_kube.client.api import Api
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.client.rest import errors
from elasticquota_kube.client.rest.errors import ApiError
from elasticquota_kube.client.rest.session import SessionRequest


class _DiscoveredResource(msgspec.Struct, gc=False):
    name: str = ""


class _Resources(msgspec.Struct, gc=False):
    """``APIResourceList``."""

    resources: list[_DiscoveredResource] = []


class _Version(msgspec.Struct, gc=False):
    version: str = ""


class _Group(msgspec.Struct, gc=False):
    """``APIGroup``; the preferred version comes first."""

    versions: list[_Version] = []


class _FieldSchema(msgspec.Struct, gc=False):
    """The schema of ``spec`` or ``status``."""

    properties: dict[str, msgspec.Raw] = {}
    keeps_all: bool = msgspec.field(name="x-kubernetes-preserve-unknown-fields", default=False)


class _GroupVersionKind(msgspec.Struct, gc=False):
    kind: str = ""


class _Schema(msgspec.Struct, gc=False):
    properties: dict[str, _FieldSchema] = {}
    kinds: list[_GroupVersionKind] = msgspec.field(
        name="x-kubernetes-group-version-kind", default_factory=list
    )


class _Schemas(msgspec.Struct, gc=False):
    schemas: dict[str, msgspec.Raw] = {}


class _Published(msgspec.Struct, gc=False):
    address: str = msgspec.field(name="serverRelativeURL", default="")
    """With a hash of the document."""


class _Index(msgspec.Struct, gc=False):
    """Of the documents of OpenAPI v3, by path, such as ``apis/apps/v1``."""

    paths: dict[str, _Published] = {}


class _OpenApi(msgspec.Struct, gc=False):
    """The document of OpenAPI v3 of a group and version."""

    components: _Schemas = msgspec.field(default_factory=_Schemas)


T = TypeVar("T")
_VERB: Final = "get"
_OF_VERSION: Final = 3
"""Parts of the path of a group's version."""
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
    serving: list[str] = []
    for each in listed.versions:
        served = await _document(api, f"/apis/{group}/{each.version}", _Resources)
        if any(resource.name == plural for resource in served.resources):
            serving.append(each.version)
    return tuple(serving)


async def instead(api: Api, group: str, plural: str, read: Collection[str]) -> tuple[str, ...]:
    """The versions that have ``plural`` where none of them is one of ``read``.

    () where one of them is, and where the API server does not serve the kind. Raises ``ApiError``.
    """
    served = await versions(api, group, plural)
    return () if any(version in read for version in served) else served


async def schemas(api: Api) -> dict[tuple[str, str], str]:
    """By group and version, what changes when the fields of their kinds do: a hash of the schemas.

    Some 200 bytes each, where the schemas of our kinds have 200 KB. {} where the API server has no
    such index. Raises ``ApiError``.
    """
    try:
        index = await _document(api, "/openapi/v3", _Index)
    except ApiError as error:
        if error.is_not_found:
            return {}
        raise
    parts = ((path.split("/"), each.address) for path, each in index.paths.items())
    return {(path[1], path[2]): hashed for path, hashed in parts if len(path) == _OF_VERSION}


async def lacking(
    api: Api, resource: Resource, kind: str, fields: Iterable[str]
) -> tuple[str, ...]:
    """Those of the ``fields`` (``status.used``) that the definition of a kind does not have.

    () where the API server publishes no schema of it. Raises ``ApiError``.
    """
    path = f"/openapi/v3/apis/{resource.group}/{resource.version}"
    parts = _parts(await _document(api, path, _OpenApi), kind)
    return tuple(field for field in fields if parts and not _has(parts, field))


def _parts(published: _OpenApi, kind: str) -> dict[str, _FieldSchema]:
    """``spec`` and ``status`` of a kind; {} without a schema of them."""
    for raw in published.components.schemas.values():
        try:
            found = msgspec.json.decode(raw, type=_Schema)
        except msgspec.MsgspecError:
            continue  # another kind of schema
        if [each.kind for each in found.kinds] == [kind]:
            return found.properties
    return {}


def _has(parts: dict[str, _FieldSchema], field: str) -> bool:
    part, _, name = field.partition(".")
    found = parts.get(part)
    return found is not None and (found.keeps_all or name in found.properties)


async def _document(api: Api, path: str, into: type[T]) -> T:
    content = await api.send(SessionRequest(_VERB, _LABEL, "GET", path))
    try:
        return msgspec.json.decode(content, type=into)
    except msgspec.MsgspecError as error:
        raise errors.undecodable(error) from error
