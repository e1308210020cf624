"""Plays an event world on a virtual cluster: controller, scheduler and kubelets in virtual time."""

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from elasticquota import names, pool_keys
from elasticquota.model.constraints import Constraints, NodeRequirement, NodeTerm, Toleration
from elasticquota.model.decision import Decisions
from elasticquota.model.group import Group
from elasticquota.model.key import Key
from elasticquota.model.node import Node, Taint
from elasticquota.model.pod import Pod
from elasticquota.model.pools import Pool, Pools
from elasticquota.model.quota import Quota
from elasticquota.resources import Resources
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import replace
from event_worlds.description import (
    Amounts,
    Deleted,
    Edited,
    Event,
    External,
    NodeGone,
    NodePut,
    NodeSpec,
    Protected,
    QuotaSpec,
    Restarted,
    Submitted,
    Withdrawn,
    WorldSpec,
)
from virtual_cluster.cluster import Change, PodLifetime
from virtual_cluster.controller import ApiFaults, Decider
from virtual_cluster.scene import SMOOTH, Scene
from virtual_cluster.timeline import MINUTE, SECOND
from virtual_cluster.workloads import Workload
from worlds import ROOT, TREE, amounts


REST: Final = 8 * MINUTE
"""Without a change for so long is rest: longer than any timeout of the rules."""
MOST_CYCLES: Final = 400
"""After so many cycles without an event a world does not come to rest."""
_FAULTS: Final = ApiFaults(watch_delay=300, call_delay=300, refused=10, failed=10, lost=5)
_TAINTS: Final = (Taint("dedicated", "x", "NoSchedule"),)
_TOLERATIONS: Final = (Toleration(operator="Exists", key="dedicated"),)
_POOL: Final = "all"
_LIES: Final = (0, 10**15)
"""Times of a release that are not true: long ago, and far in the future."""


class Observer(Protocol):
    """What judges a world."""

    def decided(self, play: "Play", decisions: Decisions) -> None:
        """See a decision before it is carried out."""

    def rests(self, play: "Play") -> None:
        """See the world at rest."""

    def moves_on(self, play: "Play") -> None:
        """See that the world does not come to rest."""


