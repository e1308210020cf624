"""The objects of a virtual cluster, as its API server holds them, and the life cycle of pods.

A bound pod runs until its time is over; a deleted one is terminating for its grace, unless no node
has it. Pods on a node that vanished are deleted some minutes later, as pod garbage collection does.
Every watcher gets each change, at once and in order.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import node_constraints
from elasticquota import names
from elasticquota.model.group import GroupObject
from elasticquota.model.key import Key
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod
from elasticquota.model.profile import Profile
from elasticquota.model.quota import Quota
from elasticquota.model.selector import EVERYTHING, Selector
from elasticquota.structs import replace
from virtual_cluster.timeline import MINUTE, Timeline


Thing = Pod | Node | Quota | Profile | GroupObject
Change = tuple[type[Thing], Key | str, Thing | None]
"""The kind of object, its key, and its new state; None: it is gone."""

GARBAGE_AFTER: Final = 2 * MINUTE


@dataclass(frozen=True, slots=True)
class PodLifetime:
    """What the objects do not say about a pod; times in milliseconds."""

    workload: str
    slot: int
    """Which of its workload's pods: a successor has the same."""
    runs: int | None
    """From start to end; None: until it is deleted."""
    grace: int


class Cluster:
    """Mutable; all changes go through the methods, so that the watchers see them too."""

    def __init__(self, timeline: Timeline) -> None:
        self.timeline = timeline
        self.nodes: dict[str, Node] = {}
        self.profiles: dict[Key, Profile] = {}
        self.quotas: dict[Key, Quota] = {}
        self.group_objects: dict[Key, GroupObject] = {}
        self.pods: dict[Key, Pod] = {}
        self.lifetimes: dict[str, PodLifetime] = {}
        """By uid."""
        self.watchers: list[Callable[[Change], None]] = []
        self.on_leaving: list[Callable[[Pod, PodLifetime], None]] = []
        """Called when a pod is deleted or lost, not when its work is done."""
        self.on_done: list[Callable[[Pod, PodLifetime], None]] = []

    def put_node(self, node: Node) -> None:
        self.nodes[node.name] = node
        self._tell(Node, node.name, node)

    def lose_node(self, name: str) -> None:
        """The node vanishes; its pods are gone some time later."""
        del self.nodes[name]
        self._tell(Node, name, None)
        lost = [(pod.key, pod.uid) for pod in self.pods.values() if pod.node_name == name]
        self.timeline.after(GARBAGE_AFTER, lambda: self._collect(name, lost))

    def put_quota(self, quota: Quota) -> None:
        self.quotas[quota.key] = quota
        self._tell(Quota, quota.key, quota)

    def remove_quota(self, key: Key) -> None:
        if self.quotas.pop(key, None) is not None:
            self._tell(Quota, key, None)

    def put_profile(self, profile: Profile) -> None:
        self.profiles[profile.key] = profile
        self._tell(Profile, profile.key, profile)

    def put_group_object(self, found: GroupObject) -> None:
        self.group_objects[found.key] = found
        self._tell(GroupObject, found.key, found)

    def remove_group_object(self, key: Key) -> None:
        if self.group_objects.pop(key, None) is not None:
            self._tell(GroupObject, key, None)

    def create(self, pod: Pod, life: PodLifetime) -> None:
        self.lifetimes[pod.uid] = life
        self._put(pod)

    def get(self, key: Key, uid: str) -> Pod | None:
        """Get the pod with this name and uid, or None."""
        pod = self.pods.get(key)
        return pod if pod is not None and pod.uid == uid else None

    def open_gate(self, key: Key, uid: str, nodes: Selector = EVERYTHING) -> bool:
        """Remove our gate and restrict the pod to ``nodes``; False when there is no such pod."""
        pod = self.get(key, uid)
        if pod is None:
            return False
        if pod.gated:
            gates = tuple(gate for gate in pod.gates if gate != names.GATE)
            kept = node_constraints.narrowed(pod.constraints, nodes)
            now = self.timeline.now
            self._put(replace(pod, gates=gates, unplaced_since=now, constraints=kept))
        return True

    def bind(self, key: Key, node: str) -> None:
        """The pod starts on the node."""
        pod = replace(
            self.pods[key],
            node_name=node,
            started=self.timeline.stamp(),
            unplaced_since=None,
            refused=False,
        )
        self._put(pod)
        runs = self.lifetimes[pod.uid].runs
        if runs is not None:
            self.timeline.after(runs, lambda: self._end(key, pod.uid))

    def change(self, pod: Pod) -> None:
        """Store a change of a pod by another author."""
        self._put(pod)

    def refuse(self, key: Key) -> None:
        """Record that, to the scheduler, no node takes the pod."""
        self._put(replace(self.pods[key], refused=True))

    def delete(self, key: Key, uid: str, *, grace: int | None = None) -> bool:
        """Delete the pod; False when there is no such pod. ``grace`` shortens its own."""
        pod = self.get(key, uid)
        if pod is None:
            return False
        if pod.deleting:
            self._shorten(pod, grace)
            return True
        life = self.lifetimes[uid]
        if pod.bound and life.grace:
            ends = self.timeline.now + life.grace
            self._put(replace(pod, deleting=True, ends_at=ends, gone_after=ends + life.grace))
            self.timeline.after(life.grace, lambda: self._vanish(key, uid))
        else:
            self._vanish(key, uid)
        for told in self.on_leaving:
            told(pod, life)
        return True

    def _shorten(self, pod: Pod, grace: int | None) -> None:
        """Shorten the grace, counted from the deletion, as the API server does; never extend it."""
        own = self.lifetimes[pod.uid].grace
        if grace is not None and grace < own and pod.ends_at is not None:
            self._put(replace(pod, ends_at=pod.ends_at - own + grace))
            self.timeline.after(grace, lambda: self._vanish(pod.key, pod.uid))

    def _end(self, key: Key, uid: str) -> None:
        pod = self.get(key, uid)
        if pod is None or pod.deleting:
            return
        life = self.lifetimes[uid]
        self._vanish(key, uid)
        for told in self.on_done:
            told(pod, life)

    def _collect(self, node: str, lost: list[tuple[Key, str]]) -> None:
        if node in self.nodes:
            return
        for key, uid in lost:
            pod = self.get(key, uid)
            if pod is not None:
                life, leaving = self.lifetimes[uid], pod.deleting
                self._vanish(key, uid)
                for told in () if leaving else self.on_leaving:
                    told(pod, life)

    def _vanish(self, key: Key, uid: str) -> None:
        if self.get(key, uid) is not None:
            del self.pods[key], self.lifetimes[uid]
            self._tell(Pod, key, None)

    def _put(self, pod: Pod) -> None:
        self.pods[pod.key] = pod
        self._tell(Pod, pod.key, pod)

    def _tell(self, kind: type[Thing], key: Key | str, thing: Thing | None) -> None:
        for watcher in self.watchers:
            watcher((kind, key, thing))
