"""A change is one quota before and after an edit, with the facts that must be read for it.

``old`` is None for a creation, ``new`` is None for a deletion. Times, uid and generation do not
count: an edit of nothing else is no change.
"""

from collections.abc import Mapping

from elasticquota import structs
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.resources import EMPTY, Resources
from elasticquota.structs import Struct, field


class Change(Struct, frozen=True):
    """What a rule judges; at least one of ``old`` and ``new`` is given."""

    old: Quota | None
    new: Quota | None
    pods: tuple[Key, ...] = ()
    """Live pods of the quota, read only if `needs_pods`."""
    more_pods: bool = False
    """There are pods beyond ``pods`` that were not read."""
    used: Resources = field(default_factory=dict)
    """What the pods of the stored quota and of all quotas below use; empty for a creation."""
    used_by: Mapping[str, Resources] = field(default_factory=dict)
    """By quota: what its pods and those below use; read only if ``guaranteed_use`` needs it."""
    namespace_leaves: bool = False
    """The quota's namespace is being deleted, and everything in it too."""
    permitted: frozenset[str] | None = None
    """Of the parents that ``child_namespaces.asks`` names, those below which the user may place
    quotas; None: that was not asked."""
    name_of_namespace: bool = False
    """There is a namespace with the quota's name."""
    size: int = 0
    """Bytes of JSON of the object after the change; 0: a deletion, or the size does not count."""
    old_size: int = 0
    """Bytes of JSON of the stored object."""

    @property
    def quota(self) -> Quota:
        """The quota after the change, or the deleted one.

        Raises ``ValueError`` for a change without any quota.
        """
        quota = self.new or self.old
        if quota is None:
            raise ValueError("a change needs an old or a new quota")
        return quota

    @property
    def means_nothing(self) -> bool:
        """Old and new are equal: an edit of other metadata, or of the status."""
        if self.old is None or self.new is None:
            return False
        alike = structs.replace(
            self.new,
            uid=self.old.uid,
            created=self.old.created,
            generation=self.old.generation,
        )
        return alike == self.old

    @property
    def moves(self) -> bool:
        """The quota gets a place below a parent: it is new, or its parent changes."""
        return self.new is not None and (self.old is None or self.old.parent != self.new.parent)

    @property
    def needs_pods(self) -> bool:
        """The live pods must be read: for a deletion, or a leaf that becomes a parent."""
        if self.new is None:
            return True
        return self.old is not None and self.new.is_parent and not self.old.is_parent

    @property
    def old_min(self) -> Resources:
        """The min before; empty for a creation. A missing key is 0."""
        return self.old.min if self.old is not None else EMPTY
