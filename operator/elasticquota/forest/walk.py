"""Amounts of a tree roll up: a quota holds what its own pods hold and what its children hold.

Unlimited, as used and admitted are (semantics 3); limited requests roll up in ``sharing.demand``.
"""

from collections.abc import Mapping

from elasticquota import resources
from elasticquota.forest.structure import Tree
from elasticquota.resources import EMPTY, Resources


def roll_up(tree: Tree, own: Mapping[str, Resources]) -> dict[str, dict[str, int]]:
    """Sums for every quota of the tree; a quota missing in ``own`` holds nothing itself."""
    sums: dict[str, dict[str, int]] = {}
    for name in reversed(tree.order):
        below = (sums[child] for child in tree.children[name])
        sums[name] = resources.add(own.get(name, EMPTY), *below)
    return sums
