"""A profile before and after an edit, with the facts that must be read for it.

``old`` is None for a creation. A deletion has a rule of its own (``profile_removal``).
"""

from collections.abc import Mapping, Sequence

from elasticquota.model.key import Key
from elasticquota.model.profile import Profile
from elasticquota.structs import Struct, field


class ProfileChange(Struct, frozen=True):
    """What a rule about profiles judges."""

    old: Profile | None
    new: Profile
    others: Sequence[Profile] = ()
    """The other stored profiles."""
    overlaps: Mapping[Key, Sequence[str]] = field(default_factory=dict)
    """By other profile, the nodes that both select; read only if `needs_nodes`."""
    size: int = 0
    """Bytes of JSON of the object after the edit."""
    old_size: int = 0
    """Bytes of JSON of the stored object; 0 for a creation."""

    @property
    def needs_nodes(self) -> bool:
        """The nodes must be read, because a selector is new and there are other profiles."""
        return (
            bool(self.others)
            and not self.new.selects_unknown
            and (self.old is None or self.old.selector != self.new.selector)
        )
