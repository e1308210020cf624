"""The guarantee check: what min gives a quota, and which of its pods may use it, in one cycle.

The min of a quota is for all pods below it. Min is guaranteed as a whole, and each resource that it
names by itself. Pods that are not preemptible stay within it; it guarantees nothing of a resource
that it does not name.

In a tree with pools a min of a resource as a whole is a right to it in whichever pool, and a min of
a pool is a right to the whole resource too. Where both could be meant the min of the pool goes
before: it can be met in this pool only (``weighed``).
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from itertools import takewhile
from typing import Final

from elasticquota import memo, pool_keys, resources
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model import pools
from elasticquota.model.pod import Pod
from elasticquota.model.workload import Workload
from elasticquota.resources import EMPTY, Resources
from elasticquota.scheduling.snapshot.usage_tree import UsageTree


class GuaranteeCheck:
    """Mutable: counts pods that are not preemptible as the cycle books them."""

    NONE: Final = 2
    """The standing of a pod that no min is for."""

    def __init__(self, cluster: ClusterSnapshot, tree: TreeBooks, usage_tree: UsageTree) -> None:
        self._has_pools = bool(cluster.pools)
        self._tree = tree
        self._usage_tree = usage_tree
        self._path = usage_tree.below_root
        """From a quota up to the one below the root, whose min is what the nodes offer."""
        self.of = memo.of(cluster.forest.effective_min)
        """What a quota is guaranteed: its effective min."""
        self._levels: dict[tuple[str, int], tuple[Workload, Sequence[str]]] = {}
        """By quota and id, with the object so that no other one has its id: it is slow to hash."""
        self.forget = self._levels.clear
        """Something was booked, or is expected to leave."""
        self._firm: dict[str, Resources] = {}
        """By quota, what its non-preemptible pods hold, where this cycle changed it."""

    def non_preemptible(self, quota: str) -> Resources:
        """What the pods in and below ``quota`` that are not preemptible hold, as booked so far."""
        found = self._firm.get(quota)
        return self._tree.non_preemptible.get(quota, EMPTY) if found is None else found

    def could_stay(self, quota: str, workload: Workload) -> bool:
        """Whether min is enough for ``workload`` alone, if it is not preemptible."""
        fits = (resources.fits(workload.request, self.of(name)) for name in self._path(quota))
        return workload.preemptible or all(fits)

    def exceeding_min(self, quota: str, workload: Workload) -> tuple[str, tuple[str, ...]] | None:
        """Where pods that are not preemptible would use more than min with ``workload``, or None.

        The first quota on the path, and its keys. Keys without min are not compared, nor what the
        pod does not request. None for a preemptible one.
        """
        if workload.preemptible:
            return None
        asked = resources.positive(workload.request)
        for name in self._path(quota):
            after = resources.add(resources.masked(self.non_preemptible(name), asked), asked)
            if keys := resources.exceeding(after, self.of(name)):
                return name, keys
        return None

    def standing(self, quota: str, workload: Workload) -> int:
        """0: the quota stays within its min with it; 1: one above it does; 2: none does."""
        for above, name in enumerate(self._path(quota)):
            if self.guaranteed(name, workload):
                return 1 if above else 0
        return self.NONE

    def guaranteed(self, quota: str, workload: Workload, *, counted: bool = False) -> bool:
        """Whether the quota stays within its min with it, in all of min that it requests."""
        asked = [key for key in self.of(quota) if workload.request.get(key, 0) > 0]
        return bool(asked) and self.covers(quota, workload, asked, counted=counted)

    def _has_min_for(self, quota: str, key: str, asked: int) -> bool:
        """Whether the quota stays within its min with what is ``asked`` of a resource."""
        claimed = self._usage_tree.of(quota).claimed
        return claimed.get(key, 0) + asked <= self.of(quota).get(key, 0)

    def first_without_node(self, quota: str, pods: Iterable[Pod]) -> tuple[Pod, str] | None:
        """The oldest of ``pods``, which have no node, that a min is for, and the quota of that min.

        The min of a quota on the path has room for it beside the pods that have a node. None: no
        min is for any of them.
        """
        levels: list[tuple[str, Resources]] = []
        for name in self._path(quota):
            used = self._tree.used[name]
            left = {key: max(0, most - used.get(key, 0)) for key, most in self.of(name).items()}
            if any(left.values()):
                levels.append((name, left))
        first: tuple[Pod, str] | None = None
        for pod in pods if levels else ():
            if first is None or (pod.created, pod.uid) < (first[0].created, first[0].uid):
                by = next((name for name, left in levels if _has_room(left, pod)), "")
                first = (pod, by) if by else first
        return first

    def nearest(self, quota: str, workload: Workload, *, counted: bool = False) -> str:
        """The lowest of the ``levels``; empty: there is none."""
        return next(iter(self.levels(quota, workload, counted=counted)), "")

    def levels(self, quota: str, workload: Workload, *, counted: bool = False) -> Sequence[str]:
        """The quotas on the path, below the root, whose min gives ``workload`` what it lacks.

        Each stays within its min in every resource that the pod lacks, and has runtime for it, as
        all quotas below it have. If the pod lacks only what quotas do not share (a pod slot), or a
        node, any min that it requests something of does. ``counted``: the pod is admitted and lacks
        only a node.
        """
        if counted:
            return [n for n in self._path(quota) if self.guaranteed(n, workload, counted=True)]
        found = self._levels.get((quota, id(workload)))
        if found is None:
            found = self._levels[quota, id(workload)] = workload, self._levels_of(quota, workload)
        return found[1]

    def _levels_of(self, quota: str, workload: Workload) -> Sequence[str]:
        path, own = self._path(quota), self._usage_tree.of(quota)
        if not any(map(self.of, path)) or own.lack(workload.request, own.later):
            return ()
        lacks = [each.lack(workload.request, each.later) for each in self._usage_tree.path(quota)]
        lacked = [key for lack in lacks for key in lack if key in own.limit]
        # The last is what the root lacks; the first may be what the own pods of a parent lack.
        by_quota = zip(path, lacks[-1 - len(path) : -1], strict=True)
        levels = takewhile(lambda level: not level[1], by_quota)
        if lacked:
            return [name for name, _ in levels if self.covers(name, workload, lacked)]
        return [name for name, _ in levels if self.guaranteed(name, workload)]

    def covers(
        self, quota: str, workload: Workload, lacking: Iterable[str], *, counted: bool = False
    ) -> bool:
        """Whether the min of ``quota`` gives ``workload`` each of the resources that are lacking.

        ``counted``: also beside the pods that no node took in time, as it may be one of them.
        """
        claimed, least = self._usage_tree.of(quota).claimed, self.of(quota)
        more = self._tree.timed_out.get(quota, EMPTY) if counted else workload.request
        by_pool = self._has_pools and not counted
        for key in lacking:
            if workload.request.get(key, 0) > 0:
                short = claimed.get(key, 0) + more.get(key, 0) > least.get(key, 0)
                if short and not (by_pool and self._by_pool(quota, workload, key)):
                    return False
        return True

    def weighed(
        self, quota: str, workload: Workload, lacking: AbstractSet[str], *, counted: bool = False
    ) -> AbstractSet[str]:
        """The resources whose floors hold against it, where ``quota`` takes what is lacking.

        A min of a pool is met in this pool only, so there it goes before the mins of the whole of
        others, who may go elsewhere. A min of the whole does not go before another one.
        """
        if not self._has_pools:
            return lacking
        keys = set(lacking)
        for key in lacking:
            if (whole := pool_keys.resource(key)) != key:
                asked = 0 if counted else workload.request.get(key, 0)
                has_min = self._has_min_for(quota, key, asked)
                (keys.discard if has_min else keys.add)(whole)
        return keys

    def guarantees_more(self, quota: str, pods: Iterable[Workload]) -> bool:
        """Whether the min is larger than the runtime in all that one of ``pods`` lacks of it.

        So it is after the loss of nodes. Elsewhere such a min is lent, and helps none of the pods.
        """
        own = self._usage_tree.path(quota)[0]
        more = {*resources.exceeding(self.of(quota), own.limit)}
        return bool(more) and any(own.lack(pod.request, own.later).keys() <= more for pod in pods)

    def count(self, quota: str, workload: Workload) -> None:
        """Book an admission, or room that is kept."""
        self.forget()
        if not workload.preemptible:
            for name in self._path(quota):
                self._firm[name] = resources.add(self.non_preemptible(name), workload.request)

    def _by_pool(self, quota: str, workload: Workload, key: str) -> bool:
        """Whether a min of the whole resource covers what a pool is asked for, or the reverse.

        The pool is that in which the pod is counted. Its min is a right to the resource as a whole
        too, else a limit of all nodes voids it.
        """
        other = pools.counterpart(workload.request, key)
        amount = workload.request.get(other, 0)
        return amount > 0 and self._has_min_for(quota, other, amount)


def _has_room(left: Resources, pod: Pod) -> bool:
    """Whether ``left`` of a min has room for ``pod``, in all of it that the pod requests."""
    asked = resources.positive(resources.masked(pod.request, left.keys()))
    return bool(asked) and resources.fits(asked, left)
