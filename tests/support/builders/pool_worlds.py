"""Small worlds with two kinds of GPU in one tree, in a few words.

``PoolWorld`` has nodes with one or more GPUs in the pools ``a100`` and ``t4``, in this order of
preference::

    world = PoolWorld(a100=2, t4=4)
    world.gpu_quota("team-a", min={"a100": 1}, max={"a100": 2, "t4": 4})
    world.gpu_pods("team-a", 3)                    # three waiting pods that may go to both pools
    world.gpu_pods("team-a", 1, kind="t4")         # one with a node selector
"""

from collections.abc import Mapping

import worlds
from elasticquota import names, pool_keys
from elasticquota.model.constraints import ANYWHERE, Constraints
from elasticquota.model.decision import Decisions
from elasticquota.model.group import Group
from elasticquota.model.key import Key
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod
from elasticquota.model.pools import Pool, Pools
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import replace
from worlds import TREE, World


GPU = "nvidia.com/gpu"
MODEL = "gpu.model"
PROFILE = Key("system", "pool")
POOLS = Pools((Pool("a100", ((MODEL, "a100"),)), Pool("t4", ((MODEL, "t4"),))))


def inside(**amounts: int) -> dict[str, int]:
    """GPUs by pool, as resources."""
    return {pool_keys.key(pool, GPU): amount for pool, amount in amounts.items()}


class PoolWorld(World):
    """A tree of GPU nodes; each node has ``size`` GPUs."""

    def __init__(
        self, a100: int = 2, t4: int = 4, size: int = 1, pools: Pools | None = POOLS
    ) -> None:
        super().__init__(nodes=0)
        self.size = size
        self.set_pools(pools)
        for index in range(a100):
            self.gpu_node(f"a100-{index}", "a100")
        for index in range(t4):
            self.gpu_node(f"t4-{index}", "t4")

    def set_pools(self, pools: Pools | None, *, unreadable: bool = False) -> None:
        """Change the profile; the controller writes what can be read on the root quota."""
        profile = self.ledger.profiles[PROFILE]
        self.ledger.upsert_profile(replace(profile, pools=pools, pools_unreadable=unreadable))
        if not unreadable:
            root = self.ledger.quotas[Key("system", worlds.ROOT)]
            names_of = {GPU, *(inside(**dict.fromkeys(pools.names, 0)) if pools else ())}
            most = dict.fromkeys(["cpu", *sorted(names_of)], 2**62)
            self.ledger.upsert_quota(replace(root, min={}, max=most, pools=pools))

    def gpu_node(self, name: str, kind: str = "", gpus: int | None = None) -> None:
        """A node of ``kind``; without one it has no such label."""
        labels = {"pool": "main", **({MODEL: kind} if kind else {})}
        offer = {"cpu": 64_000, GPU: self.size if gpus is None else gpus, names.PODS: 110}
        self.ledger.upsert_node(Node(name, self.time(), labels, offer))

    def gpu_quota(
        self,
        name: str,
        min: Mapping[str, int] | None = None,  # noqa: A002 - the field's name in the manifest
        max: Mapping[str, int] | None = None,  # noqa: A002
        *,
        parent: str = worlds.ROOT,
        is_parent: bool = False,
    ) -> None:
        """A quota that bounds GPUs by pool; ``all`` bounds those of all nodes."""
        self.quota(
            name,
            _bounds(min or {}),
            _bounds(max or {}),
            parent=parent,
            is_parent=is_parent,
            grace=0,
        )

    def gpu_pods(
        self,
        quota: str,
        count: int = 1,
        gpus: int = 1,
        *,
        kind: str = "",
        on: str = "",
        group: Group | None = None,
        preemptible: bool = True,
        priority: int = 0,
    ) -> list[Pod]:
        """Pods that wait, or run ``on`` a node."""
        made = []
        for index in range(count):
            created = self.time()
            name = f"{quota}-{self.tick}-{index}"
            pod = Pod(
                key=Key("teams", name),
                uid=f"uid-{name}",
                created=created,
                quota_label=quota,
                request={"cpu": 1000, GPU: gpus, names.PODS: 1},
                gates=() if on else (names.GATE,),
                node_name=on,
                started=created if on else "",
                group=group,
                preemptible=preemptible,
                priority=priority,
                constraints=Constraints(((MODEL, kind),)) if kind else ANYWHERE,
            )
            self.ledger.upsert_pod(pod)
            made.append(pod)
        return made

    def cycle(self, now: int = 0) -> Decisions:
        """One cycle; releases and evictions are carried out as a cluster would."""
        decisions = self.decide(now, Policy(grace=0))
        self.release(decisions)
        self.carry_out_evictions(decisions)
        return decisions

    def settle(self, now: int = 0, most: int = 30) -> int:
        """Run cycles until nothing happens; return the time of the last one."""
        for _ in range(most):
            decisions = self.cycle(now)
            if decisions.releases or decisions.evictions:
                now += 1
                continue
            if decisions.wake_at is None:
                return now
            now = max(decisions.wake_at, now + 1)
        raise AssertionError(f"not settled after {most} cycles")

    def release(self, decisions: Decisions) -> None:
        """Bind each released pod to the first node with room that its constraints allow.

        Pods that find none stay without a node and without a gate.
        """
        for release in decisions.releases:
            pod = replace(self.ledger.pods[release.pod], gates=())
            for name, node in sorted(self.ledger.nodes.items()):
                there = [p for p in self.ledger.pods.values() if p.node_name == name]
                free = node.allocatable.get(GPU, 0) - sum(p.request.get(GPU, 0) for p in there)
                allowed = not pod.constraints.obstacle(node) and release.nodes.matches(node.labels)
                if allowed and pod.request.get(GPU, 0) <= free:
                    pod = replace(pod, node_name=name, started=self.time())
                    break
            self.ledger.upsert_pod(pod)

    def admitted(self, quota: str, pool: str) -> int:
        """GPUs of the pool that the quota has admitted, with all quotas below it."""
        cluster = self.ledger.update(Policy().accounting)
        return cluster.trees[TREE].admitted[quota].get(pool_keys.key(pool, GPU), 0)

    def requested(self, quota: str) -> dict[str, int]:
        """GPUs by pool that the own pods of the quota ask for while they wait."""
        waiting = self.ledger.update(Policy().accounting).account(quota).asked_while_waiting
        found = ((pool_keys.split(key), amount) for key, amount in waiting.items())
        return {split.pool: amount for split, amount in found if split is not None}


def _bounds(amounts: Mapping[str, int]) -> dict[str, int]:
    return {GPU if pool == "all" else pool_keys.key(pool, GPU): n for pool, n in amounts.items()}
