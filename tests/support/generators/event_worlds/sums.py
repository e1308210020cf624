"""What an event world holds at one moment: plain sums over pods, quotas and nodes.

Amounts are whole cpus, GiB and devices. No code of the ledger or of scheduling is used.
"""

from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from itertools import combinations

from elasticquota.model.pod import Pod
from event_worlds.description import RESOURCES, Amounts, NodeSpec, Submitted
from event_worlds.play import Play
from worlds import amounts


_UNITS = amounts(cpu=1, memory=1, gpu=1)
_NAMES = dict(zip(RESOURCES, _UNITS, strict=True))


class Unit:
    """A pod, or the pods of a gang, which wait, start and end together."""

    __slots__ = ("count", "pods", "request", "workload")

    def __init__(self, workload: Submitted, pods: tuple[Pod, ...]) -> None:
        """``pods``: none, if it is only asked what would happen to one pod of the workload."""
        self.workload = workload
        self.pods = pods
        self.count = len(pods) or 1
        self.request = {key: self.count * amount for key, amount in workload.request.items()}

    @property
    def quota(self) -> str:
        return self.workload.quota

    @property
    def name(self) -> str:
        return self.workload.name if self.workload.gang else self.pods[0].key.name

    @property
    def waits(self) -> bool:
        return all(pod.gated for pod in self.pods)

    @property
    def runs(self) -> bool:
        return all(pod.bound for pod in self.pods)


