"""The dominant share of a quota: claimed/runtime of the resource of which it is largest."""

from fractions import Fraction

from elasticquota.scheduling.snapshot.usage_tree import Place, UsageTree


class DominantShares:
    """Mutable; one per tree and cycle."""

    def __init__(self, usage_tree: UsageTree) -> None:
        self._usage_node = usage_tree.at
        self._known: dict[str, tuple[int, int]] = {}
        """Of quotas in which nothing was booked since."""

    def share(self, quota: str) -> Fraction:
        """The dominant share: the quota with the lowest goes next."""
        return Fraction(*self._share(quota))

    def rank(self, quota: str) -> int:
        """The dominant share as an integer, in parts of 2**-256: two shares are rarely equal."""
        claimed, of = self._share(quota)
        return (claimed << 256) // of

    def forget(self, quota: str) -> None:
        """Something was booked in the quota."""
        self._known.pop(quota, None)

    def _share(self, quota: str) -> tuple[int, int]:
        """The dominant share as numerator and denominator; fractions cost as much as the rest."""
        found = self._known.get(quota)
        if found is None:
            usage_node, claimed, of = self._usage_node(Place(quota)), 0, 1
            for key, most in usage_node.limit.items():
                # claimed / of is the largest so far; compared crosswise.
                if most > 0 and usage_node.claimed.get(key, 0) * of > claimed * most:
                    claimed, of = usage_node.claimed[key], most
            found = self._known[quota] = claimed, of
        return found
