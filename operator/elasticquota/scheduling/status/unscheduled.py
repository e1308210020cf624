"""Unscheduled pods: an admitted pod without a node for too long is reported and is no request.

Its gate cannot be put back, so it stays admitted: it counts in its quota, and it may start at any
moment. But its request no longer claims guarantees and shares of its quota against others
(algorithm 6, phantom demand), which may use the idle resources. It counts again as soon as a node
admits it.
"""

from typing import Final

from elasticquota.forest import wording
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.usage import Account
from elasticquota.model.decision import Condition, Unscheduled


_SHOWN: Final = 3


def pods(cluster: ClusterSnapshot) -> tuple[Unscheduled, ...]:
    """All such pods, by quota and pod, with their messages."""
    seconds = cluster.accounting.unschedulable_timeout // 1000
    return tuple(
        Unscheduled(
            pod.key,
            pod.uid,
            name,
            f"admitted into quota {name}, but no node has taken it for more than {seconds} s: it "
            "stays admitted and is no request any more; see the message of its PodScheduled "
            "condition, or delete it",
        )
        for name in sorted(cluster.stuck)
        for _, pod in sorted(cluster.account(name).stuck.items())
    )


def condition(account: Account, cluster: ClusterSnapshot) -> Condition | None:
    """The condition of the quota of ``account`` about such pods of its own, or None."""
    if not account.stuck:
        return None
    seconds = cluster.accounting.unschedulable_timeout // 1000
    named = wording.named(sorted(account.stuck), _SHOWN)
    text = f"admitted and no request any more, without a node for more than {seconds} s: {named}"
    return Condition("Unscheduled", True, "NoNodeTakesThem", text)
