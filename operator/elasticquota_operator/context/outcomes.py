"""What became of decisions: writers report it, and each listener hears of it, in order."""

from collections.abc import Callable

from elasticquota.model.decision import Eviction, Release


class Outcomes:
    """Add listeners before the writers run."""

    def __init__(self) -> None:
        self.on_admitted: list[Callable[[Release], None]] = []
        self.on_evicted: list[Callable[[Eviction], None]] = []
        self.on_suspended: list[Callable[[Eviction], None]] = []

    def admitted(self, release: Release) -> None:
        """Report a pod that was released, or a job that was started."""
        for listener in self.on_admitted:
            listener(release)

    def evicted(self, eviction: Eviction) -> None:
        """Report a pod whose eviction the API server accepted."""
        for listener in self.on_evicted:
            listener(eviction)

    def suspended(self, eviction: Eviction) -> None:
        """Report a job that was suspended for others."""
        for listener in self.on_suspended:
            listener(eviction)
