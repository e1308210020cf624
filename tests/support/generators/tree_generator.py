"""Arbitrary trees of quotas with requests; the laws test the product only through them.

A `TreeCase` is one default tree: its quotas, the requests of their own pods, and the total. Small
ones are drawn quota by quota, so that a failure shrinks to the few that matter. Big ones grow from
one number; a smaller size of the same number is the same tree without its youngest quotas.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hypothesis import strategies as st

import forests
from elasticquota import names, resources
from elasticquota.forest import acceptance
from elasticquota.forest.structure import Forest, Tree
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.resources import Resources
from elasticquota.sharing.runtime import Runtimes
from elasticquota.structs import replace


RESOURCES = ("cpu", "gpu")
DEEPEST = 32


@dataclass(frozen=True)
class Demand:
    """By quota name."""

    request: Mapping[str, Resources]
    limited: Mapping[str, Resources]


@dataclass(frozen=True)
class TreeCase:
    """A tree with the requests of its quotas and the total; quotas are given oldest first."""

    quotas: tuple[Quota, ...]
    own: Mapping[str, Resources]
    available: Resources

    @cached_property
    def forest(self) -> Forest:
        return acceptance.build(self.quotas)

    @property
    def tree(self) -> Tree:
        return self.forest.trees[names.DEFAULT_TREE]

    @cached_property
    def _solved(self) -> Runtimes:
        return forests.solved(self.tree, self.forest, self.own, self.available)

    def runtimes(self) -> Mapping[str, Resources]:
        """Runtime by quota name, with every key that counts in the tree."""
        return self._runtimes

    @cached_property
    def _runtimes(self) -> Mapping[str, Resources]:
        return {name: self._solved.runtime(name) for name in self.tree.order}

    def own_runtimes(self) -> Mapping[str, Resources]:
        """The part for a quota's own pods: all for a leaf; of parents only those with pods."""
        children, own = self.tree.children, self.own
        return {
            name: self._solved.own_runtime(name)
            for name in self.tree.order
            if not children[name] or resources.positive(own.get(name, {}))
        }

    def demand(self) -> Demand:
        found, order = self._solved, self.tree.order
        return Demand(
            {name: found.request(name) for name in order},
            {name: found.limited_request(name) for name in order},
        )

    def verdicts(self) -> dict[str, str]:
        """The reason of the verdict by quota name."""
        return {key.name: verdict.reason for key, verdict in self.forest.verdicts.items()}

    def min_of(self, name: str) -> Resources:
        """The effective min: nothing where the quota is not accepted."""
        return self.forest.effective_min(name)

    def with_available(self, available: Resources) -> "TreeCase":
        return TreeCase(self.quotas, self.own, available)

    def with_own(self, own: Mapping[str, Resources]) -> "TreeCase":
        return TreeCase(self.quotas, own, self.available)

    def with_quotas(self, change: Callable[[Quota], Quota]) -> "TreeCase":
        """The case with every quota replaced by ``change``."""
        return TreeCase(tuple(change(quota) for quota in self.quotas), self.own, self.available)

    def with_quota(self, name: str, **figures: Any) -> "TreeCase":
        """The case with other figures in one quota."""
        return self.with_quotas(
            lambda quota: replace(quota, **figures) if quota.name == name else quota
        )

    def with_pods_in_leaves(self) -> "TreeCase":
        """Without own pods of parents, because these have no chosen weight: theirs is the total."""
        parents = {quota.parent for quota in self.quotas}
        return self.with_own({name: own for name, own in self.own.items() if name not in parents})

    def with_room_for_guarantees(self) -> "TreeCase":
        """With a total of at least the guarantees of the first level of the tree."""
        top = [self.min_of(name) for name in self.tree.children[self.tree.root]]
        needed = {key: sum(held.get(key, 0) for held in top) for key in RESOURCES}
        return self.with_available(
            {key: max(self.available.get(key, 0), amount) for key, amount in needed.items()}
        )


def more(amounts: Resources, key: str, by: int) -> dict[str, int]:
    return {**amounts, key: amounts.get(key, 0) + by}


def amounts(sizes: st.SearchStrategy[int]) -> st.SearchStrategy[dict[str, int]]:
    """Any of the resources; a key may be missing."""
    return st.fixed_dictionaries({}, optional=dict.fromkeys(RESOURCES, sizes))


_SIZES = amounts(st.integers(0, 40))
_TOTAL = st.fixed_dictionaries({key: st.integers(0, 120) for key in RESOURCES})
_WEIGHT = st.fixed_dictionaries({key: st.integers(1, 9) for key in RESOURCES})


# So many quotas older, or one of the two oldest: long chains and many siblings are both common.
_PARENTS = st.sampled_from((0, 1, 2, -1, -1, -2))


def _traits(weight: st.SearchStrategy[dict[str, int] | None]) -> st.SearchStrategy[Any]:
    """By age: parent, min, room above it, weight, lending, pods."""
    mins = amounts(st.integers(0, 2) | st.integers(0, 20))
    traits = st.tuples(_PARENTS, mins, _SIZES, weight, st.booleans(), _SIZES)
    return st.lists(traits, min_size=3, max_size=8)


