"""One world for each index, without repetition, from families that are products of choices.

Indexes come in blocks of ``BLOCK``: the worlds of a block differ in few choices, those of the last
pods first, so most begin in the same way. Block ``b`` belongs to family ``b mod F``, so every ``F``
blocks show all families. Inside a family a stride that has no divisor in common with the number of
its blocks visits every product once, in an order that mixes all choices.

An index has no world (None) where quotas that could change places are in the other order, where the
first level guarantees more than the nodes offer, where another family has the world, or where all
pods have room, because such worlds decide nothing.
"""

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from itertools import product
from math import gcd
from typing import Any, Final, NamedTuple

from small_worlds.description import (
    TOGETHER,
    Bounds,
    Lowered,
    NodeSpec,
    PodSpec,
    QuotaSpec,
    WorldSpec,
)
from small_worlds.families import (
    DEPARTMENT_SURPLUS,
    FAMILIES,
    LEAF_MINS,
    NODES,
    SECOND_OF_MINS,
    SECOND_OF_NODES,
    SECOND_OF_PODS,
    SIZES,
    TAINTED,
    Family,
)
from small_worlds.wanted import is_backed, is_wanted


_Choose = Callable[[Sequence[Any]], Any]


class _Digits:
    """A number as the digits of choices, the lowest first."""

    def __init__(self, number: int) -> None:
        self._left = number

    def choose(self, options: Sequence[Any]) -> Any:
        self._left, digit = divmod(self._left, len(options))
        return options[digit]


class _Counter:
    """Counts the products of the choices that a family makes."""

    def __init__(self) -> None:
        self.size = 1

    def choose(self, options: Sequence[Any]) -> Any:
        self.size *= len(options)
        return options[0]


class _Pods(NamedTuple):
    """The choices of a world that change most often."""

    pods: tuple[PodSpec, ...]
    restarts: bool
    lowered: tuple[str, int, int] | None
    """Quota, how much larger max becomes than min, and before which pod."""


def _with_pods(base: WorldSpec, chosen: _Pods) -> WorldSpec:
    lowered = None
    if chosen.lowered is not None:
        name, room, before = chosen.lowered
        least = next(quota.min[0] or 0 for quota in base.quotas if quota.name == name)
        lowered = Lowered(name, (least + room, None), before)
    return base._replace(pods=chosen.pods, restarts=chosen.restarts, lowered=lowered)


def _pods(family: Family, pick: _Choose) -> _Pods:
    """Make each choice once, in the same order for all positions of a family.

    ``pick`` changes the first one most often: what matters last when the world runs.
    """
    names = tuple(name for name, _ in family.shape.leaves)
    last = family.pods - 1
    lowered = None
    if family.lowers:
        quota = pick((*names, *family.shape.departments))
        lowered = (quota, pick((0, 1)), pick((last, family.pods)))
    restarts = family.restarts and bool(pick((0, 1)))
    bodies = [_body(family, pick)]
    owners = pick(_owners(names, family.pods))
    bodies.extend(_body(family, pick) for _ in range(last))
    moments = pick(_orders_of_arrival(family.moments, family.pods))
    pods = tuple(
        body._replace(quota=quota, moment=moment)
        for body, quota, moment in zip(reversed(bodies), owners, moments, strict=True)
    )
    return _Pods(pods, restarts, lowered)


def _setting(family: Family, pick: _Choose) -> WorldSpec:
    """Make each choice once, in the same order for all positions of a family."""
    bounds: dict[str, tuple[Bounds, Bounds]] = {}
    parents = dict(family.shape.leaves)
    for name in parents:
        bounds[name] = _bounds(family, pick, pick(LEAF_MINS), 0)
    for name in family.shape.departments:
        children = [bounds[leaf][0] for leaf, parent in parents.items() if parent == name]
        cpu = sum(low[0] or 0 for low in children) + pick(DEPARTMENT_SURPLUS)
        bounds[name] = _bounds(family, pick, cpu, sum(low[1] or 0 for low in children))
    packs = bool(pick((0, 1)))
    order = (*family.shape.departments, *parents)
    return WorldSpec(
        tuple(QuotaSpec(name, parents.get(name, ""), *bounds[name]) for name in order),
        _nodes(family, pick),
        (),
        family.second,
        packs,
        pooled=family.pooled,
        patience=family.patience,
    )


