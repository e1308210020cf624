"""Reads a cluster with the user's own credentials: all objects of a kind that the user may read."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from elasticquota.forest import wording
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota_cli.failure import Failure
from elasticquota_kube.client import credentials
from elasticquota_kube.client.api import Api, Document
from elasticquota_kube.client.credentials import Credentials
from elasticquota_kube.client.errors import ApiError
from elasticquota_kube.client.login import CredentialsError, Login
from elasticquota_kube.client.paths import Resource


T = TypeVar("T")
Raws = Sequence[msgspec.Raw]


def connected(work: Callable[[Api], Awaitable[T]], login: Login) -> T:
    """The result of ``work``; raises its errors, and `Failure` without usable credentials."""

    async def run(found: Credentials) -> T:
        async with Api(found) as api:
            return await work(api)

    try:
        # Before the event loop starts: a credential plugin may ask the user for something.
        return asyncio.run(run(credentials.load(login)))
    except CredentialsError as error:
        raise Failure(str(error)) from None


async def of(
    api: Api,
    resource: Resource,
    namespace: str | None = None,
    *,
    into: type[T],
    params: Mapping[str, str] = {},
) -> Sequence[T] | None:
    """The objects, or None when the user may not list them.

    `params` are query parameters such as selectors. Raises `Failure`, and `ApiError` when there
    is no such kind.
    """
    try:
        return await api.list(resource, namespace, into=into, params=params)
    except ApiError as error:
        if error.is_forbidden:
            return None
        if error.is_not_found:
            raise
        raise Failure(f"cannot read the {resource.plural}: {error}") from None


class _Named(msgspec.Struct, gc=False):
    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)


def understood(raws: Raws, kind: type[T], plural: str, notes: list[str]) -> list[T]:
    """Decode the objects that have the shape of their kind; one note names the others."""
    return _decoded(raws, msgspec.json.Decoder(kind).decode, plural, notes)


def documents(raws: Raws, kind: type[Any], plural: str, notes: list[str]) -> list[Document]:
    """As ``understood``, but whole, as documents."""
    check = msgspec.json.Decoder(kind).decode

    def decode(raw: msgspec.Raw) -> Document:
        check(raw)
        return msgspec.json.decode(raw, type=Document)

    return _decoded(raws, decode, plural, notes)


def _decoded(
    raws: Raws, decode: Callable[[msgspec.Raw], T], plural: str, notes: list[str]
) -> list[T]:
    found: list[T] = []
    odd: list[str] = []
    for raw in raws:
        try:
            found.append(decode(raw))
        except (msgspec.MsgspecError, RecursionError):
            odd.append(_name(raw))
    if odd:
        named = wording.named(odd)
        notes.append(f"{plural} that are not understood count nowhere here: {named}")
    return found


def _name(raw: msgspec.Raw) -> str:
    try:
        return str(msgspec.json.decode(raw, type=_Named).metadata.key)
    except (msgspec.MsgspecError, RecursionError):
        return "one without a readable name"