class Play:
    """A world while it is played; mutable."""

    def __init__(self, spec: WorldSpec, observer: Observer, decider: Decider | None = None) -> None:
        """``decider``: what decides in place of ``decide``."""
        self.spec = spec
        self.quotas: dict[str, QuotaSpec] = {}
        """Those that are not deleted now."""
        self.nodes: dict[str, NodeSpec] = {}
        self.submitted: dict[str, Submitted] = {}
        self.ran: dict[str, int] = {}
        """Pods that had a node, by name, and since when."""
        self.happened = 0
        """How many events happened."""
        self.lost_nodes = False
        """Pods were deleted because their node was gone."""
        self._observer = observer
        faults = _FAULTS if spec.faults else SMOOTH
        policy = Policy(head_of_line=spec.patience, evictions_per_second=1_000)
        self.scene = Scene(nodes=0, faults=faults, policy=policy)
        self.scene.controller.decider = decider
        if spec.pool:
            (key,) = self.scene.cluster.profiles
            pools = Pools((Pool(_POOL, (("pool", "main"),)),), tuple(amounts(1, 1, 1)))
            self.scene.cluster.put_profile(replace(self.scene.cluster.profiles[key], pools=pools))
        self.scene.cluster.watchers.append(self._see)
        self.scene.controller.on_round.append(lambda decisions: observer.decided(self, decisions))
        for node in spec.nodes:
            self._put_node(node)
        for quota in spec.quotas:
            self._edit(quota)
        self.scene.play(SECOND)

    @property
    def now(self) -> int:
        return self.scene.timeline.now

    def run(self) -> bool:
        """Play all events, then rest, restart and rest; False: it does not come to rest."""
        for wait, event in self.spec.events:
            if not self._passes(wait):
                return False
            self.happens(event)
        self.scene.play(2 * MINUTE)  # until deleted quotas are there again
        self.scene.budgets.clear()
        return self.settle()

    def happens(self, event: Event) -> None:
        """Let an event happen; what it refers to may be gone."""
        self.happened += 1
        handlers: dict[type, Callable[[Any], None]] = {
            Submitted: self._submit,
            Edited: self._edit_validly,
            Deleted: self._delete,
            NodePut: lambda put: self._put_node(put.node),
            NodeGone: self._lose_node,
            External: self._run_external,
            Withdrawn: self._withdraw,
            Protected: self._protect,
            Restarted: lambda _: self.scene.controller.restart(),
        }
        handlers[type(event)](event)

    def settle(self) -> bool:
        """Let time pass until nothing changes; False: that does not come."""
        since, begin = self.now, self.scene.controller.rounds
        before: Mapping[Key, Pod] = {}
        while self.now - since < REST:
            if before != self.scene.cluster.pods:
                before, since = dict(self.scene.cluster.pods), self.now
            self.scene.play(10 * SECOND)
            if self.scene.controller.rounds - begin > MOST_CYCLES:
                self._observer.moves_on(self)
                return False
        self._observer.rests(self)
        return True

    def _passes(self, wait: int) -> bool:
        """Let time pass between events; False: so many cycles are without end."""
        end, begin = self.now + wait, self.scene.controller.rounds
        while self.now < end:
            self.scene.play(min(10 * SECOND, end - self.now))
            if self.scene.controller.rounds - begin > MOST_CYCLES:
                self._observer.moves_on(self)
                return False
        return True

    def workload_of(self, pod: Pod) -> Submitted | None:
        """The workload of a pod; None: it is of no quota."""
        return self.submitted.get(self.scene.cluster.lifetimes[pod.uid].workload)

    def _see(self, change: Change) -> None:
        _, key, thing = change
        if not isinstance(thing, Pod) or not isinstance(key, Key):
            return
        if thing.bound:
            self.ran.setdefault(key.name, self.now)
        found = self.workload_of(thing)
        if found is not None and found.malice == "forged" and thing.unplaced_since == self.now:
            lie = _LIES[thing.uid[0] > "8"]
            self.scene.cluster.change(replace(thing, unplaced_since=lie))

    def _submit(self, event: Submitted) -> None:
        self.submitted[event.name] = event
        tolerations = _TOLERATIONS if event.tolerates else ()
        constraints = Constraints(tolerations=tolerations)
        if event.malice == "nowhere":
            constraints = Constraints((("kind", "none"),))
        workload = Workload(
            event.name,
            event.quota,
            {**amounts(**event.request), names.PODS: 1},
            count=event.pods,
            runs=event.runs * SECOND or None,
            grace=event.grace * SECOND,
            priority=event.priority,
            preemptible=event.preemptible,
            may_preempt=event.may_preempt,
            constraints=constraints,
            group=Group(event.name, event.pods) if event.gang else None,
            evict_last=event.evict_last,
            scheduler="nobody" if event.malice == "scheduler" else names.STOCK_SCHEDULER,
        )
        if event.malice != "affinities":
            self.scene.workloads.submit(workload)
            return
        for number in range(event.pods):
            name = f"{event.name}x{number}"
            self.submitted[name] = event._replace(name=name, pods=1)
            term = NodeTerm((NodeRequirement("kind", "NotIn", (f"k{number}",)),))
            self.scene.workloads.submit(
                Workload(
                    name,
                    workload.quota,
                    workload.request,
                    priority=workload.priority,
                    constraints=Constraints(terms=(term,)),
                )
            )

    def _is_valid(self, edited: QuotaSpec) -> bool:
        """Whether the rules for trees admit the edit; quotas that are deleted come back as well."""
        quotas = {**self.quotas, edited.name: edited}
        if edited.parent and edited.parent not in quotas:
            return False
        if any(edited.min.get(key, 0) > most for key, most in edited.max.items()):
            return False
        for parent in (edited.name, edited.parent):
            children = [each for each in quotas.values() if parent and each.parent == parent]
            for key in {key for each in children for key in each.min}:
                given = sum(each.min.get(key, 0) for each in children)
                if given > quotas[parent].min.get(key, 0):
                    return False
        path = [edited.name]
        while (parent := quotas[path[-1]].parent) and parent not in path:
            path.append(parent)
        return not parent

    def _edit_validly(self, event: Edited) -> None:
        if event.quota.name in self.quotas and self._is_valid(event.quota):
            self._edit(event.quota)

    def _edit(self, quota: QuotaSpec) -> None:
        self.quotas[quota.name] = quota
        key = Key("teams", quota.name)
        before = self.scene.cluster.quotas.get(key)
        self.scene.cluster.put_quota(
            Quota(
                key=key,
                uid=before.uid if before else f"{quota.name}-{self.now}",
                created=before.created if before else self.scene.timeline.stamp(),
                parent=quota.parent or ROOT,
                is_parent=quota.name.startswith("d"),
                tree_id=TREE,
                min=self._bounds(quota.min),
                max=self._bounds(quota.max),
                shared_weight=self._bounds({"cpu": quota.weight}) if quota.weight else None,
            )
        )

    def _bounds(self, whole: Amounts) -> Resources:
        """Amounts as a quota names them: of the pool, if there is one."""
        found = amounts(**whole)
        if not self.spec.pool:
            return found
        return {pool_keys.key(_POOL, name): amount for name, amount in found.items()}

    def _lose_node(self, event: NodeGone) -> None:
        if self.nodes.pop(event.node, None) is not None:
            self.lost_nodes = True
            self.scene.cluster.lose_node(event.node)

    def _withdraw(self, event: Withdrawn) -> None:
        if event.workload in self.scene.workloads.all:
            self.scene.workloads.withdraw(event.workload)

    def _protect(self, event: Protected) -> None:
        name = event.workload
        self.scene.protect(name, name=name)
        self.scene.timeline.after(event.seconds * SECOND, lambda: self.scene.budgets.remove(name))

    def _delete(self, event: Deleted) -> None:
        name = event.quota
        quota = self.quotas.pop(name, None)
        if quota is None:
            return

        def again() -> None:
            self.happened += 1
            back = quota if self._is_valid(quota) else quota._replace(parent="", min={}, max={})
            self._edit(back)

        self.scene.cluster.remove_quota(Key("teams", name))
        self.scene.timeline.after(event.seconds * SECOND, again)

    def _put_node(self, node: NodeSpec) -> None:
        self.nodes[node.name] = node
        labels = {"kubernetes.io/hostname": node.name, "pool": "main" if node.matches else "other"}
        self.scene.cluster.put_node(
            Node(
                node.name,
                self.scene.timeline.stamp(),
                labels,
                {**amounts(**node.offers), names.PODS: 110},
                unschedulable=node.cordoned,
                taints=_TAINTS if node.tainted else (),
            )
        )

    def _run_external(self, event: External) -> None:
        """Run a pod of no quota, which no other pod makes way for."""
        node = self.nodes.get(event.node)
        held = sum(
            pod.request["cpu"]
            for pod in self.scene.cluster.pods.values()
            if pod.node_name == event.node
        )
        if node is None or held + 1000 * event.cpu > 1000 * node.offers["cpu"]:
            return
        request: Resources = {**amounts(cpu=event.cpu), names.PODS: 1}
        key = Key("others", f"external-{self.now}-{len(self.scene.cluster.pods)}")
        stamp = self.scene.timeline.stamp()
        pod = Pod(key, key.name, stamp, request=request, node_name=event.node, started=stamp)
        self.scene.cluster.create(pod, PodLifetime("external", 0, None, 0))
