"""Compares wanted quotas with stored ones: in sync, missing, different, or unwanted."""

from collections.abc import Mapping
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

    free: Mapping[Key, Quota]
    """The wanted quotas that can exist."""
    kept: Mapping[Key, Quota]
    """The stored quotas that the dialect may change."""
    odd: frozenset[Key]
    """Keys of ``free`` quotas that are not stored or differ from the stored ones."""
    gone: tuple[Quota, ...]
    """The ``kept`` quotas that are not wanted any more."""
    taken: tuple[str, ...]


def of(asked: Asked) -> Comparison:
    """Compare the wanted quotas with the stored ones."""
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
    return Comparison(free, kept, odd, gone, tuple(taken))


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
