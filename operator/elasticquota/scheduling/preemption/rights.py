"""Rights: what a waiting workload may take from the other branches of its tree, level by level.

Take a workload of quota a, any quota L above a, and c, the quota on the way from a that is directly
below L. What the workload may take from the other branches below L depends on c alone:

* guarantee, after the grace: c stays within its min with it, in all that it lacks;
* fair share, after the delay: the branch that gives is above its runtime, and holds a larger part
  of it than c will with the workload. Each exchange lowers the larger of two shares, so exchanges
  end. A further victim goes only while that is so, or, for a workload that fits the runtime of c,
  while the branch keeps the part that c had;
* priority, inside a itself: the victim is less important, and the waiting workload may preempt.

So the min of a department is due to all below it, the min of a leaf counts among its sisters, and
an outsider takes nothing from a department that holds no more than its own.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from typing import NamedTuple

from elasticquota import memo
from elasticquota.forest import preemption_policy
from elasticquota.model.reclaim_record import Right
from elasticquota.model.workload import Workload
from elasticquota.resources import EMPTY
from elasticquota.scheduling.preemption import victims
from elasticquota.scheduling.preemption.clearing import Clearing
from elasticquota.scheduling.preemption.floors import KEPT, Taken
from elasticquota.scheduling.preemption.targets import Cause, PreemptionTargets, Victim
from elasticquota.scheduling.snapshot.dominant_shares import WHOLE
from elasticquota.scheduling.snapshot.usage_tree import Place


PRIORITY: int = 4
"""The rank of victims of the own quota, after those of others."""


class Claim(NamedTuple):
    """A waiting workload, and which of its rights are due."""

    owner: str
    workload: Workload
    guarantee: bool = False
    share: bool = False
    priority: bool = False
    spares_young: bool = False
    """For a guarantee: pods that run for less than ``min_runtime`` are spared."""
    admitted: bool = False
    """It is admitted, and counted, but the scheduler refuses it: it lacks only a node."""
    avoided: AbstractSet[str] = frozenset()
    """Nodes that do not do for it."""


class Branch(NamedTuple):
    """How the quota of a victim lies to the taker, and which rights hold there."""

    places: Sequence[Place]
    """From the victim's quota to the one below the quota that both share."""
    guarantee: bool = False
    shared: AbstractSet[str] = frozenset()
    """The resources of which it gives a fair share: it was above its runtime in them at first."""
    most: int = 0
    """For a fair share: the part of its runtime that the taker's branch will hold."""
    least: int = 0
    """And the part that the taker's branch held before."""
    priority: bool = False
    taker: str = ""
    """The quota of the taker's branch."""


class Rights(ABC):
    """Who may go, by the rights of a waiting workload or down to a limit; reads the snapshot."""

    def __init__(self, targets: PreemptionTargets) -> None:
        self._targets = targets
        self._floors, self._is_young = targets.floors, targets.is_young
        self.most = KEPT
        """The last rank that may go."""
        self._missed = False
        """Whether a victim was passed over that a higher rank would take."""

    def up_to(self, last: int) -> Iterator[None]:
        """Let the victims of the first rank go, then those of the next, while there are any."""
        for self.most in range(KEPT, last + 1):
            self._missed = False
            yield
            if not self._missed:
                return

    @abstractmethod
    def branch(self, quota: str) -> Branch | None:
        """How ``quota`` lies to the taker; None: no right reaches it."""

    @abstractmethod
    def victim(self, quota: str, workload: Workload, others: Clearing) -> Victim | None:
        """``workload`` of ``quota``, if it may go beside the ``others``, with the right."""

    def _may_go(self, rank: int) -> bool:
        self._missed = self._missed or rank > self.most
        return rank <= self.most


