"""EQ1103-pool: a key that bounds a pool names a pool of the tree, and a resource counted there.

A key with a misspelled pool bounds nothing, so the limit that was meant does not hold. Only keys
that the change adds are judged.
"""

from collections.abc import Iterator

from elasticquota import pool_keys
from elasticquota.forest import pool_bounds
from elasticquota.forest.structure import Forest
from elasticquota.forest.violation import Violation
from elasticquota.validation.change import Change


def check(change: Change, forest: Forest) -> Iterator[Violation]:
    """Yield the keys of max and min that bound nothing."""
    quota = change.quota
    root = None if change.new is None or quota.is_root else pool_bounds.root_of(quota, forest)
    if root is None:
        return
    old = None if change.moves else change.old
    for side, keys, before in (
        ("max", quota.max.keys(), () if old is None else old.max.keys()),
        ("min", quota.min.keys(), () if old is None else old.min.keys()),
    ):
        for found in pool_bounds.unknown(keys - set(before), root):
            where = pool_keys.field(side, found.key)
            yield Violation("EQ1103-pool", where, found.message, found.remedy)
