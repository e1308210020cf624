"""Reclaim: when the rights of waiting pods are due, and what is evicted for them.

* *Guarantee*: a pod within the min of its quota, or of one above it, lacks only room. It is due
  after the grace (its quota's own, or ``grace``).
* *Fair share*: a pod fits the runtimes of its path. It is due from quotas that have been above
  their runtime for ``delay``. The administrator can turn this off, for single trees and for the
  quotas of an external system, too (``Policy.shares``). It is off for those of capacity scheduling
  and YuniKorn: they neither gain nor lose a pod by it.
* *Limit*: usage that has been above a max for ``delay``, or after the quota's own delay, or never
  (``over_max_delay``); and usage above a tree's remaining nodes (``limits``).

``rights`` says from whom each right takes, ``floors`` what these keep, ``search`` which of their
pods go.

Other usage above runtime stays: an eviction that starts no pod only leaves nodes idle
(docs/decisions). Terminating pods count as returned, so a restart in between evicts no pod too
many. The default quota is reclaimed like others; the system quota never is.

Usage means admitted: an admitted pod without a node takes the same room as a bound one. A pod that
runs for less than ``min_runtime`` is spared, until the owner has waited for its grace and for
``min_runtime`` too: so the wait of an owner is bounded. An owner still waits while a refused
eviction for it is tried again.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import islice
from typing import Final

from elasticquota.model.clocks import Clocks
from elasticquota.model.pod import Size
from elasticquota.model.workload import Workload
from elasticquota.resources import Resources
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.scheduling.preemption.clearing import Clearing
from elasticquota.scheduling.preemption.floors import PARTLY_BEYOND
from elasticquota.scheduling.preemption.limits import Limits
from elasticquota.scheduling.preemption.rights import Claim, RightsOfClaim
from elasticquota.scheduling.preemption.search import VictimSearch
from elasticquota.scheduling.preemption.targets import PreemptionTargets


_MOST_OWED: Final = 64
"""How many kinds of waiting pods are looked at to find out whether three go in circles."""


class Reclaim:
    """Of one tree in one cycle; mutable. Victims go to ``targets``, which has the admissions."""

    def __init__(
        self,
        targets: PreemptionTargets,
        over: Mapping[str, Resources],
        clocks: Clocks,
        policy: Policy,
        now: int,
    ) -> None:
        """``over`` has the ``over_use`` of all quotas above their runtime; ``now`` in ms."""
        self._targets = targets
        self._before = clocks
        self._policy = policy
        self._now = now
        self._limits = Limits(targets, over)
        self.over = self._limits.over
        """By quota, what its own pods hold beyond its runtime before any eviction."""
        self._over_since = {name: clocks.over_since.get(name, now) for name in self.over}
        self._lasting = [n for n in self.over if now - self._over_since[n] >= policy.delay]
        self._sharing = frozenset(name for name in self._lasting if self._shares(name))
        since, asking = clocks.owner_waits_since, targets.cluster.asks_again_for
        again = asking & since.keys() & targets.tree.admitted.keys()
        self._owner_waits = {name: since[name] for name in sorted(again)}
        self._over_limit_since: dict[str, int] = {}
        self._ends = [each + policy.delay for each in self._over_since.values()]
        self._search = VictimSearch(targets)
        self.runs_for: set[str] = set()
        """Uids of the waiting workloads whose right is not due yet."""
        self._claims: dict[tuple[str, Size], Claim] = {}
        """By uid and size, those whose rights gave no room; the sizes differ by pool."""
        self._owed: dict[tuple[str, Size], Workload] = {}
        """By quota and size, the first blocked one that a min is for."""

    def make_room(self, quota: str, variants: Sequence[Workload]) -> bool:
        """Make room for a blocked workload by the rights that are due; it is nominated then.

        ``variants``: as it counts in each pool to which it may go; a guarantee in any of them goes
        before a fair share.
        """
        claims = [claim for each in variants if (claim := self._claim(quota, each)) is not None]
        if len(claims) > 1 and any(
            self.take(claim._replace(share=False)) for claim in claims if claim.guarantee
        ):
            return True
        for claim in claims:
            if (len(claims) == 1 or claim.share) and self.take(claim):
                return True
            self._claims[claim.workload.uid, claim.workload.size] = claim
            if claim.guarantee and claim.spares_young:
                self._ends.append(self._guarantee_due(quota) + self._policy.min_runtime)
        return False

    def _guarantee_due(self, quota: str) -> int:
        """When the grace of a quota ends of which a pod within its min waits."""
        before = self._before.owner_waits_since.get(quota, self._now)
        since = self._owner_waits.setdefault(quota, before)
        return since + self._policy.grace_of(self._targets.cluster.forest.quotas[quota])

    def _claim(self, quota: str, workload: Workload) -> Claim | None:
        """The claim of a blocked workload, by the rights that are due; None: none is."""
        targets, policy, now = self._targets, self._policy, self._now
        snapshot = targets.snapshot
        others = any(name != quota for name in self._sharing)
        share = others and self.could_gain(quota, workload.request)
        if snapshot.lack(snapshot.places(quota)[0], workload.request) and not share:
            return None
        guarantee, deadline = self._may_be_owed(quota, workload), now
        runs = any(name != quota for name in self._givers_later) and self._shares(quota)
        if guarantee:
            self._owed.setdefault((quota, workload.size), workload)
            due = self._guarantee_due(quota)
            self._ends.append(due)
            deadline, guarantee = due + policy.min_runtime, now >= due
            runs = runs or not guarantee
        if runs:
            self.runs_for.add(workload.uid)
        if not (guarantee or share) or targets.full:
            return None
        return Claim(quota, workload, guarantee, share, spares_young=now < deadline)

    def _may_be_owed(self, quota: str, workload: Workload) -> bool:
        """Whether min gives the workload what it lacks, and others may hold it.

        Amounts are lacking only while others hold more than their runtime, external pods are on the
        nodes, or a max holds with what no node took in time; where max is the limit, and not
        runtime, nothing within it is borrowed. With pools a min of the whole may be due beyond the
        runtime of one pool, to which others keep.
        """
        tree, snapshot = self._targets.tree, self._targets.snapshot
        elsewhere = tree.external_pods.evictable or tree.timed_out or snapshot.cluster.pools
        may_hold_it = any(name != quota for name in self._holding_more) or elsewhere
        lacks = not may_hold_it and snapshot.lacks(snapshot.places(quota), workload.request)
        return not lacks and bool(snapshot.guarantees.levels(quota, workload))

    @cached_property
    def _holding_more(self) -> AbstractSet[str]:
        """The quotas that hold more than their runtime, also with what was nominated and starts."""
        snapshot = self._targets.snapshot
        started = {each.quota for each in self._before.nominated.values()}
        return self.over.keys() | {
            name for name in started if snapshot.beyond(snapshot.places(name)[0])
        }

    def preempt(self, quota: str, variants: Iterable[Workload]) -> bool:
        """Make room for a blocked workload in its own quota, beside its fair share or without."""
        found = (self._claims.get((each.uid, each.size)) or Claim(quota, each) for each in variants)
        claims = (claim._replace(priority=True) for claim in found)
        return any(
            self.take(one) or (one.share and self.take(one._replace(share=False))) for one in claims
        )

    def take(self, claim: Claim) -> bool:
        """Choose victims for ``claim`` and nominate its workload; False: no right gives room."""
        mark, allows = len(self._targets), self._targets.snapshot.allows
        nodes = self.nodes_for(claim) if allows(claim.owner, claim.workload) else None
        if nodes is None or (claim.priority and self._goes_in_circles(claim, mark)):
            self._targets.undo(mark)
            return False
        self._targets.nominate(claim.owner, claim.workload, nodes, exchanges=claim.priority)
        return True

    def _goes_in_circles(self, claim: Claim, mark: int) -> bool:
        """Whether three pods would evict each other without end: ``claim``, a victim, and another.

        The victims after the first ``mark`` make room for ``claim``. A waiting pod of another quota
        would take that room from it by its min. And a victim, which comes back, would take it from
        that pod by the min of its own quota, for what the pod holds beyond its min.
        """
        snapshot, owner = self._targets.snapshot, claim.owner
        own = [each.workload for each in self._targets.victims[mark:] if each.quota == owner]
        return any(
            quota != owner
            and self._takes(Claim(quota, waiting, guarantee=True), owner, claim.workload)
            and any(
                self._takes(Claim(owner, victim, guarantee=True, admitted=True), quota, waiting)
                for victim in own
            )
            and snapshot.will_fit(quota, waiting)
            for (quota, _), waiting in (islice(self._owed.items(), _MOST_OWED) if own else ())
        )

    def _takes(self, claim: Claim, giver: str, running: Workload) -> bool:
        """Whether ``claim`` would take what ``running``, a pod of ``giver``, holds.

        As if ``running`` ran, which is not counted.
        """
        shared, asked = self._targets.floors.shared, claim.workload.request
        lacking = {key for key in shared & asked.keys() if running.request.get(key, 0)}
        rights = RightsOfClaim(self._targets, claim, ())
        rights.most = PARTLY_BEYOND
        beside = Clearing(self._targets.snapshot, lacking)
        beside.start(giver, running.request)
        return bool(lacking) and rights.victim(giver, running, beside) is not None

    def nodes_for(self, claim: Claim) -> Sequence[str] | None:
        """Choose victims for ``claim``; return the nodes of its pods; None: no right gives room."""
        return self._search.make_room(RightsOfClaim(self._targets, claim, self._sharing))

    def enforce_limits(self) -> None:
        """Evict what has been beyond a limit for its delay."""
        targets, now = self._targets, self._now
        delays = self._limits.exceeded(self._policy.delay)
        before = self._before.over_limit_since
        self._over_limit_since = {name: before.get(name, now) for name in delays}
        ends = {name: since + delays[name] for name, since in self._over_limit_since.items()}
        self._ends += ends.values()
        targets.overdue = frozenset(name for name, end in ends.items() if end <= now)
        if targets.overdue and not targets.full:
            self._limits.enforce(self._search, self._lasting)

    @property
    def clocks(self) -> Clocks:
        """The clocks for the next cycle."""
        return Clocks(self._over_since, self._over_limit_since, self._owner_waits)

    @property
    def due(self) -> Sequence[int]:
        """When the clocks end (clock of ``now``), and young pods may go."""
        youngest_in = self._targets.is_young.youngest_in
        return self._ends if youngest_in is None else [*self._ends, self._now + youngest_in]

    def could_gain(self, quota: str, request: Resources) -> bool:
        """Whether a workload of the quota would have a smaller share than one that gives."""
        snapshot = self._targets.snapshot
        return (
            self._shares(quota)
            and snapshot.shares.rank_with(quota, request) < self.largest_share
            and not snapshot.lacks(snapshot.places(quota)[:-1], request, to_max=True)
        )

    @cached_property
    def _givers_later(self) -> Sequence[str]:
        """The quotas above their runtime whose delay is not over."""
        return [name for name in self.over if name not in self._sharing and self._shares(name)]

    @cached_property
    def largest_share(self) -> int:
        """Of those that give a fair share, and of the quotas above them."""
        snapshot = self._targets.snapshot
        ranks = (
            snapshot.shares.held_rank(name)
            for giver in self._sharing
            for name in self._targets.cluster.forest.path(giver)[:-1]
        )
        return max(ranks, default=0)

    def _shares(self, quota: str) -> bool:
        """Whether ``quota`` gains and loses pods for a fair share."""
        found = self._targets.cluster.forest.quotas[quota].kept_for
        return self._policy.shares(self._targets.tree.tree.id, found)
