"""A group is let in when all of it is there, fits below every max, and sits in one quota.

Until then its pods are misfits: they do not count as request, because demand that cannot run would
take from those who can. Then the first ``size`` of its waiting pods are one request. A group of
which one pod is admitted has started, and whoever comes to it later is let in alone: a pod that is
made anew need not wait for others that have ended meanwhile, and that nobody remembers.
"""

from typing import Final, NamedTuple

from elasticquota.forest.membership import NOBODY, Membership
from elasticquota.ledger import usage
from elasticquota.ledger.infeasible import FeasibilityCheck, Infeasible
from elasticquota.ledger.objects import Objects
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod


class Verdict(NamedTuple):
    """What holds for the waiting pods of one group."""

    infeasible: Infeasible | None = None
    """Why none of them can be let in as things stand."""
    gang: tuple[Pod, ...] = ()
    """Those who are let in together, in queue order; empty: each alone."""


_ALONE: Final = Verdict()


class Groups:
    """Mutable: who belongs to which group, by counted pod; and what follows from that."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._pods: dict[Key, dict[Key, Pod]] = {}
        """Namespace and name of the group -> its pods."""
        self._verdicts: dict[Key, Verdict] = {}

    def join(self, pod: Pod) -> None:
        """Count ``pod``; what the ledger expects of it is as it is now."""
        group = _key(pod)
        if group is not None:
            self._pods.setdefault(group, {})[pod.key] = pod
            self._verdicts.pop(group, None)

    def leave(self, pod: Pod) -> None:
        """Count ``pod`` no longer."""
        group = _key(pod)
        if group is not None:
            self._verdicts.pop(group, None)
            del self._pods[group][pod.key]
            if not self._pods[group]:
                del self._pods[group]

    def judge_again(self) -> None:
        """Quotas or nodes are others."""
        self._verdicts.clear()

    def mates(self, pod: Pod) -> list[Key]:
        """The pods of the group that ``pod`` names."""
        group = _key(pod)
        return [] if group is None else list(self._pods.get(group, ()))

    def verdict(self, pod: Pod, members: Membership, gauge: FeasibilityCheck) -> Verdict:
        """What holds for ``pod``, which waits."""
        group = _key(pod)
        if group is None or group not in self._pods:
            return _ALONE
        found = self._verdicts.get(group)
        if found is None:
            found = self._verdicts[group] = self._judged(group, members, gauge)
        return found

    def _judged(self, group: Key, members: Membership, gauge: FeasibilityCheck) -> Verdict:
        pods = sorted(self._pods[group].values(), key=usage.queue_order)
        waiting = [pod for pod in pods if not pod.deleting and self._waits(pod)]
        quotas = sorted({members.quota_of(pod) for pod in waiting})
        if not waiting or NOBODY in quotas or any(self._started(pod) for pod in pods):
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
            infeasible = gauge.infeasible(pod, quotas[0])
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
        gang = tuple(waiting[:size])
        return Verdict(gauge.infeasible_group(group.name, gang, quotas[0]), gang)

    def _waits(self, pod: Pod) -> bool:
        return pod.gated and pod.uid not in self._objects.releasing

    def _started(self, pod: Pod) -> bool:
        leaving = pod.deleting or pod.uid in self._objects.evicting
        return not leaving and not self._waits(pod)


def _key(pod: Pod) -> Key | None:
    return None if pod.group is None else Key(pod.key.namespace, pod.group.name)


def _held(why: str) -> Verdict:
    return Verdict(Infeasible("WaitingForGroup", why))
