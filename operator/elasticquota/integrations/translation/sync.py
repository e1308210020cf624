"""Plans the steps that bring stored quotas in line with the translation of an external system.

The steps pass through states in which no quota or pod loses what both ends give it:

* quotas that lower their min come before quotas that raise it, and parents raise theirs before
  their children, so that no sum of min is ever too large (EQ1104);
* a namespace that moves is bound by its new quota before its old one releases it (EQ1004 lets the
  older binding apply), so that no pod is without a quota in between;
* parents are made before their children, and unwanted quotas are deleted last, children first; a
  parent that loses its children becomes a leaf after that.

Quotas are recognized by their mark (`names.DIALECT`). A quota without it has another owner: its
name is taken, and neither it nor what would hang below it is changed. Quotas that are in sync need
no step, and quotas that wait for their tree get none.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from operator import attrgetter
from typing import Final, NamedTuple

from elasticquota import resources
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.resources import Resources
from elasticquota.structs import Struct, replace


class Put(Struct, frozen=True):
    """Create the quota, or update the stored one to it."""

    quota: Quota


class Remove(Struct, frozen=True):
    """Delete the quota, if its uid is still this one."""

    key: Key
    uid: str


Step = Put | Remove


class SyncInput(NamedTuple):
    """The input of a plan; see ``plan``."""

    dialect: str
    waiting: frozenset[str]
    blocking: frozenset[str]
    wanted: tuple[Quota, ...]
    stored: tuple[Quota, ...]


class SyncPlan(Struct, frozen=True):
    """The steps that bring the stored quotas in sync."""

    steps: tuple[Step, ...] = ()
    """In the order in which they must run."""
    taken: tuple[str, ...] = ()
    """Names of wanted quotas that cannot exist: another owner has the name, or that of a parent."""
    asked: SyncInput | None = None
    """What it was made from."""

    def __eq__(self, other: object) -> bool:
        """Whether both do the same."""
        return isinstance(other, SyncPlan) and (self.steps, self.taken) == (
            other.steps,
            other.taken,
        )

    def __hash__(self) -> int:
        return hash((self.steps, self.taken))


NO_PLAN: Final = SyncPlan()

_stated: Final = attrgetter(
    *("min", "max", "parent", "is_parent", "reclaim_grace", "preemption", "over_max_delay"),
    *("application_order", "orders_by_priority", "nodes", "limits"),
)
"""What a translation sets of a quota, besides what has another form when it is stored."""


def plan(
    dialect: str,
    wanted: Iterable[Quota],
    stored: Iterable[Quota],
    waiting: Iterable[str] = (),
    blocking: frozenset[str] = frozenset(),
    before: SyncPlan = NO_PLAN,
) -> SyncPlan:
    """Plan how ``stored``, all quotas that exist, become ``wanted``.

    ``wanted`` lists parents before their children. Quotas with names in ``waiting`` stay as they
    are. In the queues of those in ``blocking`` no workload overtakes another. ``before`` is any
    earlier plan; it is returned as it is when it was made from the same.
    """
    asked = SyncInput(dialect, frozenset(waiting), blocking, tuple(wanted), tuple(stored))
    if asked == before.asked:
        return before
    way = _Way(asked)
    way.end_promises()
    way.lower_promises()
    way.make_and_raise()
    way.let_go()
    way.remove()
    return SyncPlan(tuple(way.steps), way.taken, asked)


class _Way:
    """Builds the steps from what exists to what is wanted; call the methods in their order.

    Quotas that are in sync need no step in any of them.
    """

    def __init__(self, asked: SyncInput) -> None:
        self.steps: list[Step] = []
        self._now: dict[Key, Quota] = {}
        """The stored quotas that the dialect may change, as the steps so far leave them."""
        others: set[str] = set()
        for quota in asked.stored:
            if quota.kept_for != asked.dialect:
                others.add(quota.name)
            elif quota.name not in asked.waiting:
                self._now[quota.key] = quota
        free: dict[Key, Quota] = {}
        taken: dict[str, None] = {}
        for quota in asked.wanted:
            if quota.name in others or quota.parent in taken:
                taken[quota.name] = None
            else:
                free[quota.key] = quota
        self.taken = tuple(taken)
        self._standing = {key.name for key in free}
        self._gone = _children_first(each for key, each in self._now.items() if key not in free)
        self._wanted: dict[Key, Quota] = {}
        """The wanted quotas that can exist, and are not stored or differ from the stored ones."""
        for key, quota in free.items():
            is_strict = quota.name in asked.blocking
            if not _agree(self._now.get(key), quota, is_strict):
                self._wanted[key] = replace(quota, kept_for=asked.dialect, strict_queue=is_strict)

    def end_promises(self) -> None:
        """Of unwanted quotas; one with no wanted quota above it keeps its min until deletion."""
        standing = self._standing
        for quota in reversed(self._gone):
            if quota.parent in standing:
                standing.add(quota.name)
        for quota in self._gone:
            if quota.min and quota.parent in standing:
                self._put(replace(quota, min={}))

    def lower_promises(self) -> None:
        for key in reversed(self._wanted):
            before, after = self._now.get(key), self._wanted[key]
            if before is None:
                continue
            lower = _smaller(before.min, after.min)
            if lower != before.min:
                # The whole update if min and limits are all that changes, else only the lower min.
                only_limits = lower == after.min and _in_one_place(before, after)
                self._put(after if only_limits else replace(before, min=lower))

    def make_and_raise(self) -> None:
        """Quotas keep a namespace here that another quota is about to bind."""
        taken_up = _newly_bound(self._wanted.values(), self._now)
        left = {quota.parent for quota in self._gone}
        for key, quota in self._wanted.items():
            before = self._now.get(key)
            if before is None:
                self._put(quota)
                continue
            held = (name for name in before.namespaces if name in taken_up)
            bound = tuple(dict.fromkeys((*quota.namespaces, *held)))
            is_parent = quota.is_parent or (before.is_parent and quota.name in left)
            self._put(replace(quota, namespaces=bound, is_parent=is_parent))

    def let_go(self) -> None:
        for key, quota in self._wanted.items():
            self._put(replace(quota, is_parent=self._now[key].is_parent))

    def remove(self) -> None:
        self.steps += [Remove(quota.key, quota.uid) for quota in self._gone]
        for quota in self._wanted.values():
            self._put(quota)

    def _put(self, quota: Quota) -> None:
        if not _agree(self._now.get(quota.key), quota, quota.strict_queue):
            self._now[quota.key] = quota
            self.steps.append(Put(quota))


def _agree(stored: Quota | None, wanted: Quota, is_strict: bool) -> bool:
    """Whether ``stored`` exists and has all that a translation sets, and ``strict_queue``."""
    return (
        stored is not None
        and _stated(stored) == _stated(wanted)
        and _same(stored.namespaces, wanted.namespaces)
        and stored.strict_queue == is_strict
        and not stored.faults
    )


def _same(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two lists have the same members, in any order."""
    return one == other or set(one) == set(other)


