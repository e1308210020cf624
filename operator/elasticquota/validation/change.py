"""A change is one quota before and after somebody's edit, with the facts that only a read can tell.

``old`` is None for a creation, ``new`` is None for a removal. Times, uid and generation are no
meaning: an edit that touches nothing else is no change at all.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field

from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.resources import EMPTY, Resources


@dataclass(frozen=True, slots=True)
class Change:
    """What a rule judges; at least one of ``old`` and ``new`` is given."""

    old: Quota | None
    new: Quota | None
    pods: tuple[Key, ...] = ()
    """Live pods of the quota, read only when `needs_pods`."""
    more_pods: bool = False
    """There are pods beyond ``pods`` that were not read."""
    used: Resources = field(default_factory=dict)
    """What the pods of the stored quota use, with all quotas below; empty for a creation."""
    used_by: Mapping[str, Resources] = field(default_factory=dict)
    """By quota, what its pods and all below use; read only when ``guaranteed_use`` needs it."""
    namespace_leaves: bool = False
    """The quota's namespace is being deleted, and everything in it goes anyway."""

    name_of_namespace: bool = False
    """There is a namespace of the quota's name."""

    @property
    def quota(self) -> Quota:
        """The quota after the change, or the one that goes."""
        quota = self.new or self.old
        if quota is None:
            raise ValueError("a change needs an old or a new quota")
        return quota

    @property
    def means_nothing(self) -> bool:
        """Both sides say the same: an edit of other metadata, or of the status."""
        if self.old is None or self.new is None:
            return False
        alike = dataclasses.replace(
            self.new,
            uid=self.old.uid,
            created=self.old.created,
            generation=self.old.generation,
        )
        return alike == self.old

    @property
    def moves(self) -> bool:
        """The quota gets a place under a parent: it is new, or its parent changes."""
        return self.new is not None and (self.old is None or self.old.parent != self.new.parent)

    @property
    def needs_pods(self) -> bool:
        """Only the pods that live now can tell whether this may happen."""
        if self.new is None:
            return True
        return self.old is not None and self.new.is_parent and not self.old.is_parent

    @property
    def old_min(self) -> Resources:
        """The min before; empty for a creation. A missing key is 0."""
        return self.old.min if self.old is not None else EMPTY
