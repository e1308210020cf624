"""For how long a quota borrowed and lent how much, as its status keeps it. Values only.

Totals are exact integers: accounting units times seconds (millicore-seconds, byte-seconds). They
count up to ``at``, when the amounts last changed; from then on they grow by the amounts in force.
So a status says the totals of every later moment too, and is not written because time passes.
"""

from typing import Final, NamedTuple

from elasticquota import resources
from elasticquota.resources import EMPTY, Resources
from elasticquota.structs import Struct, field


MOST_RESOURCES: Final = 128
"""Resources with a total of either kind: as many as a quota can name, 64 in min and 64 in max."""


class Totals(NamedTuple):
    """Accounting units times seconds, of each resource that was ever borrowed or lent."""

    borrowed: Resources
    lent: Resources


class ResourceHours(Struct, frozen=True):
    """What one quota borrowed and lent since it is observed."""

    since: int
    """Epoch seconds when the count began."""
    at: int
    """Epoch seconds from which ``borrowed`` and ``lent`` are in force."""
    borrowed: Resources = field(default_factory=lambda: EMPTY)
    """What is borrowed since ``at``, accounting units; positive amounts only."""
    lent: Resources = field(default_factory=lambda: EMPTY)
    """What is lent since ``at``, accounting units; positive amounts only."""
    until_then: Totals = Totals(EMPTY, EMPTY)
    """The totals up to ``at``."""

    def totals(self, now: int) -> Totals:
        """Return the totals at ``now``, epoch seconds; those of ``at`` for an earlier moment."""
        passed = max(0, now - self.at)
        return Totals(
            _grown(self.until_then.borrowed, self.borrowed, passed),
            _grown(self.until_then.lent, self.lent, passed),
        )


def _grown(totals: Resources, amounts: Resources, seconds: int) -> Resources:
    if not amounts or not seconds:
        return totals
    return resources.add(totals, {key: amount * seconds for key, amount in amounts.items()})
