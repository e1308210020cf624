"""Kept quotas follow a neighbour's objects: what there is becomes what the translation says.

The steps between the two go through states in which nobody loses what both ends give:

* who promises less says so before anybody promises more, and parents promise before their
  children, so that no sum of min is ever too large (EQ1104);
* a namespace that moves is bound by its new quota before its old one lets go (EQ1004 lets the
  older binding hold), so that no pod is without a quota in between;
* parents are there before their children, and what nobody wants any more goes last, children
  first; who was their parent becomes a leaf after them.

Quotas are known by their mark (`names.DIALECT`). A quota without it is somebody else's: its name
is taken, and neither it nor what would hang below it is touched. What is in step needs no step, and
what waits for the tree it belongs to gets none.

A plan remembers how things stood (``comparing``), so an edit costs the next one what it changes.
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
    """Make the quota, or make the stored one say this."""

    quota: Quota


@dataclass(frozen=True, slots=True)
class Remove:
    """Delete the quota, if it still is this one."""

    key: Key
    uid: str


Step = Put | Remove


@dataclass(frozen=True, slots=True)
class Plan:
    """How the stored quotas come into step."""

    steps: tuple[Step, ...] = ()
    """To be taken in this order."""
    taken: tuple[str, ...] = ()
    """Names of wanted quotas that cannot be there, because somebody else has them or a parent."""
    comparison: Comparison | None = field(default=None, compare=False, repr=False)
    """By which it was made."""


NO_PLAN: Final = Plan()


def plan(
    dialect: str,
    wanted: Iterable[Quota],
    stored: Iterable[Quota],
    waiting: Iterable[str] = (),
    blocking: frozenset[str] = frozenset(),
    before: Plan = NO_PLAN,
) -> Plan:
    """How ``stored``, all quotas that there are, come into step with ``wanted``.

    ``wanted`` are parents before their children; quotas with names in ``waiting`` stay, nobody
    passes in the lines of those in ``blocking``. ``before`` is any other plan, the more alike the
    better.
    """
    asked = Asked(dialect, frozenset(waiting), blocking, tuple(wanted), tuple(stored))
    found = comparison.of(asked, before.comparison)
    if found is before.comparison:
        return before
    if not (found.odd or found.gone):
        return Plan((), found.taken, found)
    way = _Way(found)
    way.end_promises()
    way.lower_promises()
    way.make_and_raise()
    way.let_go()
    way.remove()
    return Plan(tuple(way.steps), found.taken, found)


class _Way:
    """From what is kept to what is wanted; each method is one part of it, in their order.

    Who is in step already needs no step in any of them.
    """

    def __init__(self, found: Comparison) -> None:
        asked = found.asked
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
        """Of whom nobody wants any more; a whole department that goes takes them along."""
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
                # All at once where that is all, and else only the promise.
                only_limits = lower == after.min and _in_one_place(before, after)
                self._put(after if only_limits else replace(before, min=lower))

    def make_and_raise(self) -> None:
        """Nobody lets go of a namespace that somebody else is about to bind."""
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
    """Of two promises; a missing key is 0."""
    return resources.positive({key: min(amount, other.get(key, 0)) for key, amount in one.items()})


def _bound_anew(wanted: Iterable[Quota], now: Mapping[Key, Quota]) -> set[str]:
    """Namespaces whose quota is about to bind them and does not yet."""
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
    # Whoever stands in a circle has been edited by somebody, and goes all the same.
    order.update((quota.key, quota) for quota in found if quota.key not in order)
    return list(reversed(order.values()))
