"""What was decided in the world before, for one that begins in the same way.

As long as both are the same, the decisions of the one are those of the other: ``decide`` depends on
nothing else. So they are replayed, and the ledger of the second world only notes what happens. Its
first own cycle brings it up to date at once, as after a burst of events. The ledger is that of the
world before, from which the pods are deleted.
"""

from typing import NamedTuple

from elasticquota.ledger.ledger import Ledger
from elasticquota.model.clocks import Clocks
from elasticquota.model.decision import Decisions
from small_worlds.description import WorldSpec


class Moment(NamedTuple):
    """When a cycle runs, with all that a world did until then by its description."""

    now: int
    arrived: int
    """How many pods have come."""
    lowered: bool
    """A max was lowered."""
    processes: int
    """How many processes have run."""


class Recording:
    """The decisions of the last world, by number of its cycle; mutable."""

    def __init__(self) -> None:
        self.replayed = 0
        """How many cycles of this world were replayed."""
        self.ledger: Ledger | None = None
        """With quotas and nodes of this world, if those of the one before are the same."""
        self._spec: WorldSpec | None = None
        self._before: list[tuple[Moment, Decisions]] = []
        self._decided: list[tuple[Moment, Decisions]] = []
        self._shared = 0
        """How many pods of the two worlds are the same, from the first on."""
        self._lowers_alike = False

    def begin(self, spec: WorldSpec) -> None:
        """Follow the next world; what was recorded last is that of the one before."""
        before, self._spec = self._spec, spec
        self._before, self._decided = self._decided, []
        self._shared = self.replayed = 0
        if before is None or _setting(before) != _setting(spec):
            self._before = []
            self.ledger = None
            return
        if self.ledger is not None:
            for key in [*self.ledger.pods]:
                self.ledger.delete_pod(key)
            self.ledger.remember(Clocks())
        self._lowers_alike = before.lowered == spec.lowered
        for one, other in zip(before.pods, spec.pods, strict=False):
            if one != other:
                break
            self._shared += 1

    def at(self, moment: Moment) -> Decisions | None:
        """What is decided now, if the world before was the same until now."""
        number = len(self._decided)
        if number >= len(self._before):
            return None
        then, decisions = self._before[number]
        same = moment.arrived <= self._shared and (self._lowers_alike or not moment.lowered)
        if then != moment or not same:
            self._before = []
            return None
        self.replayed += 1
        return decisions

    def note(self, moment: Moment, decisions: Decisions) -> None:
        """Record the decisions of a cycle."""
        self._decided.append((moment, decisions))


def _setting(spec: WorldSpec) -> WorldSpec:
    """All that counts from the beginning."""
    return spec._replace(pods=(), lowered=None, restarts=False)