class RightsOfClaim(Rights):
    """Of one claim."""

    def __init__(self, targets: PreemptionTargets, claim: Claim, sharing: Collection[str]) -> None:
        """``sharing`` are the quotas that have been above their runtime for the delay."""
        super().__init__(targets)
        self.claim = claim
        self._sharing = sharing
        self._fence = preemption_policy.fence(targets.cluster.forest, claim.owner)
        guarantees, workload = targets.snapshot.guarantees, claim.workload
        levels = partial(guarantees.levels, counted=claim.admitted)
        self._guaranteed = levels(claim.owner, workload) if claim.guarantee else ()
        self._branches: dict[str, Branch | None] = {}
        covers = partial(guarantees.covers, counted=claim.admitted)
        self._covers: Callable[[tuple[str, frozenset[str]]], bool] = memo.of(
            lambda of: covers(of[0], workload, of[1])
        )
        """Whether the min of a quota gives all that is lacking, also on one node."""
        self._account = targets.cluster.account(claim.owner)

    def victim(self, quota: str, workload: Workload, others: Clearing) -> Victim | None:
        right = self._right(quota, workload, others.lacking, others.taken)
        return None if right is None else self.by(right, quota, workload, others)

    def by(self, right: Right, quota: str, workload: Workload, others: Clearing) -> Victim:
        """``workload`` of ``quota`` as a victim by this right, beside the ``others``."""
        cause = Cause(self.claim.owner, self.claim.workload, right)
        return Victim(quota, workload, cause, others.node)

    def _right(
        self, quota: str, victim: Workload, lacking: AbstractSet[str], taken: Taken
    ) -> Right | None:
        claim = self.claim
        if self._targets.is_external(victim):
            return "min" if claim.guarantee and not self._fence else None
        branch = self.branch(quota)
        if branch is None or branch.priority:
            return None if branch is None else self._by_priority(victim)
        firm = self._targets.snapshot.guarantees.weighed(
            branch.taker, claim.workload, lacking, counted=claim.admitted
        )
        rank = self._floors.rank(branch.places, victim, firm, taken)
        if rank is None:
            return None
        covered = branch.guarantee and self._covers((branch.taker, frozenset(lacking)))
        if covered and not (claim.spares_young and self._is_young(victim)) and self._may_go(rank):
            return "min"
        gives_share = rank == KEPT and self._gives_share(branch, victim, lacking, taken)
        return "fair share" if gives_share else None

    def _gives_share(
        self, branch: Branch, victim: Workload, lacking: AbstractSet[str], taken: Taken
    ) -> bool:
        """Whether ``victim`` may go for a fair share, as far as the shares go."""
        if not any(victim.request.get(key, 0) > 0 for key in branch.shared & lacking):
            return False
        asked, places = self.claim.workload.request, branch.places
        keeps_more = self._floors.part(places[-1], asked, taken) > branch.most or (
            branch.most <= WHOLE
            and self._floors.leaves_share(places, victim, lacking, taken, branch.least)
        )
        return keeps_more and not self._is_young(victim)

    def branch(self, quota: str) -> Branch | None:
        if quota not in self._branches:
            self._branches[quota] = self._found(quota)
        return self._branches[quota]

    def pass_over(self, quotas: Iterable[str]) -> None:
        """Let these quotas give nothing for a fair share."""
        for quota in quotas:
            if (branch := self.branch(quota)) is not None:
                left = branch._replace(shared=frozenset())
                self._branches[quota] = left if left.guarantee or left.priority else None

    def _by_priority(self, victim: Workload) -> Right | None:
        pod, has_no_node = self.claim.workload, victims.has_no_node(victim, self._account)
        may_preempt = has_no_node or (pod.may_preempt and victim.preemptible)
        if victim.priority >= pod.priority or not may_preempt or not self._may_go(PRIORITY):
            return None
        return "no node" if has_no_node else "priority"

    def _found(self, quota: str) -> Branch | None:
        claim, forest = self.claim, self._targets.cluster.forest
        if quota == claim.owner:
            return Branch((), priority=True) if claim.priority else None
        path = forest.path(quota)
        if self._fence and self._fence not in path:
            return None
        mine, places = forest.path(claim.owner), self._targets.snapshot.places(quota)
        at = next(at for at, name in enumerate(mine) if name in path)
        taker = mine[max(at - 1, 0)]
        below = tuple(place for place in places if place.itself or place.quota not in mine)
        branch = Branch(below, taker in self._guaranteed, taker=taker)
        if claim.share and quota in self._sharing:
            shares = self._targets.snapshot.shares
            most = shares.rank_with(taker, claim.workload.request)
            if self._floors.part(below[-1], claim.workload.request) > most:
                least = min(WHOLE, shares.rank_with(taker, EMPTY))
                given = self._floors.beyond_runtime(below)
                branch = branch._replace(shared=given, most=most, least=least)
        return branch if branch.guarantee or branch.shared else None
