"""Small worlds for tests: nodes, quotas and pods in a ledger, in a few words.

``World`` has one pool of equal nodes with the profile ``pool`` and its root quota ``pool-root``::

    world = World(nodes=5, cpu=8)                 # a tree of 40 cpu
    world.quota("team-a", min=10)                 # below pool-root unless given
    world.pods("team-a", 3, cpu=4, waiting=True)  # three gated pods of 4 cpu
    decisions = world.decide()

Amounts are given in whole cpus and GiB, as people think of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import node_constraints
from elasticquota import names, resources
from elasticquota.decisions import decide
from elasticquota.decisions.cycle_cache import CycleCache
from elasticquota.ledger.ledger import Ledger
from elasticquota.model import holder as holders
from elasticquota.model import limit
from elasticquota.model.capacity_mode import CapacityMode
from elasticquota.model.decision import Decisions
from elasticquota.model.group import Group
from elasticquota.model.holder import Holder
from elasticquota.model.key import Key
from elasticquota.model.limit import QuotaLimits
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod
from elasticquota.model.profile import Profile
from elasticquota.model.quota import Quota
from elasticquota.model.selector import Requirement, Selector
from elasticquota.model.workload import JobName, QueuedJob
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import replace


GI = 1024**3
TREE = "42"
ROOT = "pool-root"
_JOB = "batch.kubernetes.io/job-name"


def amounts(
    cpu: int | None = None, memory: int | None = None, gpu: int | None = None
) -> dict[str, int]:
    """Accounting units of whole cpus, GiB and devices; None leaves the key out."""
    found = {"cpu": cpu and cpu * 1000, "memory": memory and memory * GI, "nvidia.com/gpu": gpu}
    given = {"cpu": cpu, "memory": memory, "nvidia.com/gpu": gpu}
    return {key: amount or 0 for key, amount in found.items() if given[key] is not None}


@dataclass
class World:
    """A ledger under construction; ``tick`` numbers give every object a later creation time."""

    nodes: int = 5
    cpu: int = 8
    ledger: Ledger = field(default_factory=Ledger)
    cache: CycleCache = field(default_factory=CycleCache)
    tick: int = 0
    now: int = 0
    """Milliseconds of the clock of cycles, where a test does not give its own."""

    def __post_init__(self) -> None:
        for index in range(self.nodes):
            self.node(f"node-{index}", cpu=self.cpu)
        self.ledger.upsert_profile(
            Profile(
                key=Key("system", "pool"),
                uid="profile-pool",
                created=self.time(),
                quota_name=ROOT,
                selector=Selector((Requirement("pool", "In", ("main",)),)),
                tree_id=TREE,
            )
        )
        total = amounts(cpu=self.nodes * self.cpu, memory=self.nodes * 64)
        self.ledger.upsert_quota(
            Quota(
                key=Key("system", ROOT),
                uid=ROOT,
                created=self.time(),
                is_parent=True,
                is_root=True,
                tree_id=TREE,
                profile="pool",
                min=total,
                max=dict.fromkeys(total, 2**62),
            )
        )

    def time(self) -> str:
        self.tick += 1
        return f"2026-01-01T{self.tick // 3600:02}:{self.tick // 60 % 60:02}:{self.tick % 60:02}Z"

    def node(self, name: str, cpu: int, *, pool: str = "main", cordoned: bool = False) -> None:
        offer = {**amounts(cpu=cpu, memory=64), names.PODS: 110}
        labels = {"pool": pool, "kubernetes.io/hostname": name}
        self.ledger.upsert_node(Node(name, self.time(), labels, offer, cordoned))

    def observe(self, observes: bool | None = True) -> None:
        """Set the mode of the tree; None: no mode is set."""
        root = self.ledger.quotas[Key("system", ROOT)]
        self.ledger.upsert_quota(replace(root, observes=observes))

    def capacity(self, mode: CapacityMode) -> None:
        """Set the capacity mode of the tree."""
        profile = self.ledger.profiles[Key("system", "pool")]
        self.ledger.upsert_profile(replace(profile, capacity=mode))

    def elastic(
        self, cpu: int, memory: int = 1000, *, largest: int | None = None, timeout: int = 900_000
    ) -> None:
        """Let the tree grow to ``cpu`` whole cpus and ``memory`` GiB; ``timeout`` is in ms."""
        node = None if largest is None else amounts(cpu=largest)
        most = amounts(cpu=cpu, memory=memory)
        self.capacity(
            CapacityMode("Elastic", max=most, largest_node=node, scale_up_timeout=timeout)
        )

    def quota(
        self,
        name: str,
        min: int | Mapping[str, int] = 0,  # noqa: A002 - the field's name in the manifest
        max: int | Mapping[str, int] | None = None,  # noqa: A002
        *,
        parent: str = ROOT,
        is_parent: bool = False,
        namespace: str = "teams",
        weight: int | None = None,
        lent: bool = True,
        namespaces: tuple[str, ...] = (),
        allowed_namespaces: tuple[str, ...] | None = None,
        strict: bool = False,
        paused: bool = False,
        grace: int | None = None,
        preemption: str = "",
        over_max_delay: int | None = None,
        kept_for: str = "",
        application_order: str = "",
        orders_by_priority: bool = True,
        limits: QuotaLimits = limit.NONE,
        admission: int | None = None,
    ) -> None:
        """Add a quota with cpu in whole cpus, or any resources as a mapping of accounting units."""
        quota_max = {} if max is None else amounts(cpu=max) if isinstance(max, int) else max
        self.ledger.upsert_quota(
            Quota(
                key=Key(namespace, name),
                uid=name,
                created=self.time(),
                parent=parent,
                is_parent=is_parent,
                tree_id=TREE,
                min=amounts(cpu=min) if isinstance(min, int) else min,
                max=quota_max,
                shared_weight=None if weight is None else amounts(cpu=weight),
                allow_lent=lent,
                namespaces=namespaces,
                allowed_namespaces=allowed_namespaces,
                strict_queue=strict,
                paused=paused,
                reclaim_grace=grace,
                preemption=preemption,
                over_max_delay=over_max_delay,
                kept_for=kept_for,
                application_order=application_order,
                orders_by_priority=orders_by_priority,
                limits=limits,
                admission={} if admission is None else amounts(cpu=admission),
            )
        )

    def pods(
        self,
        quota: str,
        count: int = 1,
        cpu: int = 1,
        *,
        waiting: bool = False,
        prefix: str = "",
        namespace: str = "teams",
        priority: int = 0,
        preemptible: bool = True,
        evict_last: bool = False,
        may_preempt: bool = True,
        bound: bool = True,
        node: str = "node-0",
        deleting: bool = False,
        foreign_gate: str = "",
        group: Group | None = None,
        unplaced_since: int | None = None,
        warnings: tuple[str, ...] = (),
        job: str = "",
        holder: Holder = holders.NO_HOLDER,
    ) -> list[Pod]:
        """Add equal pods, running on ``node`` unless waiting; later calls make younger ones."""
        made = []
        for index in range(count):
            created = self.time()
            name = f"{prefix or quota}-{self.tick}-{index}"
            gates = (names.GATE,) if waiting else ()
            pod = Pod(
                key=Key(namespace, name),
                uid=f"uid-{name}",
                created=created,
                quota_label=quota,
                request={**amounts(cpu=cpu), names.PODS: 1},
                priority=priority,
                preemptible=preemptible,
                evict_last=evict_last,
                may_preempt=may_preempt,
                node_name=node if bound and not waiting else "",
                started=created if bound and not waiting else "",
                deleting=deleting,
                gates=(foreign_gate, *gates) if foreign_gate else gates,
                group=group,
                unplaced_since=unplaced_since,
                warnings=warnings,
                jobs=(f"{_JOB}={job}",) if job else (),
                holder=holder,
            )
            self.ledger.upsert_pod(pod)
            made.append(pod)
        return made

    def job(
        self,
        quota: str,
        name: str,
        pods: int,
        cpu: int = 1,
        *,
        admitted: bool = False,
        whole: bool = True,
        priority: int = 0,
    ) -> QueuedJob:
        """Add a job of equal pods, which ``pods(job=name)`` makes."""
        one = {**amounts(cpu=cpu), names.PODS: 1}
        queued = QueuedJob(
            key=Key("teams", f"job.batch/{name}"),
            uid=f"uid-{name}",
            created=self.time(),
            name=JobName("Job", Key("teams", name)),
            quota_label=quota,
            request={
                **{key: amount * pods for key, amount in one.items()},
                names.MAX_JOBS: 1,
            },
            priority=priority,
            gates=() if admitted else (names.GATE,),
            labels=(f"{_JOB}={name}",),
            parts=(one,),
            whole=whole,
        )
        self.ledger.upsert_job(queued)
        return queued

    def decide(self, now: int = 0, policy: Policy | None = None) -> Decisions:
        """Run one cycle as the engine does; the cache of earlier cycles must make no difference."""
        policy = policy or Policy()
        decisions = decide.decide(self.ledger, now, policy, self.cache)
        assert decisions == decide.decide(self.ledger, now, policy)
        self.ledger.remember(decisions.clocks)
        return decisions

    def carry_out_releases(self, decisions: Decisions) -> None:
        """Do what the ungater and the scheduler would do."""
        for release in decisions.releases:
            pod = self.ledger.pods[release.pod]
            self.ledger.upsert_pod(_started(pod, "node-0", self.time()))

    def carry_out_evictions(self, decisions: Decisions) -> None:
        """Do what the evictor and the node would do: the pod is gone."""
        for eviction in decisions.evictions:
            self.ledger.delete_pod(eviction.pod)

    def open_gates(self, decisions: Decisions) -> None:
        """Do what the ungater would do, and leave the nodes to ``place_unbound``."""
        for release in decisions.releases:
            pod = self.ledger.pods[release.pod]
            kept = node_constraints.narrowed(pod.constraints, release.nodes)
            self.ledger.upsert_pod(replace(pod, gates=(), constraints=kept))

    def place_unbound(self) -> None:
        """Do what the scheduler would do: bind each released pod to the first node with room."""
        for pod in [*self.ledger.pods.values()]:
            if pod.node_name or pod.gates:
                continue
            for node in self.ledger.nodes.values():
                there = [
                    each.request
                    for each in self.ledger.pods.values()
                    if each.node_name == node.name
                ]
                wanted = resources.add(*there, pod.request)
                fits = all(wanted[key] <= node.allocatable.get(key, 0) for key in pod.request)
                if fits and not pod.constraints.obstacle(node):
                    started = replace(pod, node_name=node.name, started=self.time())
                    self.ledger.upsert_pod(started)
                    break


def borrowed(waiting: int) -> World:
    """team-a holds all 16 cpu, and the min of team-b is all of it."""
    world = World(nodes=2, cpu=8)
    world.quota("team-a")
    world.quota("team-b", min=16)
    world.pods("team-a", 8, node="node-0")
    world.pods("team-a", 8, node="node-1")
    world.pods("team-b", waiting, waiting=True)
    return world


def _started(pod: Pod, node: str, time: str) -> Pod:
    return Pod(
        key=pod.key,
        uid=pod.uid,
        created=pod.created,
        quota_label=pod.quota_label,
        request=pod.request,
        priority=pod.priority,
        preemptible=pod.preemptible,
        node_name=node,
        started=time,
        group=pod.group,
    )
