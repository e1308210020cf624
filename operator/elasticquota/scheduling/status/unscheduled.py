"""Unscheduled pods: an admitted pod without a node for too long is reported and is no request.

Its gate cannot be put back, so it stays admitted: it counts in its quota, and it may start at any
moment. But its request no longer claims guarantees and shares of its quota against others
(algorithm 6, phantom demand), which may use the idle resources. It counts again as soon as a node
admits it.

In an elastic tree the time is the ``scaleUpTimeout`` of the profile. There such a pod takes no room
of others at all (``snapshot.usage_tree``): an autoscaler that cannot deliver must not keep present
nodes empty.
"""

from typing import Final

from elasticquota.forest import wording
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.pods.usage import Account
from elasticquota.model.decision import Condition, Unscheduled


_SHOWN: Final = 3


def pods(cluster: ClusterSnapshot) -> tuple[Unscheduled, ...]:
    """All such pods, by quota and pod, with their messages."""
    return tuple(
        Unscheduled(pod.key, pod.uid, name, _text(name, cluster))
        for name in sorted(cluster.stuck)
        for _, pod in sorted(cluster.account(name).stuck.items())
    )


def _text(quota: str, cluster: ClusterSnapshot) -> str:
    seconds = _timeout(quota, cluster) // 1000
    then = "see the message of its PodScheduled condition, or delete it"
    if _grows(quota, cluster):
        return (
            f"admitted into quota {quota}, but no node came for it within {seconds} s "
            f"(scaleUpTimeout of the profile): it stays admitted, and its room counts for others "
            f"until it has a node; {then}"
        )
    return (
        f"admitted into quota {quota}, but no node has taken it for more than {seconds} s: it "
        f"stays admitted and is no request any more; {then}"
    )


def condition(account: Account, quota: str, cluster: ClusterSnapshot) -> Condition | None:
    """The condition of the quota of ``account`` about such pods of its own, or None."""
    if not account.stuck:
        return None
    seconds = _timeout(quota, cluster) // 1000
    named = wording.named(sorted(account.stuck), _SHOWN)
    if _grows(quota, cluster):
        text = f"admitted, but no node came within {seconds} s, so others have their room: {named}"
        return Condition("Unscheduled", True, "NoNodeCame", text)
    text = f"admitted and no request any more, without a node for more than {seconds} s: {named}"
    return Condition("Unscheduled", True, "NoNodeTakesThem", text)


def _timeout(quota: str, cluster: ClusterSnapshot) -> int:
    return cluster.timeout_in(cluster.forest.tree_of.get(quota))


def _grows(quota: str, cluster: ClusterSnapshot) -> bool:
    return cluster.is_elastic(cluster.forest.tree_of.get(quota, "-"))
