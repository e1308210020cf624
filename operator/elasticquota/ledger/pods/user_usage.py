"""User usage: what each user and each group holds in the quotas that limit it, and applications.

As in all sums, a pod is subtracted exactly as it was added, under the bounds of that time. If no
quota has a limit, nothing is kept.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from elasticquota import totals
from elasticquota.forest import user_limits
from elasticquota.forest.structure import Forest
from elasticquota.forest.user_limits import Bound, Scope
from elasticquota.model.holder import NO_HOLDER, Holder
from elasticquota.model.key import Key
from elasticquota.model.workload import Counted, Workload
from elasticquota.structs import Struct, field


class SubjectUsage(Struct):
    """What one subject holds in one quota; mutable, amounts in accounting units."""

    amounts: dict[str, int] = field(default_factory=dict)
    applications: Counter[Key] = field(default_factory=Counter)
    """Application -> its number of pods."""

    def add(self, workload: Workload) -> None:
        """Count ``workload``."""
        totals.add(self.amounts, workload.request)
        self.applications[application(workload)] += 1

    def remove(self, workload: Workload) -> None:
        """Stop counting ``workload``."""
        totals.subtract(self.amounts, workload.request)
        key = application(workload)
        self.applications[key] -= 1
        if not self.applications[key]:
            del self.applications[key]


NOTHING: Final = SubjectUsage()
"""The usage of a subject without pods; do not change it."""


def application(workload: Workload) -> Key:
    """Return the application of ``workload``: its namespace, and the name that it gives or ''."""
    return Key(workload.key.namespace, workload.holder.application)


class UserUsage:
    """The usage of all subjects with limits; mutable, call ``follow_limits`` first."""

    def __init__(self, *, knows_creators: bool = True) -> None:
        """``knows_creators`` as in ``Accounting``."""
        self._knows_creators = knows_creators
        self._forest: Forest | None = None
        self._limiting: set[str] = set()
        """Quotas with limits."""
        self._bounds: dict[tuple[str, str, tuple[str, ...]], tuple[Bound, ...]] = {}
        """Cached bounds, by quota, user and groups."""
        self._counted: dict[Key, tuple[Counted, tuple[Bound, ...]]] = {}
        self._held: dict[Scope, SubjectUsage] = {}

    @property
    def held(self) -> Mapping[Scope, SubjectUsage]:
        """What each subject holds in each quota that limits it."""
        return self._held

    def follow_limits(self, forest: Forest, changed: AbstractSet[str] | None) -> bool:
        """Use the limits of ``forest``; ``changed`` are the quotas that changed, None for all.

        Returns whether ``recount`` must follow.
        """
        had_limits = bool(self._limiting)
        known = self._limiting | forest.quotas.keys() if changed is None else changed
        for name in known:
            quota = forest.quotas.get(name)
            if quota is not None and quota.is_limited:
                self._limiting.add(name)
            else:
                self._limiting.discard(name)
        self._forest = forest
        self._bounds.clear()
        return had_limits or bool(self._limiting)

    def recount(self, pods: Iterable[tuple[Counted, str]]) -> None:
        """Count all admitted pods again; ``pods`` are all of them, with their quotas."""
        self._counted.clear()
        self._held.clear()
        for pod, quota in pods:
            self.add(pod, quota)

    def bounds(self, quota: str, holder: Holder) -> tuple[Bound, ...]:
        """Return the limits that apply to pods of ``holder`` in ``quota``."""
        if not self._limiting or self._forest is None:
            return ()
        if not self._knows_creators:
            holder = NO_HOLDER
        who = (quota, holder.user, holder.groups)
        found = self._bounds.get(who)
        if found is None:
            path = [self._forest.quotas[name] for name in self._forest.path(quota)]
            found = self._bounds[who] = user_limits.of(holder, path)
        return found

    def at(self, scope: Scope) -> SubjectUsage:
        """Return what one subject holds in one quota; do not change it."""
        return self._held.get(scope, NOTHING)

    def add(self, pod: Counted, quota: str) -> None:
        """Count ``pod``, which is admitted."""
        bound = self.bounds(quota, pod.holder)
        if not bound:
            return
        self._counted[pod.key] = (pod, bound)
        for scope, *_ in bound:
            self._held.setdefault(scope, SubjectUsage()).add(pod)

    def remove(self, key: Key) -> None:
        """Stop counting the pod, if it was counted."""
        counted = self._counted.pop(key, None)
        if counted is None:
            return
        pod, bound = counted
        for scope, *_ in bound:
            usage = self._held[scope]
            usage.remove(pod)
            if not usage.applications:
                del self._held[scope]
