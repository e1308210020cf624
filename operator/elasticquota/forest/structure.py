"""A forest has one tree per root quota, and a verdict on every stored quota.

The three built-in quotas exist whether they have objects or not (K 1.4): the root of the default
tree is ``koordinator-root-quota``, its child is ``koordinator-default-quota``, and
``koordinator-system-quota`` is in no tree. This file only answers questions; ``acceptance.build``
decides the place of each quota.
"""

from collections.abc import Mapping

from elasticquota import names
from elasticquota.forest import settings
from elasticquota.forest.index import ForestIndex
from elasticquota.forest.settings import SharingTerms
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.model.verdict import Verdict
from elasticquota.resources import EMPTY, Resources
from elasticquota.structs import Struct


class Tree(Struct, frozen=True):
    """One root quota and its descendants, by quota name."""

    id: str
    """Tree id; empty for the default tree."""
    root: str
    order: tuple[str, ...]
    """Every quota of the tree, level by level from the root, siblings by name."""
    children: Mapping[str, tuple[str, ...]]
    """Children of every quota of the tree, sorted by name; empty for a quota without children."""
    guarantees_use: bool = False
    """Guarantee mode: usage is guaranteed like min and never reclaimed, and no quota lends
    (semantics 4)."""
    limits_by_max: bool = False
    """Every quota may use its max, as far as its parent has it."""
    scales_min: bool = True
    """Guarantees that do not fit shrink in proportion."""


class Forest(Struct, frozen=True):
    """All quotas at one moment."""

    quotas: Mapping[str, Quota]
    """By name: the object that holds the name, or the built-in quota (its ``uid`` is empty)."""
    trees: Mapping[str, Tree]
    """By tree id; the default tree always exists."""
    tree_of: Mapping[str, str]
    """Quota name -> tree id, for quotas that are attached to a tree."""
    verdicts: Mapping[Key, Verdict]
    """For every object, whether it holds its name or not; built-in quotas have none."""
    index: ForestIndex
    """Children and bound namespaces of ``quotas``."""
    terms: SharingTerms = settings.USUAL
    """The settings that decided the verdicts."""

    def stands_for(self, quota: Quota) -> bool:
        """Whether this object is the quota of its name: its pods, its figures, its place.

        It holds the name, or it is an accepted object of the root or the system quota, which hold
        their names themselves. Objects of these names that are not accepted count for nothing.
        """
        held = self.quotas.get(quota.name)
        if held is None:
            return False
        if quota.name in (names.ROOT_QUOTA, names.SYSTEM_QUOTA):
            verdict = self.verdicts.get(quota.key)
            return verdict is not None and verdict.accepted
        return held.key == quota.key

    def path(self, name: str) -> tuple[str, ...]:
        """Return the quota, its parent and so on up to the root; empty if it is in no tree."""
        if name not in self.tree_of:
            return ()
        root = self.trees[self.tree_of[name]].root
        steps = [name]
        while steps[-1] != root:
            steps.append(self.quotas[steps[-1]].parent)
        return tuple(steps)

    def branch(self, name: str, other: str) -> str:
        """The quota on the path of ``name`` directly below the nearest one that both paths have.

        ``name`` itself where it is that one.
        """
        above = set(self.path(other))
        own = [each for each in self.path(name) if each not in above]
        return own[-1] if own else name

    def is_root_of_a_tree(self, name: str) -> bool:
        """Whether the quota is the top of its tree."""
        return name in self.tree_of and self.trees[self.tree_of[name]].root == name

    def is_leaf(self, name: str) -> bool:
        """Whether pods belong here: a known quota that is not marked as a parent."""
        return name in self.quotas and not self.quotas[name].is_parent

    def bound(self, quota: Quota) -> frozenset[str]:
        """The namespaces that ``quota`` binds: of those that it names, none of the system."""
        return quota.bound - self.terms.system_namespaces

    def takes_labelled_only(self, quota: Quota) -> bool:
        """Whether pods belong to ``quota``, but none that does not name it."""
        of_pods = not (quota.is_parent or quota.is_root or quota.name in names.RESERVED_QUOTAS)
        return of_pods and not (quota.binds_any and self.bound(quota))

    def observes(self, name: str) -> bool:
        """Whether the quota's tree is in observe mode: its pods do not wait and are not evicted.

        For a quota that is in no tree, the tree of the nearest quota above that is in one counts,
        and if there is none, the tree with the quota's tree id, which its author may forge.
        """
        if self.terms.observes_everywhere:
            return True
        if name not in self.quotas:
            return self.terms.observes
        tree_id = self.tree_of.get(name)
        tree = self.trees.get(self._tree_above(name) if tree_id is None else tree_id)
        chosen = self.quotas[tree.root].observes if tree else None
        return self.terms.observes if chosen is None else chosen

    def _tree_above(self, name: str) -> str:
        """The tree of the nearest quota above ``name`` in one, or else the claimed tree id."""
        above, passed = name, set[str]()
        while above in self.quotas and not (above in self.tree_of or above in passed):
            passed.add(above)
            if not self.quotas[above].is_root:
                above = self.quotas[above].parent
        return self.tree_of.get(above, self.quotas[name].tree_id)

    def paused_at(self, name: str) -> str:
        """The nearest paused quota on the path of the quota; empty if there is none."""
        return next((each for each in self.path(name) if self.quotas[each].paused), "")

    def accepted(self, name: str) -> bool:
        """Whether the quota is accepted; built-in quotas always are, unknown names never."""
        if name not in self.quotas:
            return False
        verdict = self.verdicts.get(self.quotas[name].key)
        return verdict is None or verdict.accepted

    def effective_min(self, name: str) -> Resources:
        """Return min, or nothing while the quota is not accepted (semantics 6)."""
        return self.quotas[name].min if self.accepted(name) else EMPTY

    def descendants(self, name: str) -> tuple[str, ...]:
        """Return all quotas below, level by level, siblings by name; empty if it is in no tree."""
        if name not in self.tree_of:
            return ()
        children = self.trees[self.tree_of[name]].children
        below = list(children[name])
        for quota in below:
            below.extend(children[quota])
        return tuple(below)
