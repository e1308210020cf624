"""User limits: what the limits of users, groups and applications leave in one cycle.

A working copy: each admitted pod, and each with kept room, is booked at once. A pod's usage counts
until it is gone, also while it terminates, so no pod is evicted for another one at such a limit. A
group that is admitted as one counts for its first pod's user.
"""

from collections.abc import Hashable
from typing import NamedTuple

from elasticquota.forest.user_limits import Scope
from elasticquota.ledger.pods import user_usage
from elasticquota.ledger.pods.user_usage import SubjectUsage, UserUsage
from elasticquota.model.workload import Workload


class Reached(NamedTuple):
    """A limit that a pod would exceed."""

    scope: Scope
    resource: str
    """Empty: applications."""
    held: int
    most: int


class UserLimits:
    """Mutable; one per tree and cycle. Without any limit it costs next to nothing."""

    def __init__(self, held: UserUsage) -> None:
        self._usage = held
        self._taken: dict[Scope, SubjectUsage] = {}

    def reached(self, quota: str, workload: Workload) -> Reached | None:
        """The first limit, on the way up from ``quota``, that has no room for ``workload``."""
        for scope, most_of, applications in self._usage.bounds.of(quota, workload.holder):
            held, taken = self._usage.at(scope), self._taken.get(scope, user_usage.NOTHING)
            for resource, most in sorted(most_of.items()):
                before = held.amounts.get(resource, 0) + taken.amounts.get(resource, 0)
                asked = workload.request.get(resource, 0)
                if asked > 0 and before + asked > most:
                    return Reached(scope, resource, before, most)
            running = held.applications.keys() | taken.applications.keys() if applications else ()
            if len(running) >= applications > 0 and user_usage.application(workload) not in running:
                return Reached(scope, "", len(running), applications)
        return None

    def count(self, quota: str, workload: Workload) -> None:
        """Book an admission, or room that is kept."""
        for scope, *_ in self._usage.bounds.of(quota, workload.holder):
            self._taken.setdefault(scope, SubjectUsage()).add(workload)

    def are_its_own(self, quota: str, workload: Workload, *, is_leaf: bool) -> bool:
        """Whether only pods of its own quota count in the limits of the pod."""
        bound = self._usage.bounds.of(quota, workload.holder)
        return all(is_leaf and scope.quota == quota for scope, *_ in bound)

    def limit_key(self, quota: str, workload: Workload) -> Hashable:
        """Equal for two pods of a quota that its limits do not distinguish."""
        bound = self._usage.bounds.of(quota, workload.holder)
        return (workload.key.namespace, workload.holder) if bound else None
