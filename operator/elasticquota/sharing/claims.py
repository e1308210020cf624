"""What the quotas of a tree claim of one resource: min, what is kept, max and weight, by slot.

Every column is a list with one entry per slot (``index``), in accounting units.
"""

from elasticquota.sharing import weight
from elasticquota.sharing.index import FormerSlots, TreeIndex


class Claims:
    """The claims of all slots; mutable."""

    def __init__(
        self, key: str, index: TreeIndex, before: "tuple[Claims, FormerSlots] | None"
    ) -> None:
        """``before``: what stayed equal is taken from there; None: every quota is read."""
        self._key = key
        self._index = index
        if before is None:
            claims = index.claims
            self.mins = [max(0, claim.min.get(key, 0)) for claim in claims]
            self.kept = [
                low if claim.keeps else 0 for low, claim in zip(self.mins, claims, strict=True)
            ]
            """The least that a quota asks for: its min where lending is off."""
            self.caps = [max(0, claim.quota.max.get(key, weight.UNLIMITED)) for claim in claims]
            self._weights = [weight.effective(claim.quota, key, claim.ceiling) for claim in claims]
            return
        old, (was, fresh) = before
        self.mins = [old.mins[slot] for slot in was]
        self.kept = [old.kept[slot] for slot in was]
        self.caps = [old.caps[slot] for slot in was]
        self._weights = [old._weights[slot] for slot in was]  # noqa: SLF001 - of this class
        for slot in fresh:
            self._read(slot)

    def follow(self, slot: int) -> bool:
        """Read the claim at ``slot`` again; returns whether it differs."""
        before = self._at(slot)
        self._read(slot)
        return self._at(slot) != before

    def capped_weights(self, available: int) -> list[int]:
        """The weights where the tree has ``available``, which caps those that no user chose."""
        return [
            amount if amount <= available or not capped else available
            for amount, capped in self._weights
        ]

    def capped_weight(self, slot: int, available: int) -> int:
        """The same of one slot."""
        amount, capped = self._weights[slot]
        return min(amount, available) if capped else amount

    def _read(self, slot: int) -> None:
        claim, key = self._index.claims[slot], self._key
        low = max(0, claim.min.get(key, 0))
        self.mins[slot], self.kept[slot] = low, low if claim.keeps else 0
        self.caps[slot] = max(0, claim.quota.max.get(key, weight.UNLIMITED))
        self._weights[slot] = weight.effective(claim.quota, key, claim.ceiling)

    def _at(self, slot: int) -> tuple[int, int, int, weight.EffectiveWeight]:
        return self.mins[slot], self.kept[slot], self.caps[slot], self._weights[slot]
