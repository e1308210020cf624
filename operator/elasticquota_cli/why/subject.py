"""What the words of a question name: the one place that decides it for ``why`` and ``explain``."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from elasticquota.model.key import Key
from elasticquota_cli.arguments import resource
from elasticquota_cli.failures.failure import BAD_INPUT, Failure


KINDS: Final = ("pod", *resource.OWNERS, "job", "quota")


class AskedObject(NamedTuple):
    """The object in question."""

    kind: str
    """In small letters; empty: a pod or a workload, whichever is there."""
    key: Key
    """Of a quota maybe without a namespace."""

    def within(self, namespace: str) -> "AskedObject":
        """The same in the namespace, if none was given; names of quotas need none."""
        if self.key.namespace or self.kind == "quota":
            return self
        return self._replace(key=Key(namespace, self.key.name))


def of(words: Sequence[str], namespace: str) -> AskedObject:
    """The object; ``namespace`` is that of ``-n``, or empty. Raises `Failure`."""
    words = _with_kind(words)
    other = _other_kind(words)
    if other:
        return AskedObject(other, Key(*resource.read(words, (other,), namespace, known=other)[1:]))
    if len(words) == 1 and words[0].count("/") < 2 and not _names_a_kind(words[0]):
        own, _, name = words[0].rpartition("/")
        if not name:
            raise Failure(f"'{words[0]}': must be NAME or NAMESPACE/NAME", BAD_INPUT)
        return AskedObject("", Key(own or namespace, name))
    named = resource.read(words, KINDS, namespace)
    return AskedObject(named.kind, Key(named.namespace, named.name))


def _with_kind(words: Sequence[str]) -> Sequence[str]:
    """``job KIND/NAMESPACE/NAME`` picks one of two jobs by its kind."""
    if len(words) == 2 and words[1].count("/") == 2 and resource.kind_of(words[0]) == "job":
        kind, _, name = words[1].partition("/")
        return (kind, name) if resource.kind_of(kind) == "job" or _of_owner(kind) else words
    return words


def _other_kind(words: Sequence[str]) -> str:
    """The kind that the words begin with, if it is one that the table of owners adds to `KINDS`."""
    has_name = "/" in words[0] or len(words) > 1
    written = words[0].partition("/")[0]
    if not has_name or resource.kind_of(written.lower()) in KINDS:
        return ""
    return _of_owner(written)


def _of_owner(written: str) -> str:
    from elasticquota_cli.why import owners  # noqa: PLC0415 - loads all kinds of jobs

    known, plain = owners.names(), written.lower().partition(".")[0]
    return known.get(plain) or known.get(resource.kind_of(plain), "")


def _names_a_kind(word: str) -> bool:
    kind, slash, _ = word.partition("/")
    return bool(slash) and any(kind in (each, *resource.ALIASES[each]) for each in KINDS)
