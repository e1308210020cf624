"""Reads which object a command is about, in the forms that kubectl takes.

``KIND NAME``, ``KIND/NAME``, and NAMESPACE/NAME in place of NAME. A kind may have its short name,
its plural, and its API group: ``po``, ``pods``, ``deployments.apps``.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from elasticquota_cli.failures import nearest
from elasticquota_cli.failures.failure import BAD_INPUT, Failure


ALIASES: Final = {
    "pod": ("po", "pods"),
    "quota": ("quotas", "eq", "elasticquota", "elasticquotas"),
    "tree": ("trees",),
    "profile": ("profiles", "eqp", "elasticquotaprofile", "elasticquotaprofiles"),
    "job": ("jobs",),
    "deployment": ("deploy", "deployments"),
    "statefulset": ("sts", "statefulsets"),
    "replicaset": ("rs", "replicasets"),
    "daemonset": ("ds", "daemonsets"),
    "cronjob": ("cj", "cronjobs"),
}
"""By kind, its other names, as kubectl knows them."""
OWNERS: Final = ("deployment", "statefulset", "replicaset")
"""Kinds whose pods are asked about together."""
_KINDS: Final = {alias: kind for kind, all_ in ALIASES.items() for alias in (kind, *all_)}


class Named(NamedTuple):
    """An object as the user named it."""

    kind: str
    """A key of `ALIASES`."""
    namespace: str
    """Empty: none was given."""
    name: str


def kind_of(written: str) -> str:
    """The kind of this name, a key of `ALIASES`; empty: there is none."""
    return _KINDS.get(written.lower().partition(".")[0], "")


def names_of(kind: str) -> tuple[str, ...]:
    """All names of a kind."""
    return (kind, *ALIASES[kind])


def read(words: Sequence[str], kinds: Sequence[str], namespace: str = "", known: str = "") -> Named:
    """The object that the words name; raises `Failure`.

    ``kinds`` are those that the verb takes; ``namespace`` is that of ``-n``, or empty. ``known`` is
    the kind, if it has been read already.
    """
    kind, name = _parted(words, kinds, known)
    own, _, bare = name.rpartition("/")
    if not bare or "/" in own or name.startswith("/"):
        raise Failure(f"'{name}': must be NAME or NAMESPACE/NAME", BAD_INPUT)
    if own and namespace and own != namespace:
        text = f"'{name}' is in namespace {own}, but --namespace says {namespace}"
        raise Failure(text, BAD_INPUT)
    return Named(kind, own or namespace, bare)


def _parted(words: Sequence[str], kinds: Sequence[str], known: str) -> tuple[str, str]:
    """The kind and the name."""
    if len(words) == 2:
        return known or _kind(words, words[0], kinds), words[1]
    if len(words) == 1 and "/" in words[0]:
        kind, _, name = words[0].partition("/")
        return known or _kind(words, kind, kinds), name
    if len(words) == 1:
        kind = _kind(words, words[0], kinds)
        raise _failure(words, kinds, f"the NAME of the {kind} is missing")
    raise _failure(words, kinds, f"one object is wanted, got {len(words)} arguments")


def _kind(words: Sequence[str], written: str, kinds: Sequence[str]) -> str:
    kind = kind_of(written)
    if kind not in kinds:
        # Short names are near to everything.
        known = [alias for each in kinds for alias in names_of(each) if len(alias) > 2]
        raise _failure(words, kinds, f"unknown kind '{written}'{nearest.hint(written, known)}")
    return kind


def _failure(words: Sequence[str], kinds: Sequence[str], why: str) -> Failure:
    forms = f"KIND NAME or KIND/NAME, with KIND one of: {', '.join(kinds)}"
    return Failure(f"'{' '.join(words)}': {why}; must be {forms}", BAD_INPUT)
