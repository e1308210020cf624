"""Idle resources go to the first blocked pod when no fair share is large enough for a pod.

Shares are exact, pods are whole: where every waiting pod is larger than what is left of its
runtime, nodes would be idle although pods wait. So when all pods that fit were released, and room
is kept for those that will fit, pods are released beyond their runtime, one by one: each time the
first in fair order that

* fits in what is free on the nodes, and takes neither room that is kept nor, by preemption, the
  node of another pod (``unbound``), and
* stays within every max on its path, and
* stays within every limit of its user, its group and of applications, and
* leaves what a quota that does not lend has not used of its min, and
* belongs to no quota whose chosen weight is 0 for what it requests beyond its runtime.

While a pod waits that is within its min and its runtime (and not only for a node), or within its
runtime and overdue at the head of its queue, idle resources are only for the first such pod: else
small ones would take what it waits for, time and again. After the loss of nodes a runtime can be
less than min. What is released here is borrowed like any other: an owner reclaims it (``reclaim``).
"""

from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property

from elasticquota import resources
from elasticquota.model.pod import Size
from elasticquota.model.workload import Workload
from elasticquota.resources import EMPTY, Resources
from elasticquota.scheduling.admission.admit import Admission
from elasticquota.scheduling.preemption.targets import PreemptionTargets
from elasticquota.scheduling.snapshot.tree_snapshot import TreeSnapshot
from elasticquota.scheduling.snapshot.usage_tree import Place
from elasticquota.sharing import weight


class Idle:
    """What is idle, until the next pod is released."""

    def __init__(self, targets: PreemptionTargets, sizes: Iterable[Size]) -> None:
        """``sizes`` are those of the pods that could take it."""
        self._targets = targets
        self._snapshot = targets.snapshot
        free = targets.snapshot.idle()
        self.sizes = {size for size in sizes if resources.fits(dict(size), free)}
        """Those that are not too large for it."""

    def takes(self, name: str, workload: Workload) -> bool:
        """Whether ``workload`` of quota ``name`` may borrow, and start now."""
        return (
            workload.size in self.sizes
            and self._may_borrow(name, workload)
            and self._snapshot.may_start(name, workload)
        )

    @cached_property
    def _unlent(self) -> Sequence[tuple[Sequence[str], Resources]]:
        """What each quota that does not lend has not used of its min, with its path."""
        snapshot, tree, forest = self._snapshot, self._targets.tree, self._targets.cluster.forest
        found: list[tuple[Sequence[str], Resources]] = []
        for name in tree.tree.order:
            if tree.tree.guarantees_use or not forest.quotas[name].allow_lent:
                low = resources.cut(forest.effective_min(name), tree.runtimes.runtime(name))
                left = resources.positive(snapshot.free(Place(name), low))
                if left and name != tree.tree.root:
                    found.append((forest.path(name), left))
        return found

    def _may_borrow(self, name: str, workload: Workload) -> bool:
        snapshot, forest = self._snapshot, self._targets.cluster.forest
        path, asked = forest.path(name), resources.positive(workload.request)
        others = [(its, left) for its, left in self._unlent if its[0] not in path]
        for quota in path:
            place = Place(quota)
            limit = snapshot.ceiling(place)
            held_back = resources.add(*(left for its, left in others if quota in its))
            free = snapshot.free(place, limit)
            left = resources.subtract(free, resources.masked(held_back, limit))
            if not resources.fits(asked, left) or snapshot.takes_kept_room(place, asked):
                return False
            within = snapshot.free(place, snapshot.at(place).limit)
            if quota != path[-1] and any(
                weight.effective(forest.quotas[quota], key, EMPTY).amount == 0
                for key in resources.exceeding(asked, within)
            ):
                return False
        return True


def release(targets: PreemptionTargets, admission: Admission, most: int) -> int:
    """Release up to ``most`` blocked pods on idle resources; return how many were released.

    Room only shrinks meanwhile: a pod that was once too large for the nodes, or for what is left of
    its runtime, is not tried again, nor is another one like it.
    """
    snapshot, variants, released = targets.snapshot, targets.cluster.index.variants, 0
    firsts = admission.first_blocked
    idle = Idle(targets, {x.size for name, pod in firsts for x in variants(name, pod)})
    are_reserved = idle.sizes and any(_is_entitled(snapshot, admission, *each) for each in firsts)
    for reserved in (True, False) if are_reserved else (False,):
        refused: set[Hashable] = set()
        for name, pod in admission.in_turn():
            if released == most or not idle.sizes:
                return released
            alike = snapshot.alike(name, pod)
            if alike in refused:
                continue
            if reserved and not _is_entitled(snapshot, admission, name, pod):
                refused.add(alike)
                continue
            variant = next((x for x in variants(name, pod) if idle.takes(name, x)), None)
            if variant is not None:
                admission.release(name, pod, variant)
                released += 1
                idle = Idle(targets, idle.sizes)
            elif reserved:
                return released
            else:
                refused.add(alike)
    return released


def _is_entitled(
    snapshot: TreeSnapshot, admission: Admission, name: str, workload: Workload
) -> bool:
    """Whether idle resources are reserved for the pod; one for which they are not now will not be.

    It is within its runtime, and overdue, or within a min. And it lacks more than a node.
    """
    own, overdue = snapshot.places(name)[0], workload.uid in admission.overdue
    return not admission.lacks_node(name, workload) and any(
        not snapshot.lack(own, each.request)
        and not snapshot.user_limits.reached(name, each)
        and (overdue or snapshot.guarantees.nearest(name, each))
        for each in snapshot.cluster.index.variants(name, workload)
    )
