"""Sums amounts up a tree: a quota holds what its own pods hold plus what its children hold.

Amounts are not cut, as for used and admitted (semantics 3). ``sharing.solver`` sums requests, which
are cut by max.
"""

from collections.abc import Mapping

from elasticquota import resources
from elasticquota.forest.structure import Tree
from elasticquota.resources import EMPTY, Resources


def roll_up(tree: Tree, own: Mapping[str, Resources]) -> dict[str, dict[str, int]]:
    """Return the sum for every quota of the tree; a quota missing in ``own`` holds nothing."""
    sums: dict[str, dict[str, int]] = {}
    for name in reversed(tree.order):
        below = (sums[child] for child in tree.children[name])
        sums[name] = resources.add(own.get(name, EMPTY), *below)
    return sums
