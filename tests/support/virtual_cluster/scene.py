"""A scene is a whole virtual cluster: a pool of nodes, one tree of quotas, and a controller.

Amounts are given in whole cpus and GiB::

    scene = Scene(nodes=2, cpu=8)
    scene.quota("team-a", min=4)
    scene.run("train", "team-a", count=8, cpu=2, runs=10 * MINUTE)
    scene.play(MINUTE)
"""

from collections.abc import Mapping
from random import Random

from elasticquota import names
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.capacity_mode import NODES, CapacityMode
from elasticquota.model.constraints import ANYWHERE, Constraints
from elasticquota.model.decision import Decisions, Eviction, Release
from elasticquota.model.group import Group
from elasticquota.model.key import Key
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod
from elasticquota.model.profile import Profile
from elasticquota.model.quota import Quota
from elasticquota.model.selector import Requirement, Selector
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import replace
from virtual_cluster.budgets import Budget, Budgets
from virtual_cluster.cluster import Cluster
from virtual_cluster.controller import ApiFaults, Controller
from virtual_cluster.scheduler import Scheduler
from virtual_cluster.timeline import MINUTE, Timeline
from virtual_cluster.workloads import Workload, Workloads
from worlds import ROOT, TREE, amounts


SMOOTH = ApiFaults()


class Scene:
    """A virtual cluster; ``seed`` decides faults and uids."""

    def __init__(
        self,
        nodes: int = 1,
        cpu: int = 8,
        *,
        seed: int = 0,
        policy: Policy | None = None,
        faults: ApiFaults = SMOOTH,
        capacity: CapacityMode = NODES,
    ) -> None:
        self.cpu = cpu
        self.timeline = Timeline()
        self.cluster = Cluster(self.timeline)
        self.workloads = Workloads(self.cluster, Random(f"uids of {seed}"))
        self.budgets = Budgets(self.cluster)
        self.controller = Controller(
            self.cluster,
            self.budgets,
            policy or Policy(evictions_per_second=1_000),
            faults,
            Random(f"troubles of {seed}"),
        )
        self.scheduler = Scheduler(self.cluster)
        self.releases: list[tuple[int, Release]] = []
        self.evictions: list[tuple[int, Eviction]] = []
        """The decisions with their times."""
        self.controller.on_round.append(self._note)
        for index in range(nodes):
            self.node(f"node-{index}", cpu)
        self._add_tree(capacity)

    def node(
        self,
        name: str,
        cpu: int,
        labels: Mapping[str, str] | None = None,
        *,
        gpu: int | None = None,
    ) -> None:
        offer = {**amounts(cpu=cpu, memory=4 * cpu, gpu=gpu), names.PODS: 110}
        found = {"pool": "main", "kubernetes.io/hostname": name, **(labels or {})}
        self.cluster.put_node(Node(name, self.timeline.stamp(), found, offer))

    def quota(
        self,
        name: str,
        min: int = 0,  # noqa: A002 - the field's name in the manifest
        max: int | None = None,  # noqa: A002
        *,
        parent: str = ROOT,
        is_parent: bool = False,
        weight: int | None = None,
        lent: bool = True,
        gpu: int | None = None,
    ) -> None:
        """Create or change a quota; amounts in cpus, and ``gpu`` of its min in devices."""
        key = Key("teams", name)
        before = self.cluster.quotas.get(key)
        quota = Quota(
            key=key,
            uid=name,
            created=before.created if before else self.timeline.stamp(),
            parent=parent,
            is_parent=is_parent,
            tree_id=TREE,
            min=amounts(cpu=min, gpu=gpu),
            max={} if max is None else amounts(cpu=max),
            shared_weight=None if weight is None else amounts(cpu=weight),
            allow_lent=lent,
        )
        self.cluster.put_quota(quota)

    def remove_quota(self, name: str) -> None:
        self.cluster.remove_quota(Key("teams", name))

    def run(
        self,
        name: str,
        quota: str,
        count: int = 1,
        cpu: int = 1,
        *,
        memory: int = 0,
        gpu: int = 0,
        runs: int | None = None,
        grace: int = 0,
        priority: int = 0,
        preemptible: bool = True,
        may_preempt: bool = True,
        stays: bool = True,
        on: str = "",
        group: Group | None = None,
        scheduler: str = names.STOCK_SCHEDULER,
        gated: bool = True,
    ) -> None:
        """Submit a workload; ``on`` is the value of the node label ``kind`` that it requires."""
        self.workloads.submit(
            Workload(
                name,
                quota,
                {**amounts(cpu=cpu, memory=memory or None, gpu=gpu or None), names.PODS: 1},
                count=count,
                runs=runs,
                grace=grace,
                priority=priority,
                preemptible=preemptible,
                may_preempt=may_preempt,
                stays=stays,
                constraints=Constraints((("kind", on),)) if on else ANYWHERE,
                group=group,
                scheduler=scheduler,
                gated=gated,
            )
        )

    def protect(self, *workloads: str, least: int = 10_000, name: str = "budget") -> None:
        """Protect ``least`` pods of the workloads, as a disruption budget."""
        self.budgets.put(name, Budget(workloads, least))

    def play(self, time: int) -> None:
        """Let so many milliseconds pass."""
        self.timeline.play(self.timeline.now + time)

    def settle(self, within: int = 1_000 * MINUTE) -> None:
        """Let time pass until no pod has changed for longer than any timeout of the rules.

        Evictions that are refused again and again do not count as changes.
        """
        end = self.timeline.now + within
        before: dict[Key, Pod] | None = None
        while before != self.cluster.pods:
            assert self.timeline.now < end, f"still moving: {self.evictions[-1:]}"
            before = dict(self.cluster.pods)
            self.play(7 * MINUTE)

    @property
    def books(self) -> ClusterSnapshot:
        return self.controller.ledger.update(self.controller.policy.accounting)

    @property
    def tree(self) -> TreeBooks:
        return self.books.trees[TREE]

    def runs_of(self, workload: str) -> int:
        """How many of its pods are on a node."""
        lifetimes = self.cluster.lifetimes
        return sum(
            pod.bound and lifetimes[pod.uid].workload == workload
            for pod in self.cluster.pods.values()
        )

    def used(self) -> dict[str, int]:
        """Whole cpus of running pods, by quota."""
        found: dict[str, int] = {}
        for pod in self.cluster.pods.values():
            cpus = pod.request["cpu"] // 1000 if pod.bound else 0
            found[pod.quota_label] = found.get(pod.quota_label, 0) + cpus
        return found

    def _note(self, decisions: Decisions) -> None:
        now = self.timeline.now
        self.releases.extend((now, release) for release in decisions.releases)
        self.evictions.extend((now, eviction) for eviction in decisions.evictions)

    def _add_tree(self, capacity: CapacityMode) -> None:
        """Create the profile and its root quota."""
        pool = Selector((Requirement("pool", "In", ("main",)),))
        profile = Profile(
            Key("system", "pool"),
            "pool",
            self.timeline.stamp(),
            ROOT,
            pool,
            tree_id=TREE,
            capacity=capacity,
        )
        self.cluster.put_profile(profile)
        root = Quota(Key("system", ROOT), ROOT, self.timeline.stamp(), tree_id=TREE, profile="pool")
        self.cluster.put_quota(replace(root, is_parent=True, is_root=True))
