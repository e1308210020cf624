"""Room on its way: what the pods that leave free for a waiting workload, and in at most how long.

The search chose them for this workload, and the evictions in flight keep that until they are gone.
A pod whose room comes from others that leave, or has yet to be made, reads so. All this is known at
the end of a cycle, and added to the messages then. From which quotas the room comes is news; how
much is still to come is not.
"""

from collections.abc import Hashable, Iterable, Sequence

from elasticquota import quantity
from elasticquota.forest import wording
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.model.clocks import InFlightEviction
from elasticquota.scheduling.cycle import TreeDecision
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.scheduling.snapshot.reasons import OthersUnbound, Waiting
from elasticquota.status import amounts_text, reserved_by_jobs
from elasticquota.status.messages import Message


class RoomOnItsWay:
    """Of one tree in one cycle."""

    def __init__(self, decided: TreeDecision, cluster: ClusterSnapshot, policy: Policy) -> None:
        self._cluster = cluster
        self._policy = policy
        self._held_back = decided.held_back
        self._soon = amounts_text.in_at_most(policy.accounting.max_grace)
        self._victims: dict[tuple[str, str], list[InFlightEviction]] = {}
        """By quota and workload that need the room."""
        self._borrowing: dict[tuple[str, str], list[str]] = {}
        """By tree and resource, the quotas that hold more than their min."""
        for each in decided.clocks.in_flight.values():
            self._victims.setdefault((each.owner, each.preemptor), []).append(each)

    def added(self, waiting: Waiting, message: Message) -> Message:
        """``message`` of a workload, with what jobs reserve and what is done for it."""
        kept, quota = waiting.kept, waiting.quota
        message = reserved_by_jobs.added(self._cluster, quota, message)
        facts: tuple[Hashable, ...] = message.facts
        if message.reason == "WaitingForReclaim":
            facts = (*facts, self._policy.paused, self._has_source(quota, message))
        evicted = self._victims.get((quota, waiting.workload.title), ()) if kept else ()
        if evicted:
            sources = sorted({each.quota for each in evicted})
            starts = f"{_freed(message, evicted)} {_by(quota, sources)} {self._soon}"
            return message._replace(starts=starts, figures=(*facts, *sources), contested=False)
        if kept and not self._held_back and not isinstance(waiting.why, OthersUnbound):
            starts = f"Its room will be freed by pods that leave {self._soon}"
        elif message.reason != "WaitingForReclaim":
            return message
        elif self._policy.paused:
            starts = f"{message.starts}; reclaim.paused stops all evictions"
        else:
            starts = f"{message.starts}{self._begins(quota, message)}"
        return message._replace(starts=starts, figures=facts, contested=False)

    def _begins(self, quota: str, message: Message) -> str:
        """When reclaim begins, where it may."""
        policy, forest = self._policy, self._cluster.forest
        if message.entitled:
            if not self._has_source(quota, message):
                return "; no quota borrows it, so no pod is evicted for it"
            seconds = policy.grace_of(forest.quotas[quota]) // 1000
            return f"; pods that borrow are evicted for it after {seconds} s"
        if policy.shares(forest.tree_of.get(quota, "-"), forest.quotas[quota].kept_for):
            seconds = policy.delay // 1000
            return f"; pods of quotas above their share for {seconds} s are evicted for it"
        return ""

    def _has_source(self, quota: str, message: Message) -> bool:
        """Whether reclaim has a source: external pods, or a quota that holds more than its min.

        Not one on the way to ``quota``.
        """
        forest = self._cluster.forest
        tree_id, path = forest.tree_of.get(quota, ""), forest.path(quota)
        tree = self._cluster.trees.get(tree_id)
        return (tree is not None and bool(tree.external_pods.evictable)) or any(
            name not in path for key in message.keys for name in self._borrowers(tree_id, key)
        )

    def _borrowers(self, tree_id: str, key: str) -> list[str]:
        found = self._borrowing.get((tree_id, key))
        if found is None:
            books, forest = self._cluster.trees[tree_id], self._cluster.forest
            found = [
                name
                for name in books.tree.order
                if books.admitted[name].get(key, 0) > forest.effective_min(name).get(key, 0)
            ]
            self._borrowing[tree_id, key] = found
        return found


def _freed(message: Message, evicted: Iterable[InFlightEviction]) -> str:
    """``2 of its 4 missing cpu will be freed``; where only nodes lack room, what is freed."""
    released = [each.released for each in evicted]
    key = message.keys[0] if message.missing else ""
    freed = min(sum(each.get(key, 0) for each in released), message.missing)
    if freed <= 0:
        return f"{amounts_text.released(released)} will be freed for it"
    missing = f"{quantity.shown(key, message.missing)} missing {wording.title(key)}"
    return f"{quantity.shown(key, freed)} of its {missing} will be freed"


def _by(quota: str, sources: Sequence[str]) -> str:
    """``by reclaim from quota team-a, pods of no quota and by preemption in its own quota``."""
    others = [f"quota {name}" if name else "pods of no quota" for name in sources if name != quota]
    ways = [f"by reclaim from {', '.join(others)}"] if others else []
    if quota in sources:
        ways.append("by preemption in its own quota")
    return " and ".join(ways)
