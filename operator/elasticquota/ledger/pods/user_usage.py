"""User usage: what each user and each group holds in the quotas that limit it, and applications.

As in all sums, a pod is subtracted exactly as it was added, under the bounds of that time. If no
quota has a limit, nothing is kept.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from elasticquota import totals
from elasticquota.copy_on_write import CopyOnWrite
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

    def copy(self) -> "SubjectUsage":
        """Return an equal value that can be changed."""
        return SubjectUsage(self.amounts.copy(), self.applications.copy())

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


class UserBounds:
    """Which limits apply to whose pods, in one forest."""

    def __init__(
        self, forest: Forest | None, limiting: AbstractSet[str], *, knows_creators: bool
    ) -> None:
        """``limiting`` are the quotas with limits; ``knows_creators`` as in ``Accounting``."""
        self._forest = forest
        self.limiting = limiting
        self._knows_creators = knows_creators
        self._found: dict[tuple[str, str, tuple[str, ...]], tuple[Bound, ...]] = {}
        """By quota, user and groups."""

    def of(self, quota: str, holder: Holder) -> tuple[Bound, ...]:
        """Return the limits that apply to pods of ``holder`` in ``quota``."""
        if not self.limiting or self._forest is None:
            return ()
        if not self._knows_creators:
            holder = NO_HOLDER
        who = (quota, holder.user, holder.groups)
        found = self._found.get(who)
        if found is None:
            path = [self._forest.quotas[name] for name in self._forest.path(quota)]
            found = self._found[who] = user_limits.of(holder, path)
        return found


class UserUsage(Struct, frozen=True):
    """The usage of all subjects with limits at one moment."""

    bounds: UserBounds
    held: Mapping[Scope, SubjectUsage]
    """What each subject holds in each quota that limits it."""

    def at(self, scope: Scope) -> SubjectUsage:
        """Return what one subject holds in one quota; do not change it."""
        return self.held.get(scope, NOTHING)


class UserAccounting:
    """Keeps the usage of all subjects up to date; mutable, call ``follow_limits`` first."""

    def __init__(self, *, knows_creators: bool = True) -> None:
        """``knows_creators`` as in ``Accounting``."""
        self._knows_creators = knows_creators
        self.bounds = UserBounds(None, frozenset(), knows_creators=knows_creators)
        self._counted: dict[Key, tuple[Counted, tuple[Bound, ...]]] = {}
        self._held: CopyOnWrite[dict[Scope, SubjectUsage]] = CopyOnWrite({})
        self._opened: set[Scope] = set()
        """Those whose usage is not in the last snapshot."""

    def taken(self) -> UserUsage:
        """Return the usage of now, which no later change shows in."""
        self._opened.clear()
        return UserUsage(self.bounds, self._held.taken())

    def follow_limits(self, forest: Forest, changed: AbstractSet[str] | None) -> bool:
        """Use the limits of ``forest``; ``changed`` are the quotas that changed, None for all.

        Returns whether ``recount`` must follow.
        """
        before = self.bounds.limiting
        known = before | forest.quotas.keys() if changed is None else changed
        limiting = {
            name
            for name in known
            if (quota := forest.quotas.get(name)) is not None and quota.is_limited
        }
        limiting |= before - known
        self.bounds = UserBounds(forest, limiting, knows_creators=self._knows_creators)
        return bool(before or limiting)

    def recount(self, pods: Iterable[tuple[Counted, str]]) -> None:
        """Count all admitted pods again; ``pods`` are all of them, with their quotas."""
        self._counted.clear()
        self._held.opened().clear()
        self._opened.clear()
        for pod, quota in pods:
            self.add(pod, quota)

    def add(self, pod_or_job: Counted, quota: str) -> None:
        """Count ``pod_or_job``, which is admitted."""
        bound = self.bounds.of(quota, pod_or_job.holder)
        if not bound:
            return
        self._counted[pod_or_job.key] = (pod_or_job, bound)
        for scope, *_ in bound:
            self._usage(scope).add(pod_or_job)

    def remove(self, key: Key) -> None:
        """Stop counting the pod, if it was counted."""
        counted = self._counted.pop(key, None)
        if counted is None:
            return
        pod, bound = counted
        for scope, *_ in bound:
            usage = self._usage(scope)
            usage.remove(pod)
            if not usage.applications:
                del self._held.opened()[scope]

    def _usage(self, scope: Scope) -> SubjectUsage:
        """The usage to be changed: a copy, if the last snapshot has it."""
        found = self._held.now.get(scope)
        if found is None or scope not in self._opened:
            self._opened.add(scope)
            found = SubjectUsage() if found is None else found.copy()
            self._held.opened()[scope] = found
        return found
