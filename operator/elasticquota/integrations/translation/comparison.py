"""Compares wanted quotas with stored ones: in sync, missing, different, or unwanted.

An earlier comparison is reused when every quota is still in the same place. Then only quotas that
have changed are compared.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from elasticquota.model.key import Key
from elasticquota.model.quota import Quota


class Asked(NamedTuple):
    """The input of a comparison; see ``sync.plan``."""

    dialect: str
    waiting: frozenset[str]
    blocking: frozenset[str]
    wanted: tuple[Quota, ...]
    stored: tuple[Quota, ...]


class Comparison(NamedTuple):
    """The result of a comparison."""

    asked: Asked
    free: Mapping[Key, Quota]
    """The wanted quotas that can exist."""
    kept: Mapping[Key, Quota]
    """The stored quotas that the dialect may change."""
    odd: frozenset[Key]
    """Keys of ``free`` quotas that are not stored or differ from the stored ones."""
    gone: tuple[Quota, ...]
    """The ``kept`` quotas that are not wanted any more."""
    taken: tuple[str, ...]


def of(asked: Asked, before: Comparison | None) -> Comparison:
    """Compare; ``before`` is any earlier result, returned as it is when nothing has changed."""
    return _followed_up(asked, before) or _anew(asked)


def _anew(asked: Asked) -> Comparison:
    kept: dict[Key, Quota] = {}
    others: set[str] = set()
    for quota in asked.stored:
        if quota.kept_for != asked.dialect:
            others.add(quota.name)
        elif quota.name not in asked.waiting:
            kept[quota.key] = quota
    free: dict[Key, Quota] = {}
    taken: dict[str, None] = {}
    for quota in asked.wanted:
        if quota.name in others or quota.parent in taken:
            taken[quota.name] = None
        else:
            free[quota.key] = quota
    odd = frozenset(key for key in free if not _is_in_step(key, free, kept, asked))
    gone = tuple(kept[key] for key in kept.keys() - free.keys())
    return Comparison(asked, free, kept, odd, gone, tuple(taken))


def _followed_up(asked: Asked, past: Comparison | None) -> Comparison | None:
    """The comparison after edits that move no quota; None when there are other changes."""
    if past is None or asked[:3] != past.asked[:3]:
        return None
    wanted = _edited(past.asked.wanted, asked.wanted)
    stored = _edited(past.asked.stored, asked.stored)
    if wanted is None or stored is None:
        return None
    if not (wanted or stored):
        return past
    free = {**past.free, **{key: each for key, each in wanted.items() if key in past.free}}
    kept = {**past.kept, **{key: each for key, each in stored.items() if key in past.kept}}
    looked_at = (wanted.keys() | stored.keys()) & free.keys()
    odd = {key for key in looked_at if not _is_in_step(key, free, kept, asked)}
    gone = tuple(kept[quota.key] for quota in past.gone)
    return Comparison(asked, free, kept, past.odd - looked_at | odd, gone, past.taken)


def _edited(before: Sequence[Quota], after: Sequence[Quota]) -> dict[Key, Quota] | None:
    """The quotas that changed; None when a quota was added, removed or moved."""
    if len(before) != len(after):
        return None
    pairs = [(old, new) for old, new in zip(before, after, strict=True) if old is not new]
    if any(_place(old) != _place(new) for old, new in pairs):
        return None
    return {new.key: new for _, new in pairs}


def _place(quota: Quota) -> tuple[Key, str, str]:
    return quota.key, quota.parent, quota.kept_for


def _is_in_step(
    key: Key, free: Mapping[Key, Quota], kept: Mapping[Key, Quota], asked: Asked
) -> bool:
    stored = kept.get(key)
    return stored is not None and agree(stored, free[key], key.name in asked.blocking)


def agree(stored: Quota, wanted: Quota, is_strict: bool) -> bool:
    """Whether two quotas are equal in all that a translation sets, with ``strict_queue``."""
    return (
        stored.min == wanted.min
        and stored.max == wanted.max
        and same(stored.namespaces, wanted.namespaces)
        and stored.parent == wanted.parent
        and stored.is_parent == wanted.is_parent
        and stored.reclaim_grace == wanted.reclaim_grace
        and stored.strict_queue == is_strict
        and stored.nodes == wanted.nodes
        and stored.limits == wanted.limits
        and not stored.faults
    )


def same(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two lists have the same members, in any order."""
    return one == other or set(one) == set(other)
