"""The administrator's choices for trees that decide verdicts and places of quotas.

The administrator chooses tree by tree which rules refuse (``validation.severity``). What admission
allows by that choice, the controller must not refuse afterwards. The defaults are Koordinator's.
"""

from typing import Final

from elasticquota.structs import Struct


class TreeSelection(Struct, frozen=True):
    """The trees in which something holds: all, or none, except for the named trees."""

    usually: bool
    other_trees: frozenset[str] = frozenset()
    """Ids of the trees in which the opposite of ``usually`` holds."""

    def holds_in(self, tree_id: str | None) -> bool:
        """Whether it holds in this tree; None: outside of all trees."""
        return self.usually != (tree_id in self.other_trees)


EVERYWHERE: Final = TreeSelection(usually=True)
NOWHERE: Final = TreeSelection(usually=False)


class SharingTerms(Struct, frozen=True):
    """One set of choices."""

    sums_refused: TreeSelection = EVERYWHERE
    """The trees in which the sum of the children's min must fit the parent's (EQ1104). In other
    trees guarantees that do not fit are filled in proportion."""
    keys_warned: TreeSelection = EVERYWHERE
    """The trees with a warning for resources that a quota limits and its parent does not
    (EQ1103)."""
    guarantees_use: bool = False
    """Guarantee mode of trees that do not set it themselves."""
    default_tree_guarantees_use: bool = False
    """Guarantee mode of the default tree, unless an object of its root quota sets it."""
    limits_by_max: bool = False
    """Every quota may use its max, whatever others ask for: Koordinator's ``enableRuntimeQuota:
    false``."""
    scales_min: bool = True
    """Guarantees that do not fit shrink in proportion: Koordinator's ``enableMinQuotaScale``."""
    observes: bool = False
    """Observe mode of trees that do not set a mode themselves, and of quotas outside of trees."""
    observes_everywhere: bool = False
    """Observe mode of all trees, whatever they set themselves: another controller decides."""
    default_tree_observes: bool = False
    """Observe mode of the default tree, unless an object of its root quota sets a mode."""
    default_tree_takes: tuple[str, ...] | None = None
    """The namespaces whose quotas may be directly below the default root (EQ1113); None: all."""
    system_namespaces: frozenset[str] = frozenset({"kube-system"})
    """Their pods belong to the system quota, so no quota binds them."""
    home: str | None = None
    """The release's namespace. Only there an object with a reserved name counts (EQ1110), because
    only administrators of quotas write there. None: the namespace is unknown, and all count."""


USUAL: Final = SharingTerms()
