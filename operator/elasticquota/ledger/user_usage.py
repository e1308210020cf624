"""Holdings: what each user and each group holds in the quotas that limit it, and its applications.

Kept like all sums: taken off is what was added, for every pod by the bounds under which it was
counted. Where no quota has a limit, nothing is kept.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final

from elasticquota import totals
from elasticquota.forest import user_limits
from elasticquota.forest.structure import Forest
from elasticquota.forest.user_limits import Bound, Place
from elasticquota.model.holder import Holder
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod


@dataclass(slots=True)
class Holding:
    """What one subject holds at one quota."""

    amounts: dict[str, int] = field(default_factory=dict)
    applications: Counter[Key] = field(default_factory=Counter)
    """How many pods each has."""

    def add(self, pod: Pod) -> None:
        totals.add(self.amounts, pod.request)
        self.applications[application(pod)] += 1

    def take(self, pod: Pod) -> None:
        totals.subtract(self.amounts, pod.request)
        key = application(pod)
        self.applications[key] -= 1
        if not self.applications[key]:
            del self.applications[key]


NOTHING: Final = Holding()
"""Not to be changed."""


def application(pod: Pod) -> Key:
    """Namespace and name of the one that the pod is of; without a name, that of its namespace."""
    return Key(pod.key.namespace, pod.holder.application)


class Holdings:
    """Mutable; ``go_by`` a forest before anything else."""

    def __init__(self) -> None:
        self._forest: Forest | None = None
        self._limiting: set[str] = set()
        """Quotas with limits."""
        self._bounds: dict[tuple[str, str, tuple[str, ...]], tuple[Bound, ...]] = {}
        """By quota, user and groups."""
        self._counted: dict[Key, tuple[Pod, tuple[Bound, ...]]] = {}
        self._held: dict[Place, Holding] = {}

    @property
    def held(self) -> Mapping[Place, Holding]:
        return self._held

    def go_by(self, forest: Forest, changed: AbstractSet[str] | None) -> bool:
        """Only the quotas in ``changed`` are others, None for all; whether ``recount`` is due."""
        bound = bool(self._limiting)
        known = self._limiting | forest.quotas.keys() if changed is None else changed
        for name in known:
            quota = forest.quotas.get(name)
            if quota is not None and quota.is_limited:
                self._limiting.add(name)
            else:
                self._limiting.discard(name)
        self._forest = forest
        self._bounds.clear()
        return bound or bool(self._limiting)

    def recount(self, pods: Iterable[tuple[Pod, str]]) -> None:
        """Count anew all pods that were let in, given with their quotas."""
        self._counted.clear()
        self._held.clear()
        for pod, quota in pods:
            self.open(pod, quota)

    def bounds(self, quota: str, holder: Holder) -> tuple[Bound, ...]:
        """What binds pods of ``holder`` in ``quota``."""
        if not self._limiting or self._forest is None:
            return ()
        who = (quota, holder.user, holder.groups)
        found = self._bounds.get(who)
        if found is None:
            path = [self._forest.quotas[name] for name in self._forest.path(quota)]
            found = self._bounds[who] = user_limits.of(holder, path)
        return found

    def at(self, place: Place) -> Holding:
        """What is held there; not to be changed."""
        return self._held.get(place, NOTHING)

    def open(self, pod: Pod, quota: str) -> None:
        """Count ``pod``, which was let in."""
        bound = self.bounds(quota, pod.holder)
        if not bound:
            return
        self._counted[pod.key] = (pod, bound)
        for place, *_ in bound:
            self._held.setdefault(place, Holding()).add(pod)

    def close(self, key: Key) -> None:
        """Count the pod no longer, if it was."""
        counted = self._counted.pop(key, None)
        if counted is None:
            return
        pod, bound = counted
        for place, *_ in bound:
            holding = self._held[place]
            holding.take(pod)
            if not holding.applications:
                del self._held[place]
