"""The verbs of the Kubernetes API on plain documents; reads can decode into msgspec types.

Every method raises `ApiError`; deadlines, tokens and retries are in ``transport``. It keeps no
state of the cluster; a reflector follows resources.
"""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, Generic, Literal, TypeVar, overload

import msgspec

from elasticquota.wire.codec import shallow
from elasticquota_kube.client import transport
from elasticquota_kube.client.credentials.credentials import Credentials
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.client.rest import errors
from elasticquota_kube.client.rest.errors import ApiError
from elasticquota_kube.client.rest.session import SessionRequest


__all__ = ["Api", "ApiError", "Document", "Page"]

Document = dict[str, Any]

PAGE_SIZE: Final = 500
"""Largest number of objects in a page."""
PAGE_BYTES: Final = 16 * 1024 * 1024
"""Largest size of a page of several objects. 500 pods usually have 5 MiB, but may have 1 GiB."""
_CONTENT_TYPES: Final = {
    "merge": "application/merge-patch+json",
    "json": "application/json-patch+json",
}
_METADATA: Final = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
_METADATA_LIST: Final = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"

T = TypeVar("T")


class _ListMeta(msgspec.Struct, rename={"resource_version": "resourceVersion", "next": "continue"}):
    resource_version: str = ""
    next: str = ""


class Page(msgspec.Struct, Generic[T]):
    """One page of a list."""

    metadata: _ListMeta
    items: list[T] | None = None


P = TypeVar("P", bound=Page[Any])


