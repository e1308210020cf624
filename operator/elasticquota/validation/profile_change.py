"""A profile before and after somebody's edit, with the facts that only a read can tell.

``old`` is None for a creation. Nothing is asked about a removal: the controller keeps the root as
long as quotas stand below it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from elasticquota.model.key import Key
from elasticquota.model.profile import Profile


@dataclass(frozen=True, slots=True)
class ProfileChange:
    """What a rule about profiles judges."""

    old: Profile | None
    new: Profile
    others: Sequence[Profile] = ()
    """The other stored profiles."""
    overlaps: Mapping[Key, Sequence[str]] = field(default_factory=dict)
    """By other profile, nodes that both select; read only when `needs_nodes`."""

    @property
    def needs_nodes(self) -> bool:
        """Only the nodes that are there now can tell whether profiles share some."""
        return (
            bool(self.others)
            and not self.new.selects_unknown
            and (self.old is None or self.old.selector != self.new.selector)
        )
