"""What the administrator chose for trees: data that verdicts and places go by.

Which rules refuse is chosen tree by tree (``validation.severity``); what admission lets pass there
by choice, the controller must not refuse afterwards. The defaults are the peer's.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Where:
    """In which trees something holds: in all or in none but the named ones."""

    usually: bool
    other_trees: frozenset[str] = frozenset()

    def holds_in(self, tree_id: str | None) -> bool:
        """None: outside of all trees."""
        return self.usually != (tree_id in self.other_trees)


EVERYWHERE: Final = Where(usually=True)
NOWHERE: Final = Where(usually=False)


@dataclass(frozen=True, slots=True)
class Terms:
    """One set of choices."""

    sums_refused: Where = EVERYWHERE
    """Where children must not be guaranteed more than their parent is (EQ1104). Elsewhere
    guarantees that do not fit are filled in proportion."""
    keys_told: Where = EVERYWHERE
    """Where a quota should limit only resources that its parent limits (EQ1103)."""
    guarantees_use: bool = False
    """Guarantee mode of trees that do not say theirs."""
    default_tree_guarantees_use: bool = False
    """That of the default tree, if no object of its root quota says it."""
    observes: bool = False
    """Whether trees that do not say their mode, and quotas outside of all trees, only observe."""
    default_tree_observes: bool = False
    """The same of the default tree, if no object of its root quota says it."""
    default_tree_takes: tuple[str, ...] | None = None
    """Whose quotas may hang directly below its root (EQ1113); None: everybody's."""
    home: str | None = None
    """The release's namespace: only there an object of a reserved name counts (EQ1110), for only
    administrators of quotas write there. None: nothing is known of a release, and all count."""


USUAL: Final = Terms()