class Api(transport.Transport):
    """A connection to one API server: ``async with Api(credentials.load()) as api``.

    Calls end within 10 seconds; another deadline is set by ``api.within(20).get(...)``.
    `namespace` is None for cluster-wide resources, and in lists for all namespaces.
    """

    def __init__(self, credentials: Credentials, **options: Any) -> None:
        super().__init__(credentials, **options)
        self._page_sizes: dict[str, int] = {}
        """By path of a list, the page size that was small enough; `PAGE_SIZE` at first."""

    @overload
    async def get(self, resource: Resource, namespace: str | None, name: str) -> Document: ...
    @overload
    async def get(
        self,
        resource: Resource,
        namespace: str | None,
        name: str,
        *,
        into: type[T],
        metadata_only: bool = ...,
    ) -> T: ...
    async def get(
        self,
        resource: Resource,
        namespace: str | None,
        name: str,
        *,
        into: Any = Document,
        metadata_only: bool = False,
    ) -> Any:
        """Read one object, as a document or `into` a msgspec type."""
        path = resource.named(namespace, name)
        accept = _METADATA if metadata_only else ""
        return _decode(await self._read("get", resource, path, accept=accept), into)

    @overload
    async def list(
        self,
        resource: Resource,
        namespace: str | None = None,
        *,
        params: Mapping[str, str] = ...,
    ) -> tuple[Document, ...]: ...
    @overload
    async def list(
        self,
        resource: Resource,
        namespace: str | None = None,
        *,
        into: type[T],
        params: Mapping[str, str] = ...,
    ) -> tuple[T, ...]: ...
    async def list(
        self,
        resource: Resource,
        namespace: str | None = None,
        *,
        into: Any = Document,
        params: Mapping[str, str] = {},
    ) -> tuple[Any, ...]:
        """Read all objects, page by page; `params` are query parameters such as selectors.

        Raises an error with `is_gone` when the listing took longer than the server keeps history.
        """
        items: list[Any] = []
        async for page in self.pages(resource, namespace, params=params):
            items.extend(_decode(raw, into) for raw in page.items or ())
        return tuple(items)

    def pages(
        self,
        resource: Resource,
        namespace: str | None = None,
        *,
        params: Mapping[str, str] = {},
        metadata_only: bool = False,
    ) -> AsyncGenerator[Page[msgspec.Raw], None]:
        """Read a list page by page with undecoded objects; raises as `list` does."""
        accept = _METADATA_LIST if metadata_only else ""
        decode = partial(_decode, into=Page[msgspec.Raw])
        return self._pages(decode, resource, namespace, params, accept)

    def pages_of(
        self,
        kind: type[T],
        resource: Resource,
        namespace: str | None = None,
        *,
        params: Mapping[str, str] = {},
    ) -> AsyncGenerator[Page[T] | Page[msgspec.Raw], None]:
        """Read a list page by page, each as ``read_page`` does."""
        return self._pages(partial(read_page, kind=kind), resource, namespace, params)

    def watch(
        self,
        resource: Resource,
        namespace: str | None = None,
        *,
        params: Mapping[str, str],
        quiet: float,
    ) -> AsyncGenerator[bytes, None]:
        """Yield the bytes of a watch; ends with reason ``Timeout`` after `quiet` seconds."""
        request = SessionRequest(
            "watch",
            resource.plural,
            "GET",
            resource.list(namespace),
            {**params, "watch": "true"},
        )
        return self.stream(request, quiet=quiet)

    async def create(
        self,
        resource: Resource,
        namespace: str | None,
        manifest: Mapping[str, Any],
        *,
        name: str | None = None,
        subresource: str | None = None,
    ) -> Document:
        """Create an object, or post to a `subresource` of the object `name`."""
        path = resource.named(namespace, name, subresource) if name else resource.list(namespace)
        return await self._write("create", resource, "POST", path, manifest)

    async def replace(
        self,
        resource: Resource,
        namespace: str | None,
        manifest: Mapping[str, Any],
        *,
        subresource: str | None = None,
    ) -> Document:
        """Replace an object; its ``metadata.resourceVersion`` makes it a compare-and-swap."""
        path = resource.named(namespace, manifest["metadata"]["name"], subresource)
        return await self._write("update", resource, "PUT", path, manifest)

    async def patch(
        self,
        resource: Resource,
        namespace: str | None,
        name: str,
        patch: Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        kind: Literal["merge", "json"] = "merge",
        subresource: str | None = None,
        dry_run: bool = False,
    ) -> Document:
        """Apply a merge patch (a mapping) or a JSON patch (a list of operations).

        `dry_run`: the API server judges it and stores nothing.
        """
        path = resource.named(namespace, name, subresource)
        return await self._write(
            "patch", resource, "PATCH", path, patch, _CONTENT_TYPES[kind], dry_run=dry_run
        )

    async def delete(
        self,
        resource: Resource,
        namespace: str | None,
        name: str,
        *,
        uid: str | None = None,
        grace_seconds: int | None = None,
    ) -> Document:
        """Delete an object; with `uid`, only if it still has this uid (else error 409)."""
        options: Document = {"apiVersion": "v1", "kind": "DeleteOptions"}
        if uid is not None:
            options["preconditions"] = {"uid": uid}
        if grace_seconds is not None:
            options["gracePeriodSeconds"] = grace_seconds
        path = resource.named(namespace, name)
        return await self._write("delete", resource, "DELETE", path, options)

    async def _pages(
        self,
        decode: Callable[[bytes], P],
        resource: Resource,
        namespace: str | None,
        params: Mapping[str, str],
        accept: str = "",
    ) -> AsyncGenerator[P, None]:
        """Read pages of as many objects as fit into `PAGE_BYTES`, at least one."""
        path, query = resource.list(namespace), dict(params)
        while True:
            size = self._page_sizes.get(path, PAGE_SIZE)
            query["limit"] = str(size)
            most = PAGE_BYTES if size > 1 else None
            try:
                content = await self._read("list", resource, path, query, most, accept)
            except ApiError as error:
                if not error.is_too_large:
                    raise
                self._page_sizes[path] = max(size // 4, 1)
                continue
            if size < PAGE_SIZE and len(content) < PAGE_BYTES // 4:
                self._page_sizes[path] = min(size * 2, PAGE_SIZE)
            page = decode(content)
            yield page
            if not page.metadata.next:
                return
            query["continue"] = page.metadata.next

    async def _read(
        self,
        verb: str,
        resource: Resource,
        path: str,
        params: Mapping[str, str] = {},
        most: int | None = None,
        accept: str = "",
    ) -> bytes:
        request = SessionRequest(
            verb, resource.plural, "GET", path, params, most=most, accept=accept
        )
        return await self.send(request)

    async def _write(
        self,
        verb: str,
        resource: Resource,
        method: str,
        path: str,
        content: Any,
        content_type: str = "application/json",
        *,
        dry_run: bool = False,
    ) -> Document:
        params = {} if method == "DELETE" else {"fieldManager": self.manager}
        request = SessionRequest(
            verb,
            resource.plural,
            method,
            path,
            params | ({"dryRun": "All"} if dry_run else {}),
            msgspec.json.encode(content),
            content_type,
        )
        return _decode(await self.send(request), Document)


def read_page(content: bytes, kind: type[T]) -> Page[T] | Page[msgspec.Raw]:
    """Decode a page of a list; its objects stay undecoded when one of them is not a `kind`."""
    try:
        return shallow.decode(msgspec.json.Decoder(Page[kind]).decode, content)  # type: ignore[valid-type]  # at run time
    except msgspec.MsgspecError:
        return _decode(content, Page[msgspec.Raw])


def _decode(content: bytes | msgspec.Raw, into: type[T]) -> T:
    try:
        return shallow.decode(msgspec.json.Decoder(into).decode, content)
    except msgspec.MsgspecError as error:
        raise errors.undecodable(error) from error
