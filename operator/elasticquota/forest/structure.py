"""A forest is every quota in its place: one tree per root quota, and a verdict on every object.

The three built-in quotas exist without objects (K 1.4): ``koordinator-root-quota`` is the root of
the default tree, ``koordinator-default-quota`` its child, ``koordinator-system-quota`` stands in
no tree. This file only answers questions; ``judge.build`` decides who stands where.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from elasticquota.forest import settings
from elasticquota.forest.index import ForestIndex
from elasticquota.forest.settings import Terms
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.model.verdict import Verdict
from elasticquota.resources import EMPTY, Resources


@dataclass(frozen=True, slots=True)
class Tree:
    """One root quota and its descendants, by quota name."""

    id: str
    """Tree id; empty for the default tree."""
    root: str
    order: tuple[str, ...]
    """Every quota of the tree, level by level from the root, siblings by name."""
    children: Mapping[str, tuple[str, ...]]
    """Children of every quota of the tree, by name; empty for one that has none."""
    guarantees_use: bool = False
    """What runs is guaranteed like min and never taken back, and nothing is lent (semantics 4)."""


@dataclass(frozen=True, slots=True)
class Forest:
    """All quotas at one moment."""

    quotas: Mapping[str, Quota]
    """By name the object that holds the name, and the built-in quotas (``uid`` is empty)."""
    trees: Mapping[str, Tree]
    """By tree id; the default tree always exists."""
    tree_of: Mapping[str, str]
    """Quota name -> tree id, for quotas that are attached to a tree."""
    verdicts: Mapping[Key, Verdict]
    """On every object, whether it holds its name or not; built-in quotas need none."""
    index: ForestIndex
    """Who names whom, among ``quotas``."""
    terms: Terms = settings.USUAL
    """What the verdicts went by."""

    def path(self, name: str) -> tuple[str, ...]:
        """The quota, its parent and so on up to the root; empty when it is not attached."""
        if name not in self.tree_of:
            return ()
        root = self.trees[self.tree_of[name]].root
        steps = [name]
        while steps[-1] != root:
            steps.append(self.quotas[steps[-1]].parent)
        return tuple(steps)

    def is_leaf(self, name: str) -> bool:
        """Whether pods belong here: a known quota that is not marked as a parent."""
        return name in self.quotas and not self.quotas[name].is_parent

    def observes(self, name: str) -> bool:
        """Whether the tree of the quota only says what it would do: its pods wait for nothing and
        are never taken back. Outside of all trees, the one that the quota's tree id names counts.
        """
        if name not in self.quotas:
            return self.terms.observes
        tree = self.trees.get(self.tree_of.get(name, self.quotas[name].tree_id))
        chosen = self.quotas[tree.root].observes if tree else None
        return self.terms.observes if chosen is None else chosen

    def accepted(self, name: str) -> bool:
        """Whether the quota takes part; built-in quotas always do, unknown names never."""
        if name not in self.quotas:
            return False
        verdict = self.verdicts.get(self.quotas[name].key)
        return verdict is None or verdict.accepted

    def effective_min(self, name: str) -> Resources:
        """min, or nothing while the quota is not accepted (semantics 6)."""
        return self.quotas[name].min if self.accepted(name) else EMPTY

    def descendants(self, name: str) -> tuple[str, ...]:
        """All quotas below, level by level, siblings by name; empty when not attached."""
        if name not in self.tree_of:
            return ()
        children = self.trees[self.tree_of[name]].children
        below = list(children[name])
        for quota in below:
            below.extend(children[quota])
        return tuple(below)
