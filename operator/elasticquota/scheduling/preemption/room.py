"""The room on the path of a waiting workload: what its quotas still lack for it."""

from collections.abc import Set as AbstractSet

from elasticquota import resources
from elasticquota.scheduling.preemption.rights import Claim
from elasticquota.scheduling.preemption.targets import PreemptionTargets
from elasticquota.scheduling.snapshot.usage_tree import Place


class Room:
    """What the quotas on the path of a workload lack for it, once all that leaves is gone."""

    def __init__(
        self, targets: PreemptionTargets, claim: Claim, *, swaps: bool = False, whole: bool = False
    ) -> None:
        """``swaps``: less important pods of the own quota make way. A runtime that did not hold
        before need not hold then: it is enough that it is exceeded by no more. Every max holds, or
        the workload would not start (``TreeSnapshot.capped``).

        ``whole``: pods are whole, and runtimes are not. Max is compared instead of runtime; the
        shares of giver and taker decide.
        """
        self._snapshot = targets.snapshot
        self.request = claim.workload.request
        self._places = () if claim.admitted else targets.snapshot.places(claim.owner)
        self._whole = whole
        self._allowed = {place: targets.snapshot.beyond(place) for place in self._places if swaps}
        self._capped = targets.snapshot.capped(claim.owner, claim.workload, exchanges=swaps)

    def first_short(self) -> tuple[Place, dict[str, int]] | None:
        """The lowest quota that lacks something, and what; None: none does."""
        for place in self._places:
            lack = self._lack(place)
            if lack and (beyond := self._allowed.get(place)):
                lack = resources.positive(resources.subtract(lack, beyond))
                if place in self._capped:
                    most = self._snapshot.lack(place, self.request, to_max=True)
                    lack = resources.maximum(lack, most)
            if lack:
                return place, lack
        return None

    def one_may_be_enough(self) -> bool:
        """Whether one victim of its size could return all that any quota lacks."""
        return all(resources.fits(self._lack(place), self.request) for place in self._places)

    def short_keys(self) -> AbstractSet[str]:
        """All that is lacking somewhere."""
        return frozenset(key for place in self._places for key in self._lack(place))

    def _lack(self, place: Place) -> dict[str, int]:
        return self._snapshot.lack(place, self.request, to_max=self._whole)
