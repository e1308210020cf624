"""What the administrator chose: waiting times, the rate of reclaim, and what counts."""

from dataclasses import dataclass, replace
from typing import Final

from elasticquota.ledger.accounting import Accounting


_OF_THE_PEER = Accounting()
_UNBOUNDED: Final = 10**9


@dataclass(frozen=True, slots=True)
class Policy:
    """Times are milliseconds."""

    grace: int = 5_000
    """An owner whose guaranteed pods wait gets its share back after this time."""
    delay: int = 120_000
    """Over-use that nobody waits for (lowered max, lost node) is taken back after this time."""
    fair_share: bool = True
    """False: what somebody borrowed goes back to an owner within its min, and for no fair share."""
    head_of_line: int = 300_000
    """A pod at the head of its line is passed by nobody after this time; 0: never so."""
    min_runtime: int = 0
    """A pod that runs for less than this is spared, unless the owner that needs its room has waited
    for its grace and this time too."""
    max_in_flight: int = 20
    """Evictions of ours that may be under way at one time in one tree."""
    brake_percent: int = 0
    """More than this part of a tree's admitted pods is not evicted in one round without a second
    look; 0: there is no brake."""
    cooldown: int = 0
    """What was taken back for an owner is kept free of borrowers for this time, less and less; 0:
    lent again at once."""
    paused: bool = False
    """True: no eviction at all."""
    label_namespaces: bool = False
    """True: keep on every namespace the label that says which quota its pods belong to."""
    accounting: Accounting = _OF_THE_PEER

    def at_once(self) -> "Policy":
        """For those who only look: evictions are not spread over time, nor held by the brake."""
        return replace(self, max_in_flight=_UNBOUNDED, brake_percent=0)
