"""Demand rolls up: a parent asks for what its children ask for, each cut by its own max (K 2.3).

request = own pods + the children's limited requests, and at least min where lending is off, for
then an idle guarantee is kept as if it were used. limited request = request cut by max; only that
goes up. A child's max may exceed its parent's: the parent's own max cuts at the next level.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from elasticquota import resources
from elasticquota.forest.structure import Forest, Tree
from elasticquota.resources import EMPTY, Resources


@dataclass(frozen=True, slots=True)
class Demand:
    """By quota name, for every quota of the tree."""

    request: Mapping[str, Resources]
    limited: Mapping[str, Resources]


def request(tree: Tree, forest: Forest, own_request: Mapping[str, Resources]) -> Demand:
    """The demand of a tree, from ``own_request``: what each quota's own pods ask for."""
    requests: dict[str, Resources] = {}
    limited: dict[str, Resources] = {}
    for name in reversed(tree.order):
        quota = forest.quotas[name]
        below = (limited[child] for child in tree.children[name])
        asked: Resources = resources.add(resources.positive(own_request.get(name, EMPTY)), *below)
        if not quota.allow_lent:
            asked = resources.maximum(asked, forest.effective_min(name))
        requests[name] = asked
        limited[name] = resources.maximum(resources.cut(asked, quota.max), EMPTY)
    return Demand(requests, limited)
