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
from dataclasses import dataclass, field, replace
from typing import Final

from elasticquota import resources
from elasticquota.integrations.translation import comparison
from elasticquota.integrations.translation.comparison import Asked, Comparison
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.resources import Resources


@dataclass(frozen=True, slots=True)
class Put:
    """Create the quota, or update the stored one to it."""

    quota: Quota


@dataclass(frozen=True, slots=True)
class Remove:
    """Delete the quota, if its uid is still this one."""

    key: Key
    uid: str


Step = Put | Remove


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps that bring the stored quotas in sync."""

    steps: tuple[Step, ...] = ()
    """In the order in which they must run."""
    taken: tuple[str, ...] = ()
    """Names of wanted quotas that cannot exist: another owner has the name, or that of a parent."""
    asked: Asked | None = field(default=None, compare=False, repr=False)
    """What it was made from."""


NO_PLAN: Final = Plan()


def plan(
    dialect: str,
    wanted: Iterable[Quota],
    stored: Iterable[Quota],
    waiting: Iterable[str] = (),
    blocking: frozenset[str] = frozenset(),
    before: Plan = NO_PLAN,
) -> Plan:
    """Plan how ``stored``, all quotas that exist, become ``wanted``.

    ``wanted`` lists parents before their children. Quotas with names in ``waiting`` stay as they
    are. In the queues of those in ``blocking`` no workload overtakes another. ``before`` is any
    earlier plan; it is returned as it is when it was made from the same.
    """
    asked = Asked(dialect, frozenset(waiting), blocking, tuple(wanted), tuple(stored))
    if asked == before.asked:
        return before
    found = comparison.of(asked)
    if not (found.odd or found.gone):
        return Plan((), found.taken, asked)
    way = _Way(asked, found)
    way.end_promises()
    way.lower_promises()
    way.make_and_raise()
    way.let_go()
    way.remove()
    return Plan(tuple(way.steps), found.taken, asked)


class _Way:
    """Builds the steps from what exists to what is wanted; call the methods in their order.

    Quotas that are in sync need no step in any of them.
    """

    def __init__(self, asked: Asked, found: Comparison) -> None:
        self._wanted = {
            key: replace(quota, kept_for=asked.dialect, strict_queue=quota.name in asked.blocking)
            for key, quota in found.free.items()
            if key in found.odd
        }
        self._standing = {key.name for key in found.free} if found.gone else set()
        self._now = dict(found.kept)
        self._gone = _children_first(found.gone)
        self.steps: list[Step] = []

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
        taken_up = _bound_anew(self._wanted.values(), self._now)
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
        before = self._now.get(quota.key)
        if before is None or not comparison.agree(before, quota, quota.strict_queue):
            self._now[quota.key] = quota
            self.steps.append(Put(quota))


def _in_one_place(before: Quota, after: Quota) -> bool:
    return (
        before.parent == after.parent
        and before.is_parent == after.is_parent
        and comparison.same(before.namespaces, after.namespaces)
    )


def _smaller(one: Resources, other: Resources) -> dict[str, int]:
    """The smaller of two mins; a missing key is 0."""
    return resources.positive({key: min(amount, other.get(key, 0)) for key, amount in one.items()})


def _bound_anew(wanted: Iterable[Quota], now: Mapping[Key, Quota]) -> set[str]:
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