def _body(family: Family, pick: _Choose) -> PodSpec:
    """A pod without its quota and moment."""
    cpu = pick(SIZES)
    trait: PodSpec = pick(family.traits)
    amount = pick(SECOND_OF_PODS[family.second]) if family.second else 0
    return trait._replace(cpu=cpu, second=amount)


@cache
def _owners(names: tuple[str, ...], pods: int) -> tuple[tuple[str, ...], ...]:
    """The quotas of the pods, so that each quota has one; that of the last pod changes first."""
    return tuple(each for each in product(names, repeat=pods) if len(set(each)) == len(names))


@cache
def _orders_of_arrival(moments: tuple[int, ...], pods: int) -> tuple[tuple[int, ...], ...]:
    """When the pods come; not all at once, as one alone comes late."""
    found = product((TOGETHER,), *[moments] * (pods - 1))
    return tuple(each for each in found if any(each))


def _bounds(family: Family, pick: _Choose, cpu: int, least: int) -> tuple[Bounds, Bounds]:
    room = pick(family.maxes)
    amount = pick(SECOND_OF_MINS[family.second]) if family.second else None
    if amount is not None:
        amount += least
    elif least:
        amount = least
    high = None if room is None else max(1, cpu + room)
    return (cpu, amount), (high, None)


def _nodes(family: Family, pick: _Choose) -> tuple[NodeSpec, ...]:
    first, other = pick(TAINTED if family.tainted else NODES)
    amounts = pick(SECOND_OF_NODES[family.second]) if family.second else (0, 0)
    nodes = [NodeSpec(first, amounts[0])]
    if other:
        nodes.append(NodeSpec(other, amounts[1], family.tainted))
    return tuple(nodes)


BLOCK: Final = 32
"""How many indexes follow each other in one family."""


class _Size(NamedTuple):
    """How many products the parts of a family have."""

    pods: int
    total: int
    blocks: int
    stride: int
    """From a block to the next one."""


def _size(family: Family) -> _Size:
    counter = _Counter()
    _pods(family, counter.choose)
    pods = counter.size
    _setting(family, counter.choose)
    blocks = -(-counter.size // BLOCK)
    return _Size(pods, counter.size, blocks, _stride(blocks))


def _stride(size: int) -> int:
    """About the golden section of the size, without a divisor in common with it."""
    stride = max(1, size * 618_033_988_749_894 // 10**15)
    while gcd(stride, size) != 1:
        stride += 1
    return stride


SIZES_OF_FAMILIES: Final = tuple(_size(family) for family in FAMILIES)


def family_of(index: int) -> Family:
    """The family to which an index belongs."""
    return FAMILIES[index // BLOCK % len(FAMILIES)]


def stands_for(family: Family, spec: WorldSpec) -> int:
    """How many worlds differ from this one only by quotas, or unequal nodes, that change places."""
    return family.shape.symmetric * (1 + (spec.nodes[0] != spec.nodes[-1]))


def world(index: int) -> WorldSpec | None:
    """The world of an index, or None where it has none."""
    block, place = divmod(index, BLOCK)
    number, which = divmod(block, len(FAMILIES))
    size = SIZES_OF_FAMILIES[which]
    if number >= size.blocks:
        return None
    # Families of one size would otherwise make the same choices at the same time.
    begin = which * SIZES_OF_FAMILIES[-1].stride
    position = (number * size.stride + begin) % size.blocks * BLOCK + place
    return world_at(which, position) if position < size.total else None


def world_at(which: int, position: int) -> WorldSpec | None:
    """The world of one product of a family, or None."""
    family = FAMILIES[which]
    setting, pods = divmod(position, SIZES_OF_FAMILIES[which].pods)
    base = _setting_of(which, setting)
    if base is None:
        return None
    spec = _with_pods(base, _pods(family, _Digits(pods).choose))
    return spec if is_wanted(family, spec) else None


@lru_cache(maxsize=8)
def _setting_of(which: int, position: int) -> WorldSpec | None:
    """A world without its pods; None: the nodes do not offer what is guaranteed."""
    spec = _setting(FAMILIES[which], _Digits(position).choose)
    return spec if is_backed(spec) else None