_PLAIN, _WEIGHTED = _traits(st.none() | _SIZES), _traits(_WEIGHT)


@st.composite
def tree_cases(draw: st.DrawFn, weighted: bool = False) -> TreeCase:
    """A tree of three to eight quotas below koordinator-root-quota, any of them with pods.

    ``weighted``: every quota has its own shared weight, not 0, for every resource.
    """
    quotas: list[Quota] = []
    own: dict[str, Resources] = {}
    traits = draw(_WEIGHTED if weighted else _PLAIN)
    for age, (up, low, room, weight, lent, pods) in enumerate(traits):
        elder = age - up if up > 0 else -up - 1
        parent = f"q{elder}" if 0 <= elder < age else names.ROOT_QUOTA
        high = {key: low.get(key, 0) + above for key, above in room.items()}
        quotas.append(_quota(age, parent, low, high, weight, lent))
        own[f"q{age}"] = pods
    return TreeCase(tuple(quotas), own, draw(_TOTAL))


def _quota(
    age: int, parent: str, low: Resources, high: Resources, weight: Resources | None, lent: bool
) -> Quota:
    return Quota(
        key=Key("ns", f"q{age}"),
        uid=f"{age:06}",
        created="",
        parent=parent,
        is_parent=True,
        min=low,
        max=high,
        shared_weight=weight,
        allow_lent=lent,
    )


def big_tree_cases(*, weighted: bool = False, most: int = 2_000) -> st.SearchStrategy[TreeCase]:
    """Trees of up to 2,000 quotas, 32 levels deep, with numbers up to 2^70."""
    sizes = st.sampled_from([size for size in (30, 300, 2_000) if size <= most])
    return st.builds(grow, st.integers(0, 2**32), sizes, weighted=st.just(weighted))


def grow(seed: int, size: int, *, weighted: bool = False) -> TreeCase:
    """Make the case of a number: flat, bushy or deep, scarce or plentiful, small or huge."""
    dice = random.Random(seed)
    traits = _BigTreeTraits(dice, weighted)
    plenty = dice.randint(0, 130)
    quotas: list[Quota] = []
    own: dict[str, Resources] = {}
    depth = {names.ROOT_QUOTA: 0}
    unreserved: dict[str, dict[str, int]] = {}
    possible = [names.ROOT_QUOTA]
    for age in range(size):
        parent = traits.parent(possible)
        low = traits.min(unreserved.get(parent))
        high = {key: low.get(key, 0) + traits.amount() for key in traits.some_keys()}
        quota = _quota(age, parent, low, high, traits.weight(), dice.random() < 0.8)
        quotas.append(quota)
        unreserved[quota.name] = dict(low)
        depth[quota.name] = depth[parent] + 1
        if depth[quota.name] < DEEPEST:
            possible.append(quota.name)
        own[quota.name] = {key: traits.amount() for key in traits.some_keys()}
    parents = {quota.parent for quota in quotas}
    own = {name: pods for name, pods in own.items() if name not in parents or dice.random() < 0.1}
    asked = {key: sum(pods.get(key, 0) for pods in own.values()) for key in RESOURCES}
    return TreeCase(tuple(quotas), own, {key: asked[key] * plenty // 100 for key in RESOURCES})


class _BigTreeTraits:
    """The traits of the quotas of one big tree."""

    def __init__(self, dice: random.Random, weighted: bool) -> None:
        self._dice = dice
        self._weighted = weighted
        self._bits = dice.choice((3, 10, 40, 70))
        self._shape = dice.choice(("flat", "bushy", "deep"))

    def parent(self, possible: list[str]) -> str:
        """A parent that has room below: one of the oldest, any, or mostly the youngest."""
        if self._shape == "flat":
            return possible[min(len(possible) - 1, int(self._dice.expovariate(1)))]
        if self._shape == "deep" and self._dice.random() < 0.7:
            return possible[-1]
        return self._dice.choice(possible)

    def some_keys(self) -> list[str]:
        return [key for key in RESOURCES if self._dice.random() < 0.8]

    def amount(self) -> int:
        return self._dice.getrandbits(self._dice.randint(0, self._bits))

    def min(self, unreserved: dict[str, int] | None) -> dict[str, int]:
        """Mostly out of what the parent has left, which is booked; some mins are too high."""
        if unreserved is None or self._dice.random() < 0.02:
            return {key: self.amount() for key in self.some_keys()}
        if self._dice.random() < 0.02:
            return {key: unreserved.get(key, 0) + 1 for key in RESOURCES}
        low = {key: self._dice.randint(0, unreserved.get(key, 0)) for key in self.some_keys()}
        for key, held in low.items():
            unreserved[key] = unreserved.get(key, 0) - held
        return low

    def weight(self) -> dict[str, int] | None:
        if self._weighted:
            return {key: 1 + self.amount() for key in RESOURCES}
        if self._dice.random() < 0.5:
            return None
        return {key: self._dice.choice((0, self.amount())) for key in self.some_keys()}
