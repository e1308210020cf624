"""What a world holds at one moment: plain sums over its pods, quotas and nodes."""

from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from itertools import combinations

from small_worlds.description import Amounts, Bounds, QuotaSpec
from small_worlds.world import LivePod, World


class Unit:
    """A pod, or the pods of a gang, which wait, start and end together."""

    __slots__ = ("pods", "quota", "request", "spec")

    def __init__(self, pods: tuple[LivePod, ...]) -> None:
        self.pods = pods
        self.spec = pods[0].spec
        self.quota = self.spec.quota
        self.request: Amounts = (
            sum(pod.request[0] for pod in pods),
            sum(pod.request[1] for pod in pods),
        )

    @property
    def name(self) -> str:
        return self.pods[0].gang or self.pods[0].name

    @property
    def waits(self) -> bool:
        return all(pod.gated for pod in self.pods)

    @property
    def runs(self) -> bool:
        return all(pod.node >= 0 and pod.ends is None for pod in self.pods)


class Sums:
    """The sums, without regard to the pods that end."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.quotas: dict[str, QuotaSpec] = {quota.name: quota for quota in world.spec.quotas}
        self.paths = {name: tuple(self._path(name)) for name in self.quotas}
        """From the quota up to the one below the root."""
        self.leaves = [
            name for name in self.quotas if not any(q.parent == name for q in world.spec.quotas)
        ]

    @cached_property
    def units(self) -> list[Unit]:
        """Everything that does not end now."""
        gangs: dict[str, list[LivePod]] = {}
        found = []
        for live in self.world.live.values():
            if live.ends is not None:
                continue
            if live.gang:
                gangs.setdefault(live.gang, []).append(live)
            else:
                found.append(Unit((live,)))
        return found + [Unit(tuple(pods)) for pods in gangs.values()]

    @cached_property
    def waiting(self) -> list[Unit]:
        return [unit for unit in self.units if unit.waits]

    @cached_property
    def running(self) -> list[Unit]:
        return [unit for unit in self.units if unit.runs]

    @cached_property
    def held(self) -> dict[str, Amounts]:
        """By quota: what its admitted pods request that do not end."""
        return self.total(
            live for live in self.world.live.values() if not live.gated and live.ends is None
        )

    @cached_property
    def held_by_all(self) -> dict[str, Amounts]:
        """By quota: what its admitted pods request, also those that end."""
        return self.total(live for live in self.world.live.values() if not live.gated)

    @cached_property
    def any_exceeds(self) -> bool:
        """Whether a quota holds more than its max: then it requests less than it holds."""
        return any(exceeds(has, self.world.maxes[name]) for name, has in self.held.items())

    def total(self, pods: Iterable[LivePod]) -> dict[str, Amounts]:
        found = {name: [0, 0] for name in self.quotas}
        for live in pods:
            for name in self.paths[live.spec.quota]:
                found[name][0] += live.request[0]
                found[name][1] += live.request[1]
        return {name: (cpu, second) for name, (cpu, second) in found.items()}

    def free(self, without: Collection[str] = ()) -> list[list[int]]:
        """By node: what is free once all pods that end, and those named, are gone."""
        left = [[node.cpu, node.second] for node in self.world.spec.nodes]
        for live in self.world.live.values():
            if live.node >= 0 and live.ends is None and live.name not in without:
                left[live.node][0] -= live.request[0]
                left[live.node][1] -= live.request[1]
        return left

    def places(self, unit: Unit, without: Collection[str] = ()) -> bool:
        """Whether nodes have room for the unit once the pods named are gone."""
        return self._places(list(unit.pods), self.free(without))

    def _places(self, pods: list[LivePod], left: list[list[int]]) -> bool:
        if not pods:
            return True
        first, rest = pods[0], pods[1:]
        for number, node in enumerate(self.world.spec.nodes):
            free = left[number]
            if node.tainted and not first.spec.tolerates:
                continue
            if free[0] >= first.request[0] and free[1] >= first.request[1]:
                less = [list(each) for each in left]
                less[number][0] -= first.request[0]
                less[number][1] -= first.request[1]
                if self._places(rest, less):
                    return True
        return False

    def below(self, one: str, other: str) -> tuple[str, ...]:
        """The path of ``one`` up to the quota below the first that both have above them."""
        common = set(self.paths[other])
        return tuple(name for name in self.paths[one] if name not in common)

    def due_from(self, unit: Unit) -> int | None:
        """From which place of its path on the min of every quota covers the unit; None: from none.

        Below that place its share is sure only if the quota there has min for all its pods.
        """
        if self.any_exceeds or self.beyond_min(unit):
            return None
        path = self.paths[unit.quota]
        found = None
        for place in reversed(range(len(path))):
            if not self._covers(path[place], self.held[path[place]], unit.request, unit.request):
                break
            found = place
        if found and not (
            self._covers(path[found], self._asked[path[found]], (0, 0), unit.request)
            and self.fits_max(unit)
        ):
            return None
        return found

    def may_give(self, other: Unit, unit: Unit, place: int) -> bool:
        """Whether a pod may go for the guarantee of a unit that is due from ``place`` on."""
        return (
            other.spec.preemptible and self.paths[unit.quota][place] not in self.paths[other.quota]
        )

    @cached_property
    def _asked(self) -> dict[str, Amounts]:
        """By quota: what all its pods request."""
        return self.total(live for live in self.world.live.values() if live.ends is None)

    def _covers(self, name: str, has: Amounts, more: Amounts, request: Amounts) -> bool:
        """Whether min names all that is requested and covers it."""
        bounds = zip(has, more, request, self.quotas[name].min, strict=True)
        return all(
            most is not None and amount + plus <= most
            for amount, plus, asks, most in bounds
            if asks
        )

    def fits_max(self, unit: Unit, without: Iterable[Unit] = ()) -> bool:
        """Whether the unit is within every max on its path once others are gone."""
        gone = self.total(pod for each in without for pod in each.pods)
        return all(
            most is None or has - less + asks <= most
            for name in self.paths[unit.quota]
            for has, less, asks, most in zip(
                self.held[name], gone[name], unit.request, self.world.maxes[name], strict=True
            )
            if asks
        )

    def beyond_min(self, unit: Unit) -> str:
        """The quota whose min the pods that are not preemptible exceed with the unit, or empty."""
        if unit.spec.preemptible:
            return ""
        firm = self.total(
            live
            for live in self.world.live.values()
            if not live.gated
            and live.ends is None
            and not live.spec.preemptible
            and live not in unit.pods
        )
        for name in self.paths[unit.quota]:
            bounds = self.quotas[name].min
            for has, asks, most in zip(firm[name], unit.request, bounds, strict=True):
                if asks and most is not None and has + asks > most:
                    return name
        return ""

    def subsets(self, units: list[Unit]) -> Iterator[tuple[Unit, ...]]:
        """All subsets, the smallest first."""
        for count in range(len(units) + 1):
            yield from combinations(units, count)

    def _path(self, name: str) -> Iterator[str]:
        while name:
            yield name
            name = self.quotas[name].parent


def exceeds(has: Amounts, bounds: Bounds) -> list[int]:
    """The numbers of the resources in which an amount exceeds a bound."""
    return [
        number
        for number, (amount, bound) in enumerate(zip(has, bounds, strict=True))
        if bound is not None and amount > bound
    ]


def names_of(units: Iterable[Unit]) -> set[str]:
    """The names of the pods of the units."""
    return {pod.name for unit in units for pod in unit.pods}
