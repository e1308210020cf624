"""The census counts pods: each is kept with how it was counted, and a sum is changed only by that.

So taking a pod out takes off what was added for it, whatever has changed since. How a pod counts
depends on the quotas and nodes of now, on the clock, on its group and on its job; who asks for a
recount says for which pods any of that may be another thing.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import lru_cache

from elasticquota import names
from elasticquota.forest.membership import NOBODY, Membership
from elasticquota.ledger.accounting import Accounting
from elasticquota.ledger.external_usage import ExternalUsage
from elasticquota.ledger.infeasible import FeasibilityCheck, Infeasible
from elasticquota.ledger.job_reservations import Coverage, JobReservations
from elasticquota.ledger.node_fit import NodeFit
from elasticquota.ledger.node_pods import NodePods
from elasticquota.ledger.objects import Objects
from elasticquota.ledger.pod_groups import Groups
from elasticquota.ledger.usage import Account, Standing
from elasticquota.ledger.user_usage import Holdings
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod


class PodAccounting:
    """Mutable: first what pods are counted by, then what came of it. Sums are by quota name."""

    def __init__(self, objects: Objects, accounting: Accounting, members: Membership) -> None:
        self._objects = objects
        self._accounting = accounting
        self.members = members
        """Which quota a pod belongs to."""
        self.observed: frozenset[str] = frozenset()
        """The quotas whose pods no gate holds, because their trees only observe."""
        self.trees_on: Mapping[str, tuple[str, ...]] = {}
        """By node name, the ids of the trees that it is of."""
        self.time = objects.time
        """The wall clock, epoch milliseconds."""
        self.groups = Groups(objects)
        self.draws = JobReservations(objects)
        self.holdings = Holdings()
        """What limits count."""
        self.on_nodes = NodePods()
        self.fit = NodeFit(objects.nodes, self.on_nodes)
        """Which nodes have room for whom."""
        self.gauge = FeasibilityCheck(members, self.fit, accounting, {}, self.holdings.bounds)
        self.entries: dict[Key, tuple[Pod, Standing]] = {}
        """How each pod was counted, with the size that counts."""
        self.turns: dict[Key, tuple[int, ...]] = {}
        """When pods begin to count otherwise with no event, epoch milliseconds."""
        self.accounts: dict[str, Account] = {}
        """Of the quotas that have pods themselves."""
        self.nobody = Account()
        """Of the pods that belong to no quota: they are kept, but nothing is made of their sums."""
        self.giving: set[str] = set()
        """Of the quotas of which pods are on their way out."""
        self.stuck: set[str] = set()
        """Of the quotas with pods that no node has taken for too long."""
        self.covered: set[Key] = set()
        """Pods at our gate that are let in with their jobs."""
        self.external_pods: dict[str, ExternalUsage] = {}
        """By tree id."""

    def job(self, pod: Pod) -> Coverage | None:
        """The job that ``pod`` belongs to and draws on, or that it stands for."""
        return self.draws.of(pod, self.members)

    def gang(self, pod: Pod) -> tuple[Pod, ...]:
        """With whom a waiting pod is let in, itself included, in queue order; empty: alone."""
        return self.groups.verdict(pod, self.members, self.gauge).gang

    def measure_by(self, gauge: FeasibilityCheck) -> None:
        """Tell anew who does not fit, because quotas or nodes are others."""
        self.gauge = gauge
        self.groups.judge_again()
        self.draws.judge_again()

    def pass_time(self) -> set[Key]:
        """Make it the ledger's time. The pods that count otherwise on account of it."""
        before, now = self.time, self._objects.time
        self.time = now
        return {
            key
            for key, turns in self.turns.items()
            if any((turn <= before) != (turn <= now) for turn in turns)
        }

    def admitted(self) -> list[tuple[Pod, str]]:
        """All pods that were let in, with their quotas."""
        return [(pod, how.quota) for pod, how in self.entries.values() if how.running]

    def recount(self, keys: AbstractSet[Key]) -> set[str]:
        """Count pods as they are now, with all of their groups and jobs. The quotas touched."""
        keys = keys | self._mates(keys)
        touched: set[str] = set()
        for key in keys:
            self._discount(key, touched)
        counted = [pod for key in keys if (pod := self._counted(key)) is not None]
        # How a pod counts depends on its whole group, and on its job.
        for pod in counted:
            self.groups.join(pod)
            if pod.jobs:
                self.draws.join(pod)
        for pod in counted:
            self._count(pod, touched)
        return touched

    def _discount(self, key: Key, touched: set[str]) -> None:
        entry = self.entries.pop(key, None)
        if entry is None:
            return
        pod, standing = entry
        found = self._account_for(standing)
        found.close(pod, standing)
        if standing.running:
            self.on_nodes.take(pod, leaving=standing.leaving)
        if not found.leaving:
            self.giving.discard(standing.quota)
        if not found.stuck:
            self.stuck.discard(standing.quota)
        if found.empty:
            self.accounts.pop(standing.quota, None)
        for tree_id in standing.strange_to:
            self.external_pods[tree_id].take(pod, standing)
        self.holdings.close(key)
        self.groups.leave(pod)
        if pod.jobs:
            self.draws.leave(pod)
        self.covered.discard(key)
        touched.add(standing.quota)

    def _count(self, pod: Pod, touched: set[str]) -> None:
        draw = self.job(pod)
        if draw is not None and pod.reserves is not None:
            pod = draw.placeholder
        standing = self._standing(pod)
        if draw is not None and pod.key in draw.covered:
            self.covered.add(pod.key)
        self.entries[pod.key] = (pod, standing)
        self._account_for(standing).open(pod, standing)
        if standing.running:
            self.holdings.open(pod, standing.quota)
            self.on_nodes.add(pod, standing.quota, leaving=standing.leaving, stuck=standing.stuck)
        if standing.leaving:
            self.giving.add(standing.quota)
        if standing.stuck:
            self.stuck.add(standing.quota)
        for tree_id in standing.strange_to:
            self.external_pods.setdefault(tree_id, ExternalUsage()).add(pod, standing)
        touched.add(standing.quota)

    def _counted(self, key: Key) -> Pod | None:
        """The pod with the size that counts, if there is one that counts."""
        self.turns.pop(key, None)
        pod = self._objects.pods.get(key)
        if pod is None:
            return None
        end = self._accounting.end_of(pod)
        counting = self._accounting
        turns = [end, counting.stuck_from(pod) if end is None else None]
        if pod.deleting:
            turns += [counting.leaves_from(pod), counting.late_from(pod)]
        known = tuple([turn for turn in turns if turn is not None])
        if known:
            self.turns[key] = known
        if end is not None and end <= self.time:
            return None
        return self._as_if_held(self._accounting.sized(pod))

    def _as_if_held(self, pod: Pod) -> Pod:
        """A pod without a node whose tree only observes counts as if our gate held it: so it is
        judged as enforcing would, and what it asks for is not yet held.
        """
        if not self.observed or pod.bound or pod.gated or pod.mirror or pod.reserves:
            return pod
        if self.members.quota_of(pod) not in self.observed:
            return pod
        return replace(pod, gates=(*pod.gates, names.GATE))

    def _account_for(self, standing: Standing) -> Account:
        found = self.accounts.get(standing.quota)
        if found is None:
            if standing.quota == NOBODY:
                return self.nobody
            found = self.accounts[standing.quota] = Account()
        return found

    def stands_otherwise(self, key: Key) -> bool:
        """Whether a pod that was counted would be counted otherwise now."""
        pod, standing = self.entries[key]
        return self._standing(pod) != standing

    def _standing(self, pod: Pod) -> Standing:
        """How ``pod`` counts now."""
        quota = self.members.quota_of(pod)
        draw = self.job(pod)
        if self._waits(pod, draw):
            infeasible = self.gauge.infeasible(pod, quota)
            if draw is not None and pod.reserves is None and not draw.admitted:
                infeasible = _waits_with(draw)
            if infeasible is None and pod.group is not None:
                infeasible = self.groups.verdict(pod, self.members, self.gauge).infeasible
            if infeasible is not None:
                return Standing(quota, running=False, infeasible=infeasible)
            return _usual(quota, running=False)
        home = self.members.forest.tree_of.get(quota)
        late, leaving = self._ending(pod)
        leaving = leaving or (draw is not None and draw.leaving)
        trees = self.trees_on.get(pod.node_name, ())
        strange_to = tuple([t for t in trees if t != home]) if trees not in ((), (home,)) else ()
        since = self._accounting.stuck_from(pod)
        stuck = since is not None and since <= self.time
        if leaving or late or stuck or strange_to:
            return Standing(
                quota,
                running=True,
                leaving=leaving,
                late=late,
                stuck=stuck,
                strange_to=strange_to,
                at_home=bool(strange_to) and home in trees,
            )
        return _usual(quota, running=True)

    def _ending(self, pod: Pod) -> tuple[bool, bool]:
        """Whether a deleted pod is late, and whether a pod is on its way out.

        Neither is one whose grace ends only long from now: it holds its room until then.
        """
        if pod.uid in self._objects.evicting:
            return False, True
        if not pod.deleting:
            return False, False
        begins, ends = self._accounting.leaves_from(pod), self._accounting.late_from(pod)
        if ends is not None and ends <= self.time:
            return True, False
        return False, begins is None or begins <= self.time

    def _waits(self, pod: Pod, draw: Coverage | None) -> bool:
        if not pod.gated or pod.uid in self._objects.releasing:
            return False
        return draw is None or pod.key not in draw.covered

    def _mates(self, keys: AbstractSet[Key]) -> set[Key]:
        """All of the groups and jobs that these pods leave or join."""
        found: set[Key] = set()
        for key in keys:
            entry, pod = self.entries.get(key), self._objects.pods.get(key)
            for each in (entry and entry[0], pod):
                if each is not None and each.group is not None:
                    found.update(self.groups.mates(each))
                if each is not None and each.jobs:
                    found.update(self.draws.mates(each))
        return found


def _waits_with(draw: Coverage) -> Infeasible:
    job = draw.placeholder.reserves.job if draw.placeholder.reserves else ""
    how = "is being suspended" if draw.leaving else "waits as a whole"
    return Infeasible("WaitingForGroup", f"{job} {how}, and its pods with it")


@lru_cache(maxsize=4096)
def _usual(quota: str, *, running: bool) -> Standing:
    """Nearly all pods of a quota stand alike, so it is kept once for all of them."""
    return Standing(quota, running)
