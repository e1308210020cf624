"""The victims of one borrower: which pods of a quota above its runtime go, and what it keeps.

A quota returns at most what it uses beyond its runtime. It keeps its min, and a part of its runtime
where a fair share is due. Pods that run for less than ``min_runtime`` are spared for a while
(``reclaim``).
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Literal, NamedTuple

from elasticquota import resources
from elasticquota.model import moments
from elasticquota.model.workload import Gang, Workload
from elasticquota.resources import EMPTY, Resources
from elasticquota.scheduling.preemption.targets import Cause, PreemptionTargets
from elasticquota.scheduling.status import eviction_messages


class Need(NamedTuple):
    """The waiting pod, its quota, and whether its min or its fair share is due."""

    owner: str
    pod: Workload
    due: Literal["min", "fair share"]
    min_runtime: int
    """Pods that run for less are spared; in milliseconds."""

    @property
    def cause(self) -> Cause:
        """Why its victims are evicted."""
        return Cause(self.owner, self.pod, self.due)


class BorrowerVictims:
    """Adds victims of single quotas to ``targets``; mutable, one per tree and cycle."""

    def __init__(
        self, targets: PreemptionTargets, over: Mapping[str, Resources], min_runtime: int
    ) -> None:
        """``over``: by quota, what its own pods hold beyond its runtime before any eviction.

        ``min_runtime`` is in milliseconds.
        """
        self._targets = targets
        self._over = over
        self._min_runtime = min_runtime
        self.youngest_in: int | None = None
        """Milliseconds until the first of the spared young pods may go, or None."""

    def add(
        self,
        borrower: str,
        missing: Resources,
        share: Fraction,
        need: Need | None = None,
        *,
        whole: bool = False,
    ) -> None:
        """Add victims of ``borrower`` for ``missing``, for at most what it uses beyond its runtime.

        Resources that are not shared (pod slots) have no runtime: victims return them as well. The
        quota keeps its min and ``share`` of its runtime. With ``whole`` it keeps neither: for a
        min, workloads that are partly beyond min go, and for a fair share gangs that are partly
        beyond runtime. Without a ``need`` a limit is exceeded, and no pod waits.
        """
        targets = self._targets
        runtime = targets.tree.runtimes.own_runtime(borrower)
        staying = targets.snapshot.staying(targets.snapshot.places(borrower)[0])
        if need is not None and need.due == "min" and borrower in targets.tree.timed_out:
            # What is beyond its min is borrowed, though no node took it in time.
            staying = resources.add(staying, targets.cluster.account(borrower).stuck_request)
        over = resources.positive(resources.subtract(resources.masked(staying, runtime), runtime))
        wanted = {
            key: min(most, over.get(key, most))
            for key, most in missing.items()
            if key in over or key not in runtime
        }
        if not over or not wanted:
            return
        floor = self.floor(borrower, share)
        spare = {key: max(0, staying.get(key, 0) - floor.get(key, 0)) for key in wanted}
        candidates = self._candidates(borrower, need)
        if whole and need is not None and need.due == "fair share":
            candidates = [each for each in candidates if isinstance(each, Gang)]
            spare = {}
        elif whole:
            # Only what it holds beyond the min of its spec, accepted or not, so that each victim is
            # at least partly beyond it.
            promised = targets.cluster.forest.quotas[borrower].min
            wanted = {
                key: min(most, beyond)
                for key, most in wanted.items()
                if (beyond := staying.get(key, 0) - promised.get(key, 0)) > 0
            }
            spare = {}
        waiting = None if need is None else (need.owner, need.pod)
        chosen = targets.choose(candidates, wanted, spare, waiting)
        if chosen:
            cause = None if need is None else need.cause
            targets.evict(borrower, chosen, self._message(borrower, need), cause)

    def add_gangs(self, borrower: str, excess: Resources) -> None:
        """Add gangs of ``borrower`` that return ``excess``, even below its min.

        For usage beyond a max where other workloads were not enough: no part of a gang is evicted.
        """
        gangs = [each for each in self._candidates(borrower, None) if isinstance(each, Gang)]
        chosen = self._targets.choose(gangs, excess, EMPTY, None) if excess and gangs else ()
        if chosen:
            self._targets.evict(borrower, chosen, self._message(borrower, None))

    def floor(self, borrower: str, share: Fraction) -> Resources:
        """What a quota keeps: its min, and ``share`` of its runtime."""
        part = {
            key: amount * share.numerator // share.denominator
            for key, amount in self._targets.tree.runtimes.own_runtime(borrower).items()
        }
        return resources.maximum(self._targets.cluster.forest.effective_min(borrower), part)

    def is_old_enough(self, pod: Workload) -> bool:
        """Whether the pod runs for ``min_runtime``; updates ``youngest_in`` if it does not."""
        left = self._spared_for(pod)
        if left > 0:
            self.youngest_in = min(left, self.youngest_in or left)
        return left <= 0

    def _message(self, borrower: str, need: Need | None) -> str:
        """The message for the victims of ``borrower``."""
        tree, over = self._targets.tree, self._over[borrower]
        held = self._targets.cluster.account(borrower).held
        if need is None:
            return eviction_messages.over_limit(borrower, tree, over, held)
        return eviction_messages.reclaimed_for(
            borrower, tree, over, held, need.owner, need.pod, need.due
        )

    def _candidates(self, borrower: str, need: Need | None) -> Sequence[Workload]:
        """Pods of the quota that may be chosen, the least important first."""
        found = self._targets.movable(borrower, timed_out=need is not None and need.due == "min")
        least = self._min_runtime if need is None else need.min_runtime
        if not least:
            return found
        return [pod for pod in found if self.is_old_enough(pod)]

    def _spared_for(self, pod: Workload) -> int:
        """Milliseconds for which the pod is still spared; 0 without a known start time."""
        started = moments.read(pod.started)
        if started is None:
            return 0
        # Clocks of nodes differ: a pod with a start time in the future has just started.
        return self._min_runtime - max(0, self._targets.cluster.time - started)