class Sums:
    """The sums, without regard to the pods that end."""

    def __init__(self, play: Play) -> None:
        self.play = play
        self.quotas = dict(play.quotas)
        self.nodes = dict(play.nodes)
        self.paths = {name: tuple(self._path(name)) for name in self.quotas}
        """From the quota up to the one below the root."""
        self.pods = [pod for pod in play.scene.cluster.pods.values() if not pod.deleting]
        found: dict[str, list[Pod]] = {}
        for pod in self.pods:
            workload = play.workload_of(pod)
            if workload is not None and workload.quota in self.paths:
                found.setdefault(workload.name if workload.gang else pod.uid, []).append(pod)
        self.units = [Unit(_known(play, pods[0]), tuple(pods)) for pods in found.values()]

    @cached_property
    def waiting(self) -> list[Unit]:
        return [unit for unit in self.units if unit.waits]

    @cached_property
    def running(self) -> list[Unit]:
        return [unit for unit in self.units if unit.runs]

    @cached_property
    def unplaced(self) -> list[Unit]:
        """What is released in whole or in part, and not on nodes in whole."""
        return [unit for unit in self.units if not unit.waits and not unit.runs]

    @cached_property
    def held(self) -> dict[str, Amounts]:
        """By quota: what its admitted pods request."""
        return self.total(pod for unit in self.units for pod in unit.pods if not pod.gated)

    @cached_property
    def asked(self) -> dict[str, Amounts]:
        """By quota: what all its pods request."""
        return self.total(pod for unit in self.units for pod in unit.pods)

    @cached_property
    def firm(self) -> dict[str, Amounts]:
        """By quota: what its admitted pods request that are not preemptible."""
        return self.total(
            pod
            for unit in self.units
            for pod in unit.pods
            if not pod.gated and not unit.workload.preemptible
        )

    def total(self, pods: Iterable[Pod]) -> dict[str, Amounts]:
        found = {name: dict.fromkeys(RESOURCES, 0) for name in self.quotas}
        for pod in pods:
            workload = _known(self.play, pod)
            for name in self.paths.get(workload.quota, ()):
                for key, amount in workload.request.items():
                    found[name][key] += amount
        return {**found}

    @cached_property
    def offered(self) -> Amounts:
        """What the nodes of the tree offer besides the pods of no quota."""
        found = dict.fromkeys(RESOURCES, 0)
        counted = {pod.uid for unit in self.units for pod in unit.pods}
        for node in self.nodes.values():
            if node.matches:
                others = [pod for pod in self.on(node.name) if pod.uid not in counted]
                for key in RESOURCES:
                    found[key] += node.offers.get(key, 0)
                    found[key] -= sum(requested(pod, key) for pod in others)
        return found

    @cached_property
    def guarantees_fit(self) -> bool:
        """Whether the nodes of the tree offer all that the first level guarantees and holds."""
        first = [quota for quota in self.quotas.values() if not quota.parent]
        return all(
            sum(quota.min.get(key, 0) for quota in first) <= self.offered[key]
            and sum(self.held[quota.name][key] for quota in first) <= self.offered[key]
            for key in RESOURCES
        )

    def exceeded(self, name: str) -> list[str]:
        """The resources in which the quota holds more than its max."""
        high = self.quotas[name].max
        return [key for key, most in high.items() if self.held[name][key] > most]

    @cached_property
    def any_exceeds(self) -> bool:
        return any(self.exceeded(name) for name in self.quotas)

    def free(self, node: str, without: Collection[str] = ()) -> dict[str, int]:
        """What is free on a node once the pods that end, and those named, are gone."""
        left = {key: self.nodes[node].offers.get(key, 0) for key in RESOURCES}
        for pod in self.on(node):
            if pod.key.name not in without:
                for key in RESOURCES:
                    left[key] -= requested(pod, key)
        return left

    def on(self, node: str) -> list[Pod]:
        return self._by_node.get(node, [])

    @cached_property
    def _by_node(self) -> dict[str, list[Pod]]:
        found: dict[str, list[Pod]] = {}
        for pod in self.pods:
            found.setdefault(pod.node_name, []).append(pod)
        return found

    def places(self, unit: Unit, without: Collection[str] = ()) -> bool:
        """Whether nodes have room for the unit once the pods named are gone."""
        nodes = [node for node in self.nodes.values() if takes(node, unit.workload)]
        left = [self.free(node.name, without) for node in nodes]
        return _places(unit.workload.request, unit.count, left)

    def below(self, one: str, other: str) -> tuple[str, ...]:
        """The path of ``one`` up to the quota below the first that both have above them."""
        common = set(self.paths[other])
        return tuple(name for name in self.paths[one] if name not in common)

    def due_from(self, unit: Unit) -> int | None:
        """From which place of its path on the min of every quota covers the unit; None: from none.

        Below that place its share is sure only if the quota there has min for all its pods.
        """
        if self.any_exceeds or not self.guarantees_fit or self.beyond_min(unit):
            return None
        path = self.paths[unit.quota]
        found = None
        for place in reversed(range(len(path))):
            if not self._covers(path[place], self.held[path[place]], unit, more=True):
                break
            found = place
        if found and not (
            self._covers(path[found], self.asked[path[found]], unit, more=False)
            and self.fits_max(unit)
        ):
            return None
        return found

    def _covers(self, name: str, has: Amounts, unit: Unit, *, more: bool) -> bool:
        """Whether min names all that is requested and covers it."""
        low = self.quotas[name].min
        return all(
            key in low and has[key] + (asks if more else 0) <= low[key]
            for key, asks in unit.request.items()
        )

    def fits_max(self, unit: Unit, without: Iterable[Unit] = ()) -> bool:
        """Whether the unit is within every max on its path once others are gone."""
        gone = self.total(pod for each in without for pod in each.pods)
        return all(
            self.held[name][key] - gone[name][key] + asks <= self.quotas[name].max.get(key, 10**18)
            for name in self.paths[unit.quota]
            for key, asks in unit.request.items()
        )

    def fits_total(self, unit: Unit, without: Iterable[Unit] = ()) -> bool:
        """Whether the nodes offer it beside all that is held, once others are gone.

        A node that was made smaller may hold more than it offers: then another one may have room
        for the unit, while the tree as a whole has none.
        """
        gone = self.total(pod for each in without for pod in each.pods)
        first = [quota.name for quota in self.quotas.values() if not quota.parent]
        return all(
            sum(self.held[name][key] - gone[name][key] for name in first) + asks
            <= self.offered[key]
            for key, asks in unit.request.items()
        )

    def beyond_min(self, unit: Unit) -> str:
        """The quota whose min the pods that are not preemptible exceed with the unit, or empty."""
        if unit.workload.preemptible:
            return ""
        more = 0 if unit.pods and all(not pod.gated for pod in unit.pods) else 1
        for name in self.paths[unit.quota]:
            for key, most in self.quotas[name].min.items():
                asks = unit.request.get(key, 0)
                if asks and self.firm[name][key] + more * asks > most:
                    return name
        return ""

    def heads(self) -> dict[str, Unit]:
        """By quota: what its queue begins with."""
        found: dict[str, Unit] = {}
        for unit in sorted(
            self.waiting, key=lambda unit: (-unit.workload.priority, unit.pods[0].created)
        ):
            found.setdefault(unit.quota, unit)
        return found

    def _path(self, name: str) -> Iterator[str]:
        while name:
            yield name
            name = self.quotas[name].parent


def requested(pod: Pod, resource: str) -> int:
    """What a pod requests, in whole cpus, GiB or devices."""
    name = _NAMES[resource]
    return pod.request.get(name, 0) // _UNITS[name]


def takes(node: NodeSpec, workload: Submitted) -> bool:
    """Whether pods of the workload may run on the node, by what they wrote."""
    return (
        node.matches
        and not node.cordoned
        and (workload.tolerates or not node.tainted)
        and workload.malice != "nowhere"
    )


def subsets(units: list[Unit]) -> Iterator[tuple[Unit, ...]]:
    """All subsets but the empty one, the smallest first."""
    for count in range(1, len(units) + 1):
        yield from combinations(units, count)


def names_of(units: Iterable[Unit]) -> set[str]:
    """The names of the pods of the units."""
    return {pod.key.name for unit in units for pod in unit.pods}


def _places(request: Amounts, count: int, left: list[dict[str, int]]) -> bool:
    """Whether so many equal pods fit: equal pods fit in any order."""
    return count <= sum(
        min(free[key] // amount for key, amount in request.items() if amount)
        for free in left
        if all(free[key] >= amount for key, amount in request.items())
    )


def _known(play: Play, pod: Pod) -> Submitted:
    found = play.workload_of(pod)
    assert found is not None, pod.key
    return found
