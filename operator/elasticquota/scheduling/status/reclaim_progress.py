"""What reclaim does for the pods that wait for it: from whom room returns, or when that begins.

It is known at the end of a cycle, when the victims are chosen, and added to the messages then. The
quotas that return room are news; how much they still hold is not.
"""

from collections.abc import Iterable, Mapping

from elasticquota import resources
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.model.clocks import InFlightEviction
from elasticquota.resources import Resources
from elasticquota.scheduling.policy import Policy
from elasticquota.scheduling.preemption import reclaim
from elasticquota.scheduling.status import amounts_text
from elasticquota.scheduling.status.messages import Message


class ReclaimProgress:
    """Of one tree in one cycle."""

    def __init__(
        self, cluster: ClusterSnapshot, in_flight: Iterable[InFlightEviction], policy: Policy
    ) -> None:
        self._cluster = cluster
        self._policy = policy
        self._returning: dict[str, dict[str, Resources]] = {}
        """By the quota that needs it and by the one that returns it."""
        for each in in_flight:
            if each.owner not in ("", each.quota):
                of = self._returning.setdefault(each.owner, {})
                of[each.quota] = resources.add(of.get(each.quota, {}), each.released)

    def added(self, quota: str, message: Message) -> Message:
        """``message`` of a pod of ``quota``, with what reclaim does for it."""
        if message.reason != "WaitingForReclaim":
            return message
        returning = self._returning.get(quota, {})
        if returning:
            starts = f"Reclaiming {_listed(returning)} for quota {quota}"
        elif self._policy.paused:
            starts = f"{message.starts}; reclaim.paused stops all evictions"
        else:
            starts = f"{message.starts}{self._begins(quota, message)}"
        return message._replace(
            starts=starts, figures=(*message.figures, self._policy.paused, *sorted(returning))
        )

    def _begins(self, quota: str, message: Message) -> str:
        """When reclaim begins, where it may."""
        policy, forest = self._policy, self._cluster.forest
        if message.entitled:
            seconds = reclaim.grace(self._cluster, quota, policy) // 1000
            return f"; pods that borrow are evicted for it after {seconds} s"
        if policy.shares(forest.tree_of.get(quota, "-"), forest.quotas[quota].kept_for):
            seconds = policy.delay // 1000
            return f"; pods of quotas above their share for {seconds} s are evicted for it"
        return ""


def _listed(returning: Mapping[str, Resources]) -> str:
    """``4 cpu from quota team-b``."""
    parts = []
    for name, held in sorted(returning.items()):
        shown = amounts_text.listed(resources.positive(held)) or "pods"
        parts.append(f"{shown} from {f'quota {name}' if name else 'pods of no quota'}")
    return ", ".join(parts)
