"""What is chosen in small worlds: the shapes of trees, the amounts, and the families of worlds."""

from math import factorial
from typing import Any, Final, NamedTuple

from small_worlds.description import AT_REST, NEXT, TOGETHER, PodSpec


class Shape(NamedTuple):
    """Quotas without their bounds."""

    departments: tuple[str, ...]
    leaves: tuple[tuple[str, str], ...]
    """Name and parent."""
    alike: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    """Pairs of branches that could change places: the names in each, in the same order."""

    @property
    def symmetric(self) -> int:
        """In how many orders the branches may be; every quota has a pod, so no two are equal."""
        return factorial(len(self.alike) + 1)


SHAPES: Final = (
    Shape((), (("a", ""), ("b", "")), ((("a",), ("b",)),)),
    Shape((), (("a", ""), ("b", ""), ("c", "")), ((("a",), ("b",)), (("b",), ("c",)))),
    Shape(("d",), (("a", "d"), ("b", "d")), ((("a",), ("b",)),)),
    Shape(("d",), (("a", "d"), ("c", "")), ()),
    Shape(("d",), (("a", "d"), ("b", "d"), ("c", "")), ((("a",), ("b",)),)),
    Shape(("d", "e"), (("a", "d"), ("c", "e")), ((("d", "a"), ("e", "c")),)),
    Shape(("d", "e"), (("a", "d"), ("b", "d"), ("c", "e")), ((("a",), ("b",)),)),
)
LEAF_MINS: Final = (0, 1, 2, 3, 4)
DEPARTMENT_SURPLUS: Final = (0, 1, 2, 4, 6)
"""How much more than its children a department is guaranteed."""
ROOM_TO_MAX: Final = (None, 0, 1, 2)
"""How much larger max is than min; None: there is no max."""
NODES: Final = (
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
TAINTED: Final = ((2, 2), (3, 3), (4, 2), (4, 4), (4, 8), (2, 4))
"""Cpus of a usual and of a tainted node."""
SECOND_OF_NODES: Final = {
    "memory": ((4, 4), (2, 4), (6, 2), (3, 3)),
    "nvidia.com/gpu": ((2, 0), (1, 1), (2, 1), (2, 2)),
}
SECOND_OF_MINS: Final = {"memory": (0, 1, 2, 3), "nvidia.com/gpu": (None, 0, 1, 2)}
SECOND_OF_PODS: Final = {"memory": (1, 2, 3), "nvidia.com/gpu": (0, 1, 2)}
SIZES: Final = (1, 2, 3)
_MOMENTS: Final = (TOGETHER, AT_REST)
_ALL_MOMENTS: Final = (TOGETHER, NEXT, AT_REST)
_PLAIN: Final = PodSpec("", 1)
_HIGH: Final = _PLAIN._replace(priority=5)
NEVER: Final = _PLAIN._replace(priority=5, may_preempt=False)
_FIRM: Final = _PLAIN._replace(preemptible=False)
_GANG: Final = _PLAIN._replace(gang=True)
_SLOW: Final = _PLAIN._replace(slow=True)
_TOLERANT: Final = _PLAIN._replace(tolerates=True)


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


def _families() -> tuple[Family, ...]:
    found = []
    for pods in (3, 4, 5, 2):
        for shape in SHAPES:
            if len(shape.leaves) > pods:
                continue

            def add(name: str, *traits: PodSpec, **more: Any) -> None:
                kept = traits or (_PLAIN,)
                found.append(Family(name, shape, pods, kept, **more))  # noqa: B023 - called at once

            add("plain")
            add("with max", maxes=ROOM_TO_MAX)
            add("priorities", _PLAIN, _HIGH, preempts=True)
            add("preemptionPolicy Never", _PLAIN, NEVER, _HIGH, preempts=True)
            add("not preemptible", _PLAIN, _FIRM)
            add("gangs", _PLAIN, _GANG)
            add("devices", second="nvidia.com/gpu")
            add("devices in pools", second="nvidia.com/gpu", pooled=True)
            add("memory", second="memory")
            add("slow ends", _PLAIN, _SLOW, restarts=True, moments=_ALL_MOMENTS)
            add("taints", _PLAIN, _TOLERANT, tainted=True)
            add("lowered max", lowers=True, maxes=(None, 1))
            add("head of line", patience=300_000)
            mixed = (_PLAIN, NEVER, _HIGH, _FIRM, _GANG, _SLOW, _TOLERANT)
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
"""Worlds of the same kinds of choices, each the product of them."""
