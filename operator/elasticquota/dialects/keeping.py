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
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from elasticquota import resources
from elasticquota.dialects.translation import Translation
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


def marked(dialect: str, made: Translation) -> Translation:
    """The same, of quotas that bear the dialect's mark."""
    return replace(made, quotas=tuple(replace(each, kept_for=dialect) for each in made.quotas))


def plan(
    dialect: str,
    wanted: Iterable[Quota],
    stored: Iterable[Quota],
    waiting: Collection[str] = frozenset(),
) -> Plan:
    """How ``stored``, all quotas that there are, come into step with ``wanted``.

    ``wanted`` bear the mark, parents before their children; quotas with names in ``waiting`` stay.
    """
    kept: dict[Key, Quota] = {}
    others: set[str] = set()
    for quota in stored:
        if quota.kept_for != dialect:
            others.add(quota.name)
        elif quota.name not in waiting:
            kept[quota.key] = quota
    free: dict[Key, Quota] = {}
    taken: dict[str, None] = {}
    for quota in wanted:
        if quota.name in others or quota.parent in taken:
            taken[quota.name] = None
        else:
            free[quota.key] = quota
    if kept.keys() == free.keys() and all(_agree(kept[key], free[key]) for key in free):
        return Plan(taken=tuple(taken))
    way = _Way(free, kept)
    way.end_promises()
    way.lower_promises()
    way.make_and_raise()
    way.let_go()
    way.remove()
    return Plan(tuple(way.steps), tuple(taken))


class _Way:
    """From what is kept to what is wanted; each method is one part of it, in their order."""

    def __init__(self, wanted: dict[Key, Quota], kept: Mapping[Key, Quota]) -> None:
        self._wanted = wanted
        self._now = dict(kept)
        self._gone = _children_first(kept[key] for key in kept.keys() - wanted.keys())
        self.steps: list[Step] = []

    def end_promises(self) -> None:
        """Of whom nobody wants any more; a whole department that goes takes them along."""
        standing = {quota.name for quota in self._wanted.values()}
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
        if quota.key not in self._now or not _agree(self._now[quota.key], quota):
            self._now[quota.key] = quota
            self.steps.append(Put(quota))


def _agree(stored: Quota, wanted: Quota) -> bool:
    """Whether the stored one says what a translation can say."""
    return (
        stored.min == wanted.min
        and stored.max == wanted.max
        and _same(stored.namespaces, wanted.namespaces)
        and stored.parent == wanted.parent
        and stored.is_parent == wanted.is_parent
        and stored.reclaim_grace == wanted.reclaim_grace
        and stored.strict_queue == wanted.strict_queue
        and stored.nodes == wanted.nodes
        and stored.limits == wanted.limits
        and not stored.faults
    )


def _same(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return one == other or set(one) == set(other)


def _in_one_place(before: Quota, after: Quota) -> bool:
    return (
        before.parent == after.parent
        and before.is_parent == after.is_parent
        and _same(before.namespaces, after.namespaces)
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
