"""The state of all quotas and pods at one moment of a scene: figures for all laws.

Runtimes are those of the ledger, which has laws of its own; everything else is added up here from
the cluster's pods. Amounts are by resource, in accounting units.
"""

from collections.abc import Collection, Iterable
from itertools import combinations, product

from elasticquota import names, resources, totals
from elasticquota.model.constraints import ANYWHERE
from elasticquota.model.pod import Pod
from elasticquota.resources import Resources
from virtual_cluster.scene import Scene
from worlds import ROOT


class SceneFigures:
    """A copy of the figures; later changes of the scene do not change it."""

    def __init__(self, scene: Scene) -> None:
        books, tree = scene.books, scene.tree
        forest = books.forest
        self.path = {name: forest.path(name) for name in tree.tree.order}
        self.low = {name: forest.effective_min(name) for name in tree.tree.order}
        self.high = {name: forest.quotas[name].max for name in tree.tree.order}
        self.runtime = {name: tree.runtimes.runtime(name) for name in tree.tree.order}
        self.runtime[ROOT] = {**tree.available, **self.runtime[ROOT]}
        self.nodes = tree.available
        self.pods: dict[str, list[Pod]] = {name: [] for name in tree.tree.order}
        """By quota: admitted and not terminating."""
        self.leaving: list[Pod] = []
        self.waiting: list[tuple[str, Pod]] = []
        """In the order of each quota's queue; only pods that can ever be admitted."""
        self.stuck = {
            pod.uid
            for pod in scene.cluster.pods.values()
            if not pod.preemptible or (pod.bound and scene.budgets.protects(pod.uid))
        }
        """Uids of pods that cannot be evicted."""
        ledger = scene.controller.ledger
        for name in tree.tree.order:
            found = books.account(name)
            if forest.accepted(name):
                self.waiting.extend((name, pod) for pod in found.waiting if isinstance(pod, Pod))
            for pod in found.running:
                assert isinstance(pod, Pod)  # a virtual cluster has no queued jobs
                if pod.deleting or pod.uid in ledger.evicting:
                    self.leaving.append(pod)
                else:
                    self.pods[name].append(pod)
        self.offered = {
            name: node.allocatable
            for name, node in ledger.nodes.items()
            if not ANYWHERE.obstacle(node)
        }
        self._on: dict[str, list[Pod]] = {}
        for pods in self.pods.values():
            for pod in pods:
                self._on.setdefault(pod.node_name, []).append(pod)
        self._where = {pod.uid: (name, pod) for name, pods in self.pods.items() for pod in pods}
        self._held: dict[str, dict[str, int]] = {name: {} for name in self.path}
        for quota, pod in self._where.values():
            for name in self.path[quota]:
                totals.add(self._held[name], pod.request)

    def held(self, name: str, *, without: Collection[str] = ()) -> Resources:
        """The amounts held by the quota and all below it; ``without`` are uids."""
        gone = [self._where[uid] for uid in without]
        return resources.subtract(
            self._held[name],
            resources.add(*(pod.request for quota, pod in gone if name in self.path[quota])),
        )

    def over(self, name: str) -> Resources:
        """The amounts of the quota beyond its runtime."""
        beyond = resources.subtract(self.held(name), self.runtime[name])
        return resources.positive(resources.masked(beyond, self.runtime[name]))

    def fits(self, name: str, request: Resources, *, without: Collection[str] = ()) -> bool:
        """Whether ``request`` fits below every runtime on the path, and on one node, once
        ``without`` are gone.
        """
        return self.is_hosted(request, without=without) and all(
            _within(self.held(place, without=without), request, self.runtime[place])
            for place in self.path[name]
        )

    def fits_limits(self, name: str, request: Resources) -> bool:
        """Whether it fits below every max and on the nodes, regardless of the shares."""
        nodes = {key: self.nodes.get(key, 0) for key in request}
        return (
            self.is_hosted(request)
            and _within(self.held(ROOT), request, nodes)
            and all(
                _within(self.held(place), request, self.high[place]) for place in self.path[name]
            )
        )

    def is_hosted(self, request: Resources, *, without: Collection[str] = ()) -> bool:
        """Whether one node has room for it. Workloads of these laws may run on any node."""
        return any(
            all(
                asked <= offered.get(key, 0) - self._held_on(node, without).get(key, 0)
                for key, asked in request.items()
            )
            for node, offered in self.offered.items()
        )

    def _held_on(self, node: str, without: Collection[str]) -> Resources:
        return resources.add(
            *(pod.request for pod in self._on.get(node, ()) if pod.uid not in without)
        )

    def owed(self) -> Iterable[tuple[str, Pod]]:
        """Waiting pods within min, counting all pods before them in their queue."""
        claimed = {name: self.held(name) for name in self.path}
        for name, pod in self.waiting:
            claimed[name] = resources.add(claimed[name], pod.request)
            low = self.low[name]
            if not low or not _at_most(claimed[name], low, pod.request):
                continue
            if self.is_due(name, pod):
                yield name, pod

    def unstopped(self) -> Iterable[tuple[str, Pod]]:
        """Waiting preemptible pods up to the first of each queue that no pod may pass.

        At rest every head has been first for too long.
        """
        stopped: set[str] = set()
        for name, pod in self.waiting:
            if pod.preemptible and name not in stopped:
                yield name, pod
                if all(_within({}, pod.request, self.runtime[at]) for at in self.path[name]):
                    stopped.add(name)

    def is_due(self, name: str, pod: Pod) -> bool:
        """Whether the pod fits below the runtime of its own quota."""
        return _within(self.held(name), pod.request, self.runtime[name])

    def singles(self, name: str, pod: Pod) -> Iterable[tuple[str, Pod]]:
        """Quotas that hold too much, each with one pod beyond its min whose eviction would admit
        ``pod``.
        """
        for giver, pods in self.pods.items():
            if giver != name and self.over(giver):
                for victim in pods:
                    if (
                        victim.uid not in self.stuck
                        and self._leaves_mins(name, [victim.uid])
                        and self.fits(name, pod.request, without=[victim.uid])
                    ):
                        yield giver, victim
                        break

    def ways(self, name: str, pod: Pod) -> Iterable[frozenset[str]]:
        """All sets of victims in other quotas that would admit ``pod``.

        Each quota loses pods only until it is no longer beyond its runtime, and keeps its min, as
        all above it do that are not above the pod.
        """
        givers = [giver for giver in self.pods if giver not in (name, names.SYSTEM_QUOTA, ROOT)]
        for gifts in product(*(self._gifts(giver) for giver in givers)):
            chosen = frozenset[str]().union(*gifts)
            if (
                chosen
                and self._leaves_mins(name, chosen)
                and self.fits(name, pod.request, without=chosen)
            ):
                yield chosen

    def _leaves_mins(self, taker: str, victims: Collection[str]) -> bool:
        """Whether each quota on the ways of the victims that is not above ``taker`` keeps min."""
        gone = [self._where[uid] for uid in victims]
        return all(
            self.held(place, without=victims).get(key, 0)
            >= min(self.held(place)[key], self.low[place].get(key, 0))
            for giver, pod in gone
            for place in self.path[giver]
            if place not in self.path[taker]
            for key in pod.request
        )

    def _gifts(self, giver: str) -> list[frozenset[str]]:
        over = self.over(giver)
        found = [frozenset[str]()]
        movable = [pod for pod in self.pods[giver] if pod.uid not in self.stuck]
        if not over:
            return found
        for count in range(1, len(movable) + 1):
            for gift in combinations(movable, count):
                given = resources.add(*(pod.request for pod in gift))
                if self._keeps_min(giver, given) and any(
                    self._stops(gift, given, key, most) for key, most in over.items()
                ):
                    found.append(frozenset(pod.uid for pod in gift))
        return found

    def _keeps_min(self, giver: str, given: Resources) -> bool:
        held, low = self.held(giver), self.low[giver]
        return all(
            held[key] - amount >= min(held[key], low.get(key, 0)) for key, amount in given.items()
        )

    def _stops(self, gift: Collection[Pod], given: Resources, key: str, over: int) -> bool:
        """Whether the set without its largest pod would not cover what the quota holds too much."""
        return given[key] - max(pod.request.get(key, 0) for pod in gift) < over


def _within(held: Resources, request: Resources, limit: Resources) -> bool:
    return all(
        held.get(key, 0) + asked <= limit[key]
        for key, asked in request.items()
        if asked > 0 and key in limit
    )


def _at_most(amounts: Resources, limit: Resources, asked: Resources) -> bool:
    return all(amounts.get(key, 0) <= limit[key] for key in limit if asked.get(key, 0) > 0)
