"""A pod group is admitted together: when all its pods exist, are in one quota and fit every max.

Until then its pods are infeasible: they do not count as request, because demand that cannot run
would take from pods that can. Then the first ``size`` of its waiting pods are one request. Once a
pod of the group is admitted, the group has started, and each later pod is admitted alone. So a
re-created pod does not wait for pods that have ended meanwhile and are not known any more.
"""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from elasticquota.forest.membership import NO_QUOTA, Membership
from elasticquota.ledger import usage
from elasticquota.ledger.infeasible import FeasibilityCheck, Infeasible
from elasticquota.ledger.objects import Objects
from elasticquota.ledger.usage import Standing
from elasticquota.model import workload
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.workload import Counted, Gang


class Verdict(NamedTuple):
    """The result for the waiting pods of one group."""

    infeasible: Infeasible | None = None
    """Why none of them can be admitted as things stand; None: they can."""
    gang: Gang | None = None
    """The pods that are admitted together; None: each is admitted alone."""


_ALONE: Final = Verdict()


class Groups:
    """The groups of all counted pods; mutable."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._pods: dict[Key, dict[Key, Pod]] = {}
        """Namespace and name of the group -> its pods."""
        self._verdicts: dict[Key, Verdict] = {}

    def join(self, pod: Pod) -> None:
        """Count ``pod``, after what the ledger expects of it has been noted."""
        group = _key(pod)
        if group is not None:
            self._pods.setdefault(group, {})[pod.key] = pod
            self._verdicts.pop(group, None)

    def leave(self, pod: Pod) -> None:
        """Stop counting ``pod``."""
        group = _key(pod)
        if group is not None:
            self._verdicts.pop(group, None)
            del self._pods[group][pod.key]
            if not self._pods[group]:
                del self._pods[group]

    def reset(self) -> None:
        """Drop the verdicts, because quotas or nodes changed."""
        self._verdicts.clear()

    def mates(self, pods: Iterable[Pod]) -> set[Key]:
        """Return the pods of the groups that ``pods`` name."""
        groups = {group for pod in pods if (group := _key(pod)) is not None}
        return set[Key]().union(*(self._pods.get(group, ()) for group in groups))

    def verdict(self, pod: Pod, members: Membership, feasibility: FeasibilityCheck) -> Verdict:
        """Return the verdict on the group of ``pod``, which must be waiting."""
        group = _key(pod)
        if group is None or group not in self._pods:
            return _ALONE
        found = self._verdicts.get(group)
        if found is None:
            found = self._verdicts[group] = self._judged(group, members, feasibility)
        return found

    def running_gang(
        self, group: Key, quota: str, entries: Mapping[Key, tuple[Counted, Standing]]
    ) -> Gang | None:
        """Return the gang of ``group`` that runs in ``quota``; None: its pods are evicted alone.

        Its pods are as many admitted pods of the group as start together, the first in queue order.
        Pods that leave, are late, or have had no node for too long are no part of it. ``entries``
        are all counted pods, and how each was counted.
        """
        there = [
            pod
            for pod in self._pods.get(group, {}).values()
            for standing in (entries[pod.key][1],)
            if standing.stays and standing.quota == quota
        ]
        size = max((pod.group.size for pod in there if pod.group is not None), default=0)
        if min(size, len(there)) < 2:
            return None
        there.sort(key=usage.queue_order)
        return workload.gang(group, there[:size], there[size:])

    def _judged(self, group: Key, members: Membership, feasibility: FeasibilityCheck) -> Verdict:
        pods = sorted(self._pods[group].values(), key=usage.queue_order)
        waiting = [pod for pod in pods if not pod.deleting and self._objects.is_gated(pod)]
        quotas = sorted({members.quota_of(pod) for pod in waiting})
        if not waiting or NO_QUOTA in quotas or any(self._started(pod) for pod in pods):
            return _ALONE
        sizes = {pod.group.size for pod in waiting if pod.group is not None}
        if 0 in sizes or len(sizes) > 1:
            return _held(
                f"the pods of group {group.name} must all say by elasticquota.dev/pod-group-size "
                "how many start together, the same number from 1 to 99999"
            )
        if len(quotas) > 1:
            return _held(
                f"the pods of group {group.name} are in quotas {' and '.join(quotas)}, "
                "but only those of one quota start together"
            )
        for pod in waiting:
            infeasible = feasibility.infeasible(pod, quotas[0])
            if infeasible is not None:
                return Verdict(
                    Infeasible(
                        infeasible.reason,
                        f"{infeasible.message} (pod {pod.key} of group {group.name})",
                    )
                )
        size = sizes.pop()
        if len(waiting) < size:
            return _held(f"{len(waiting)} of {size} pods of group {group.name} are there")
        gang = workload.gang(group, waiting[:size])
        return Verdict(feasibility.infeasible_gang(gang, quotas[0]), gang if size > 1 else None)

    def _started(self, pod: Pod) -> bool:
        leaving = pod.deleting or pod.uid in self._objects.evicting
        return not leaving and not self._objects.is_gated(pod)


def _key(pod: Pod) -> Key | None:
    return None if pod.group is None else Key(pod.key.namespace, pod.group.name)


def _held(why: str) -> Verdict:
    return Verdict(Infeasible("WaitingForGroup", why))
