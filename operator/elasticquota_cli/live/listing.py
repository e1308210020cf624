"""Reads a cluster with the user's own credentials: all objects of a kind that the user may read."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec

from elasticquota.forest import wording
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota_cli.failures import refusal
from elasticquota_cli.failures.failure import Failure
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api, Document
from elasticquota_kube.client.credentials import credentials
from elasticquota_kube.client.credentials.login import CredentialsError, Login
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.client.rest.errors import ApiError


T = TypeVar("T")
_SECONDS: Final = 30.0
"""Timeout for one page of a list: that of a large cluster takes a while."""
_MANAGER: Final = "kubectl-elastic-quota"
"""The field manager of what users write, as kubectl has names of its own."""

Raws = Sequence[msgspec.Raw]


class Cluster:
    """A cluster with the user's credentials; raises `Failure` without usable ones.

    They are read at once, before any event loop runs: a credential plugin may ask the user for
    something.
    """

    def __init__(self, login: Login) -> None:
        try:
            self._credentials = credentials.load(login)
        except CredentialsError as error:
            raise Failure(str(error)) from None

    @property
    def namespace(self) -> str:
        """That of ``-n``, of the context, or ``default``, as kubectl has it."""
        return self._credentials.namespace

    def run(
        self, work: Callable[[Api], Awaitable[T]], on_warning: Callable[[str], None] | None = None
    ) -> T:
        """The result of ``work``; raises its errors, and `Failure` if the login fails meanwhile.

        ``on_warning`` is called with each warning of the API server and its webhooks.
        """
        options = {} if on_warning is None else {"on_warning": on_warning}

        async def run() -> T:
            async with Api(self._credentials, manager=_MANAGER, brief=True, **options) as api:
                return await work(api)

        try:
            return asyncio.run(run())
        except CredentialsError as error:
            raise Failure(str(error)) from None

    def read(self, work: Callable[[Api], Awaitable[T]]) -> T:
        """The result of ``work``, whose lists may take a while; raises as ``run`` does."""
        try:
            return self.run(lambda api: work(api.within(_SECONDS)))
        except RecursionError:
            raise Failure("cannot read the cluster: an object is nested too deeply") from None


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
        raise Failure(refusal.unread(resource, error)) from None


async def listed(
    api: Api,
    resource: Resource,
    namespace: str | None = None,
    *,
    into: type[T],
    params: Mapping[str, str] = {},
) -> Sequence[T] | None:
    """As ``of``; raises `Failure` also where there is no such kind."""
    try:
        return await of(api, resource, namespace, into=into, params=params)
    except ApiError:
        raise Failure(refusal.unknown(resource)) from None


async def quotas(api: Api, namespace: str | None, into: type[T]) -> Sequence[T]:
    """The quotas of a namespace, or of all; raises `Failure` where they may not be listed."""
    found = await listed(api, paths.QUOTAS, namespace, into=into)
    if found is None:
        hint = "" if namespace else "; without -A those of one namespace are read"
        raise Failure(f"{refusal.forbidden(paths.QUOTAS, namespace)}{hint}")
    return found


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


def name_of(raw: msgspec.Raw) -> str:
    """The bare name of an object; raises ``msgspec.MsgspecError``."""
    return msgspec.json.decode(raw, type=_Named).metadata.name


def _name(raw: msgspec.Raw) -> str:
    try:
        return str(msgspec.json.decode(raw, type=_Named).metadata.key)
    except (msgspec.MsgspecError, RecursionError):
        return "one without a readable name"
