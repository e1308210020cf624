"""Finds how a command line may go on: verbs, flags, values of flags, and live names.

Nothing here fails: what cannot be read gives no candidates.
"""

import argparse
import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from elasticquota import names
from elasticquota_cli import verbs
from elasticquota_cli.arguments import options, resource
from elasticquota_cli.arguments.parser import Parser
from elasticquota_cli.failures.failure import Failure
from elasticquota_cli.live import listing
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.credentials import credentials, kubeconfig
from elasticquota_kube.client.credentials.login import Login
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.client.rest.errors import ApiError


_PROGRAM: Final = "elastic-quota"
_OF_KUBECONFIG: Final = ("context", "cluster", "user")
_ALWAYS: Final = ("help", "--help", "--version")


def of(words: Sequence[str]) -> list[str]:
    """The candidates for the last of ``words``, which are those after the program's name."""
    *before, partial = words or ("",)
    ordered = options.verb_first(before)
    begun = bool(ordered) and not ordered[0].startswith("-")
    verb = verbs.of(ordered[0]) if begun else None
    if ordered[:1] == ["help"]:
        candidates: Iterator[str] = (each.name for each in verbs.VERBS)
    elif verb is None:
        candidates = iter(() if begun else (*(each.name for each in verbs.VERBS), *_ALWAYS))
    else:
        try:
            candidates = _of_verb(verb.parser(_PROGRAM), ordered[1:], partial)
        except Failure:  # its distribution is not installed
            candidates = iter(())
    # What is not printable would command the shell's terminal, and what replaces it names nothing.
    return sorted({each for each in candidates if each.startswith(partial) and each.isprintable()})


def _of_verb(parser: Parser, before: Sequence[str], partial: str) -> Iterator[str]:
    inner = parser.inner(before)
    if inner is not None:
        yield from _of_verb(*inner, partial)
        return
    flag, equals, _ = partial.partition("=")
    values, given = parser.parted(before)
    if equals and (action := parser.action_of(flag)) is not None:
        yield from (f"{flag}={each}" for each in _values(action, values))
        return
    if partial.startswith("-"):
        yield from parser.flags()
        return
    action = parser.action_of(before[-1]) if before else None
    if action is not None and action.nargs != 0:
        yield from _values(action, values)
        return
    for action in parser.positional():
        if isinstance(action, options.Words):
            yield from _objects(action.kinds, given, partial, login(values))
            return
        if not given:
            yield from map(str, action.choices or ())
            return
        given = given[1:]


def _values(action: argparse.Action, given: Mapping[str, Any]) -> Iterator[str]:
    """The values of a flag; none for files, which the shell completes."""
    if action.choices:
        yield from map(str, action.choices)
    elif action.dest == "namespace":
        yield from of_kind("namespace", login(given))
    elif action.dest in _OF_KUBECONFIG:
        yield from of_kubeconfig(action.dest, login(given))


def _objects(
    kinds: Sequence[str], given: Sequence[str], partial: str, login: Login
) -> Iterator[str]:
    """Kinds, then names of objects; a verb with one kind needs no kind."""
    kind, slash, _ = partial.partition("/")
    if slash:
        known = resource.kind_of(kind)
        if known in kinds and not given:
            yield from (f"{kind}/{name}" for name in of_kind(known, login))
        return
    known = resource.kind_of(given[0]) if given else ""
    if known in kinds and len(given) == 1:
        yield from of_kind(known, login)
    elif not given and len(kinds) == 1:
        yield from of_kind(kinds[0], login)
    elif not given:
        yield from kinds


_SECONDS: Final = 2.0
"""For a list: a shell waits no longer."""
_RESOURCES: Final = {
    "namespace": paths.NAMESPACES,
    "quota": paths.QUOTAS,
    "tree": paths.QUOTAS,
    "profile": paths.PROFILES,
    "pod": paths.PODS,
    "job": Resource("batch", "v1", "jobs"),
    "deployment": paths.DEPLOYMENTS,
    "statefulset": Resource("apps", "v1", "statefulsets"),
    "replicaset": Resource("apps", "v1", "replicasets"),
    "daemonset": Resource("apps", "v1", "daemonsets"),
    "cronjob": Resource("batch", "v1", "cronjobs"),
}
_OF_ROOTS: Final = {"labelSelector": f"{names.IS_ROOT}=true"}
_EVERYWHERE: Final = ("namespace", "quota", "tree")
"""Kinds whose names mean the same in all namespaces."""


def login(given: Mapping[str, Any]) -> Login:
    """The login of a line that is not finished, from the flags that it has."""
    return options.login(argparse.Namespace(**given))


def of_kubeconfig(what: str, chosen: Login) -> list[str]:
    """The names of contexts, clusters or users."""
    with contextlib.suppress(Exception):
        return [*getattr(kubeconfig.read(credentials.files(chosen)), f"{what}s")]
    return []


def of_kind(kind: str, chosen: Login) -> list[str]:
    """The names of the objects of a kind: in all namespaces, or in that of the login."""
    with contextlib.suppress(Exception):
        cluster = listing.Cluster(chosen)
        usual = cluster.namespace
        if kind in _EVERYWHERE and not chosen.namespace:
            with contextlib.suppress(ApiError):
                return cluster.run(lambda api: _listed(api, kind, None))
        return cluster.run(lambda api: _listed(api, kind, usual))
    return []


async def _listed(api: Api, kind: str, namespace: str | None) -> list[str]:
    found: list[str] = []
    where = None if kind == "namespace" else namespace
    params = _OF_ROOTS if kind == "tree" else {}
    quick = api.within(_SECONDS)
    async for page in quick.pages(_RESOURCES[kind], where, params=params, metadata_only=True):
        found += [listing.name_of(raw) for raw in page.items or ()]
    return found
