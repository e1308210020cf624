"""An owner in its namespace, and the object that gets the events for it."""

from typing import NamedTuple

from elasticquota.jobs.adapter import JobKind
from elasticquota.model.owner import Owner
from elasticquota.reporting import kinds
from elasticquota_kube.events import Regarding
from elasticquota_operator.reporting.owner_reader import OwnerReader


class OwnerPlace(NamedTuple):
    """A forged reference may have the uid of an object elsewhere, so a uid alone is not enough."""

    namespace: str
    owner: Owner

    @property
    def regarding(self) -> Regarding:
        """The object, for its events."""
        owner = self.owner
        return Regarding(owner.api_version, owner.kind, self.namespace, owner.name, owner.uid)

    def top(self, reader: OwnerReader) -> "OwnerPlace | None":
        """The object that a user made, if ``reader`` knows it; None also for a pod, which has
        events of its own.
        """
        found = reader.known(self.namespace, self.owner)
        if found is None or found.owner is None:
            return None
        owner = found.owner
        is_pod = JobKind(owner.group, owner.kind) == kinds.POD
        return None if is_pod else OwnerPlace(self.namespace, owner)
