"""Finds how a command line may go on: verbs, flags, values of flags, and live names.

Nothing here fails: what cannot be read gives no candidates.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from elasticquota_cli import verbs
from elasticquota_cli.arguments import options, resource
from elasticquota_cli.arguments.parser import Parser
from elasticquota_cli.completion import names
from elasticquota_cli.failures.failure import Failure
from elasticquota_kube.client.credentials.login import Login


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
            yield from _objects(action.kinds, given, partial, names.login(values))
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
        yield from names.of_kind("namespace", names.login(given))
    elif action.dest in _OF_KUBECONFIG:
        yield from names.of_kubeconfig(action.dest, names.login(given))


def _objects(
    kinds: Sequence[str], given: Sequence[str], partial: str, login: Login
) -> Iterator[str]:
    """Kinds, then names of objects; a verb with one kind needs no kind."""
    kind, slash, _ = partial.partition("/")
    if slash:
        known = resource.kind_of(kind)
        if known in kinds and not given:
            yield from (f"{kind}/{name}" for name in names.of_kind(known, login))
        return
    known = resource.kind_of(given[0]) if given else ""
    if known in kinds and len(given) == 1:
        yield from names.of_kind(known, login)
    elif not given and len(kinds) == 1:
        yield from names.of_kind(kinds[0], login)
    elif not given:
        yield from kinds
