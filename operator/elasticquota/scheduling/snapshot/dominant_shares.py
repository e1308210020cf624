"""The dominant share of a quota: claimed/runtime of the resource of which it is largest.

Who goes next is compared by what a quota claims, with the room that is kept for it; who gives first
by what it holds, without what leaves.
"""

from typing import Final

from elasticquota.resources import EMPTY, Resources
from elasticquota.scheduling.snapshot.usage_tree import UsageTree


WHOLE: Final = 1 << 64
"""The rank of a quota that holds exactly its runtime."""

_ABOVE_ALL: Final = 1 << 192


class DominantShares:
    """Mutable; one per tree and cycle."""

    def __init__(self, usage_tree: UsageTree) -> None:
        self._usage_node = usage_tree.of
        self._known: dict[str, int] = {}
        """Of quotas in which nothing was booked since."""
        self._held: dict[str, int] = {}
        """The same of what is held."""
        self.moved: list[str] = []
        """The quotas in which something was booked, in order; some more than once."""

    def rank(self, quota: str) -> int:
        """The dominant share: the quota with the lowest goes next.

        In parts of 2**-256: two shares are rarely equal.
        """
        found = self._known.get(quota)
        if found is None:
            usage_node, claimed, of = self._usage_node(quota), 0, 1
            for key, most in usage_node.limit.items():
                # claimed / of is the largest so far; compared crosswise.
                if most > 0 and usage_node.claimed.get(key, 0) * of > claimed * most:
                    claimed, of = usage_node.claimed[key], most
            found = self._known[quota] = (claimed << 256) // of
        return found

    def held_rank(self, quota: str) -> int:
        """What the quota holds, as the largest part of its runtime: the highest gives first.

        In parts of ``WHOLE``; one that holds what its runtime has none of is above all.
        """
        found = self._held.get(quota)
        if found is None:
            node = self._usage_node(quota)
            found = self._held[quota] = part(node.limit, node.staying)
        return found

    def rank_with(self, quota: str, request: Resources, *, later: bool = False) -> int:
        """What the quota claims with ``request``, as the largest part of its runtime.

        ``later``: once all that leaves it is gone.
        """
        node = self._usage_node(quota)
        return part(node.limit, node.later if later else node.claimed, request)

    def forget(self, quota: str) -> None:
        """Something was booked in the quota, or is expected to leave it."""
        self._known.pop(quota, None)
        self._held.pop(quota, None)
        self.moved.append(quota)


def part(limit: Resources, held: Resources, more: Resources = EMPTY) -> int:
    """The largest part of ``limit`` that ``held`` and ``more`` are of any resource.

    In parts of ``WHOLE``.
    """
    found = 0
    for key, most in limit.items():
        amount = held.get(key, 0) + more.get(key, 0)
        if amount > 0:
            found = max(found, amount * WHOLE // most if most > 0 else _ABOVE_ALL + amount)
    return found
