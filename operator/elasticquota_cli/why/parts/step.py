"""One sum on the path of a pod: what a quota has admitted, and what the pod asks for."""

from elasticquota.structs import Struct


class PathStep(Struct, frozen=True):
    """One sum, in accounting units."""

    quota: str
    key: str
    admitted: int
    """Includes the pods that this cycle admits, and the pod itself if it is admitted."""
    asked: int
    """What the pod still asks for: 0 if it is admitted."""
    limit: int | None
    """None: no limit, or one that the user may not read."""
    min: int
    max: int | None
    at_nodes: bool = False
    """Whether the limit is what the nodes of the tree offer."""
    itself: bool = False
    """Whether it is about a parent quota's own pods, which share with its children."""

    @property
    def missing(self) -> int:
        return 0 if self.limit is None else max(0, self.admitted + self.asked - self.limit)
