"""What Queues of kube-queue add to the order of admission (Q16, Q22); empty: nothing.

With priorities, the queue of higher priority goes first: it gets what is idle, and the last room
below a parent. A priority is behind each min and takes no fair share from another queue: what a
quota borrows of these goes back to its owner anyway.
"""

from collections.abc import Mapping
from typing import Final

from elasticquota.structs import Struct, field


class QueueOrder(Struct, frozen=True):
    """Queues by the name of their quota."""

    priorities: Mapping[str, int] = field(default_factory=dict)
    """Of those that state one; 0 for all others. Empty while the switch is off."""
    strict: frozenset[str] = frozenset()
    """Those in which no workload passes one that does not fit."""

    def urgency(self, quota: str) -> int:
        """Sort key: lower goes first."""
        return -self.priorities.get(quota, 0)


NO_QUEUES: Final = QueueOrder()