def _in_one_place(before: Quota, after: Quota) -> bool:
    return (
        before.parent == after.parent
        and before.is_parent == after.is_parent
        and _same(before.namespaces, after.namespaces)
    )


def _smaller(one: Resources, other: Resources) -> dict[str, int]:
    """The smaller of two mins; a missing key is 0."""
    return resources.positive({key: min(amount, other.get(key, 0)) for key, amount in one.items()})


def _newly_bound(wanted: Iterable[Quota], now: Mapping[Key, Quota]) -> set[str]:
    """Namespaces that their wanted quota does not bind yet."""
    found: set[str] = set()
    for quota in wanted:
        before = now.get(quota.key)
        found.update(set(quota.namespaces) - set(before.namespaces if before else ()))
    return found


def _children_first(quotas: Iterable[Quota]) -> list[Quota]:
    found = sorted(quotas, key=lambda quota: quota.key)
    standing = {quota.name for quota in found}
    below: dict[str, list[Quota]] = defaultdict(list)
    for quota in found:
        below[quota.parent].append(quota)
    order: dict[Key, Quota] = {}
    level = [quota for quota in found if quota.parent not in standing]
    while level:
        order.update((quota.key, quota) for quota in level)
        level = [child for quota in level for child in below[quota.name] if child.key not in order]
    # Quotas in a cycle of parents were edited by another client; they are deleted like the rest.
    order.update((quota.key, quota) for quota in found if quota.key not in order)
    return list(reversed(order.values()))
