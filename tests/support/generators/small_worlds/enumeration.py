"""One world for each index, without repetition, from families that are products of choices.

Index ``i`` belongs to family ``i mod F``. Inside a family a stride that has no divisor in common
with its size visits every product once, in an order that mixes all choices. An
index has no world (None) where quotas that could change places are in the other order, where a
quota has no pod, where the first level guarantees more than the nodes offer, or where all pods have
room, because such worlds decide nothing.
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from math import gcd
from typing import Any, Final, NamedTuple

from small_worlds.description import (
    AT_REST,
    NEXT,
    TOGETHER,
    Bounds,
    Lowered,
    NodeSpec,
    PodSpec,
    QuotaSpec,
    WorldSpec,
)


_Choose = Callable[[Sequence[Any]], Any]


class Shape(NamedTuple):
    """Quotas without their bounds."""

    departments: tuple[str, ...]
    leaves: tuple[tuple[str, str], ...]
    """Name and parent."""
    alike: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    """Pairs of branches that could change places: the names in each, in the same order."""


_SHAPES: Final = (
    Shape((), (("a", ""), ("b", "")), ((("a",), ("b",)),)),
    Shape((), (("a", ""), ("b", ""), ("c", "")), ((("a",), ("b",)), (("b",), ("c",)))),
    Shape(("d",), (("a", "d"), ("b", "d")), ((("a",), ("b",)),)),
    Shape(("d",), (("a", "d"), ("c", "")), ()),
    Shape(("d",), (("a", "d"), ("b", "d"), ("c", "")), ((("a",), ("b",)),)),
    Shape(("d", "e"), (("a", "d"), ("c", "e")), ((("d", "a"), ("e", "c")),)),
    Shape(("d", "e"), (("a", "d"), ("b", "d"), ("c", "e")), ((("a",), ("b",)),)),
)
_LEAF_MINS: Final = (0, 1, 2, 3, 4)
_DEPARTMENT_SURPLUS: Final = (0, 1, 2, 4, 6)
"""How much more than its children a department is guaranteed."""
_ROOM_TO_MAX: Final = (None, 0, 1, 2)
"""How much larger max is than min; None: there is no max."""
_NODES: Final = (
    (4, 0),
    (6, 0),
    (2, 2),
    (3, 3),
    (4, 4),
    (3, 2),
    (4, 1),
    (4, 2),
    (5, 2),
    (6, 1),
)
"""Cpus of two nodes; 0: there is no second one."""
_TAINTED: Final = ((2, 2), (3, 3), (4, 2), (4, 4), (4, 8), (2, 4))
"""Cpus of a usual and of a tainted node."""
_SECOND_OF_NODES: Final = {
    "memory": ((4, 4), (2, 4), (6, 2), (3, 3)),
    "nvidia.com/gpu": ((2, 0), (1, 1), (2, 1), (2, 2)),
}
_SECOND_OF_MINS: Final = {"memory": (0, 1, 2, 3), "nvidia.com/gpu": (None, 0, 1, 2)}
_SECOND_OF_PODS: Final = {"memory": (1, 2, 3), "nvidia.com/gpu": (0, 1, 2)}
_SIZES: Final = (1, 2, 3)
_MOMENTS: Final = (TOGETHER, AT_REST)
_ALL_MOMENTS: Final = (TOGETHER, NEXT, AT_REST)
_PLAIN: Final = PodSpec("", 1)
_HIGH: Final = _PLAIN._replace(priority=5)
_NEVER: Final = _PLAIN._replace(priority=5, may_preempt=False)
_FIRM: Final = _PLAIN._replace(preemptible=False)
_GANG: Final = _PLAIN._replace(gang=True)
_SLOW: Final = _PLAIN._replace(slow=True)
_TOLERANT: Final = _PLAIN._replace(tolerates=True)


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


class Family(NamedTuple):
    """Worlds with the same number of pods and the same kind of choices."""

    name: str
    shape: Shape
    pods: int
    traits: tuple[PodSpec, ...] = (_PLAIN,)
    """What a pod may be like; quota, size and moment are chosen apart."""
    second: str = ""
    tainted: bool = False
    preempts: bool = False
    """A later pod is more important than one of its quota that came before."""
    pooled: bool = False
    lowers: bool = False
    restarts: bool = False
    patience: int = 0
    moments: tuple[int, ...] = _MOMENTS
    maxes: tuple[int | None, ...] = (None,)
    """How much larger max is than min; None: there is no max."""

    @property
    def size(self) -> int:
        """How many products of choices there are."""
        counter = _Counter()
        _make(self, counter.choose)
        return counter.size

    def world(self, position: int) -> WorldSpec | None:
        """The world of one product, or None."""
        spec = _make(self, _Digits(position).choose)
        return spec if _is_wanted(self, spec) else None


def _make(family: Family, pick: _Choose) -> WorldSpec:
    """Make each choice once, in the same order for all positions of a family."""
    second = family.second
    bounds: dict[str, tuple[Bounds, Bounds]] = {}
    parents = dict(family.shape.leaves)
    names = [name for name, _ in family.shape.leaves]
    pods = []
    for _ in range(family.pods):
        trait = pick(family.traits)
        amount = pick(_SECOND_OF_PODS[second]) if second else 0
        pods.append(
            trait._replace(
                quota=pick(names),
                cpu=pick(_SIZES),
                second=amount,
                moment=pick(family.moments),
            )
        )
    for name in names:
        bounds[name] = _bounds(family, pick, pick(_LEAF_MINS), 0)
    for name in family.shape.departments:
        children = [bounds[leaf][0] for leaf, parent in parents.items() if parent == name]
        cpu = sum(low[0] or 0 for low in children) + pick(_DEPARTMENT_SURPLUS)
        bounds[name] = _bounds(family, pick, cpu, sum(low[1] or 0 for low in children))
    packs = bool(pick((0, 1)))
    nodes = _nodes(family, pick)
    lowered = None
    if family.lowers:
        name = pick((*names, *family.shape.departments))
        high = (bounds[name][0][0] or 0) + pick((0, 1))
        lowered = Lowered(name, (high, None), pick((family.pods - 1, family.pods)))
    restarts = family.restarts and bool(pick((0, 1)))
    order = [*family.shape.departments, *names]
    quotas = tuple(QuotaSpec(name, parents.get(name, ""), *bounds[name]) for name in order)
    return WorldSpec(
        quotas,
        nodes,
        tuple(pods),
        second,
        packs,
        lowered,
        family.pooled,
        restarts,
        family.patience,
    )


def _bounds(family: Family, pick: _Choose, cpu: int, least: int) -> tuple[Bounds, Bounds]:
    room = pick(family.maxes)
    amount = pick(_SECOND_OF_MINS[family.second]) if family.second else None
    if amount is not None:
        amount += least
    elif least:
        amount = least
    high = None if room is None else max(1, cpu + room)
    return (cpu, amount), (high, None)


def _nodes(family: Family, pick: _Choose) -> tuple[NodeSpec, ...]:
    first, other = pick(_TAINTED if family.tainted else _NODES)
    amounts = pick(_SECOND_OF_NODES[family.second]) if family.second else (0, 0)
    nodes = [NodeSpec(first, amounts[0])]
    if other:
        nodes.append(NodeSpec(other, amounts[1], family.tainted))
    return tuple(nodes)


def _is_wanted(family: Family, spec: WorldSpec) -> bool:
    used = {pod.quota for pod in spec.pods}
    return (
        len(used) == len(family.shape.leaves)
        and not spec.pods[0].moment
        and any(pod.moment for pod in spec.pods)
        and _has_its_traits(family, spec)
        and is_first_of_its_kind(family.shape, spec)
        and _is_backed(spec)
        and _contends(spec)
    )


def _has_its_traits(family: Family, spec: WorldSpec) -> bool:
    """Whether the world has what its family is about; else another family has it."""
    plain = family.traits[0][3:9]
    if len(family.traits) > 1 and all(pod[3:9] == plain for pod in spec.pods):
        return False
    if family.preempts and _NEVER in family.traits and all(pod.may_preempt for pod in spec.pods):
        return False
    if family.second and not any(pod.second for pod in spec.pods):
        return False
    if family.preempts and not any(
        late.quota == early.quota
        and late.priority > early.priority
        and late.moment
        and late.may_preempt
        for early, late in combinations(spec.pods, 2)
    ):
        return False
    return not family.pooled or len(spec.nodes) > 1


def is_first_of_its_kind(shape: Shape, spec: WorldSpec) -> bool:
    """Whether of all worlds that differ by quotas that change places this one is tried."""
    used = [pod.quota for pod in spec.pods]
    by_name = {quota.name: quota for quota in spec.quotas}
    changed = spec.lowered.quota if spec.lowered is not None else ""
    for one, other in shape.alike:
        left = [_rank(by_name[name], changed) for name in one]
        right = [_rank(by_name[name], changed) for name in other]
        if left > right:
            return False
        if left == right and used.index(one[-1]) > used.index(other[-1]):
            return False
    return True


def _rank(quota: QuotaSpec, changed: str) -> tuple[int, ...]:
    bounds = (*quota.min, *quota.max)
    return (*(-1 if bound is None else bound for bound in bounds), quota.name == changed)


def _is_backed(spec: WorldSpec) -> bool:
    """Whether the nodes offer what the first level is guaranteed."""
    top = [quota.min for quota in spec.quotas if not quota.parent]
    cpu = sum(low[0] or 0 for low in top)
    second = sum(low[1] or 0 for low in top)
    return cpu <= sum(node.cpu for node in spec.nodes) and second <= sum(
        node.second for node in spec.nodes
    )


def _contends(spec: WorldSpec) -> bool:
    """Whether a pod that comes late lacks room and may have a right to some.

    A rough sum; a world in which nothing happens is only a waste of time.
    """
    if spec.lowered is not None:
        before = next(q.max[0] for q in spec.quotas if q.name == spec.lowered.quota)
        return before is None or before > (spec.lowered.max[0] or 0)
    pods = spec.pods
    last = max(number for number, pod in enumerate(pods) if pod.moment)
    late = pods[last:]
    asked: dict[str, int] = {}
    for pod in pods[:last]:
        asked[pod.quota] = asked.get(pod.quota, 0) + pod.cpu * (1 + pod.gang)
    offered = sum(node.cpu for node in spec.nodes if not node.tainted)
    spare = offered - sum(asked.values())
    seconds = sum(node.second for node in spec.nodes) - sum(pod.second for pod in pods[:last])
    quotas = {quota.name: quota for quota in spec.quotas}
    most = max(asked.values())
    for pod in late:
        size = pod.cpu * (1 + pod.gang)
        if spare > size and not (pod.second and seconds < pod.second):
            continue
        quota = quotas[pod.quota]
        least = max(quota.min[0] or 0, quotas[quota.parent].min[0] or 0 if quota.parent else 0)
        if size <= least or asked.get(pod.quota, 0) + size < most:
            return True
        if any(e.quota == pod.quota and e.priority < pod.priority for e in pods[:last]):
            return True
    return False


def _families() -> tuple[Family, ...]:
    found = []
    for pods in (3, 4, 5, 2):
        for shape in _SHAPES:
            if len(shape.leaves) > pods:
                continue

            def add(name: str, *traits: PodSpec, **more: Any) -> None:
                kept = traits or (_PLAIN,)
                found.append(Family(name, shape, pods, kept, **more))  # noqa: B023

            add("plain")
            add("with max", maxes=_ROOM_TO_MAX)
            add("priorities", _PLAIN, _HIGH, preempts=True)
            add("preemptionPolicy Never", _PLAIN, _NEVER, _HIGH, preempts=True)
            add("not preemptible", _PLAIN, _FIRM)
            add("gangs", _PLAIN, _GANG)
            add("devices", second="nvidia.com/gpu")
            add("devices in pools", second="nvidia.com/gpu", pooled=True)
            add("memory", second="memory")
            add("slow ends", _PLAIN, _SLOW, restarts=True, moments=_ALL_MOMENTS)
            add("taints", _PLAIN, _TOLERANT, tainted=True)
            add("lowered max", lowers=True, maxes=(None, 1))
            add("head of line", patience=300_000)
            mixed = (_PLAIN, _NEVER, _HIGH, _FIRM, _GANG, _SLOW, _TOLERANT)
            add(
                "mixed",
                *mixed,
                maxes=(None, 1),
                second="nvidia.com/gpu",
                tainted=True,
                moments=_ALL_MOMENTS,
            )
    return tuple(found)


FAMILIES: Final = _families()
_SIZES_OF_FAMILIES: Final = tuple(family.size for family in FAMILIES)


def _stride(size: int) -> int:
    """About the golden section of the size, without a divisor in common with it."""
    stride = max(1, size * 618_033_988_749_894 // 10**15)
    while gcd(stride, size) != 1:
        stride += 1
    return stride


_STRIDES: Final = tuple(_stride(size) for size in _SIZES_OF_FAMILIES)
TOTAL: Final = sum(_SIZES_OF_FAMILIES)
"""How many products of choices there are in all families."""


def family_of(index: int) -> Family:
    """The family to which an index belongs."""
    return FAMILIES[index % len(FAMILIES)]


def world(index: int) -> WorldSpec | None:
    """The world of an index, or None where it has none."""
    number, which = divmod(index, len(FAMILIES))
    size = _SIZES_OF_FAMILIES[which]
    if number >= size:
        return None
    # Families of one size would otherwise make the same choices at the same time.
    return FAMILIES[which].world((number * _STRIDES[which] + which * _STRIDES[-1]) % size)
