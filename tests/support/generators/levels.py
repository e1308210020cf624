"""Arbitrary siblings that share one amount; the laws reach the arithmetic of a level only here."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from elasticquota.sharing import level
from oracle import Claim


@dataclass(frozen=True)
class Level:
    """A total and the claims on it."""

    total: int
    claims: tuple[Claim, ...]

    def shares(self) -> list[int]:
        """What the product gives to each claim, in their order."""
        return level.share(
            self.total,
            [claim.lo for claim in self.claims],
            [claim.hi for claim in self.claims],
            [claim.weight for claim in self.claims],
            [claim.min for claim in self.claims],
        )

    @property
    def guaranteed(self) -> int:
        return sum(claim.lo for claim in self.claims)

    @property
    def fits(self) -> bool:
        """There is enough for every guarantee that is asked for."""
        return self.guaranteed <= self.total

    @property
    def takers(self) -> int:
        """All that the claims can take when there is plenty."""
        return sum(claim.hi if claim.weight else claim.lo for claim in self.claims)

    def changed(self, place: int, **figures: int) -> "Level":
        """With other figures in the claim at ``place``."""
        claims = list(self.claims)
        claims[place] = replace(claims[place], **figures)
        return Level(self.total, tuple(claims))

    def without(self, place: int, share: int) -> "Level":
        """As if the claim at ``place`` had left and taken ``share`` along."""
        return Level(self.total - share, self.claims[:place] + self.claims[place + 1 :])


# Seeded, not drawn: shuffling thousands of things by single draws takes minutes to shrink.
DICE = st.builds(random.Random, st.integers(0, 2**32))

# Small numbers collide and tie; large ones are bytes, "unlimited" and beyond.
SIZES = (
    st.integers(0, 4)
    | st.integers(0, 20)
    | st.integers(0, 400)
    | st.integers(0, 2**64)
    | st.integers(0, 2**70)
)
# One wide and many narrow siblings are where rounding is hard.
WEIGHTS = (
    st.sampled_from((1, 1, 1, 20))
    | st.integers(0, 9)
    | st.integers(1, 100)
    | st.just(2**63 - 1)
    | st.integers(0, 2**70)
)


def claims(
    sizes: st.SearchStrategy[int] = SIZES, weights: st.SearchStrategy[int] = WEIGHTS
) -> st.SearchStrategy[Claim]:
    return st.builds(Claim, sizes, st.just(0) | sizes, weights)


def levels(
    most: int = 7, sizes: st.SearchStrategy[int] = SIZES, weights: st.SearchStrategy[int] = WEIGHTS
) -> st.SearchStrategy[Level]:
    """Mostly contended levels, where guarantees fit more often than not."""

    @st.composite
    def found(draw: st.DrawFn) -> Level:
        siblings = tuple(draw(st.lists(claims(sizes, weights), min_size=1, max_size=most)))
        level = Level(0, siblings)
        total = draw(
            st.integers(level.guaranteed, max(level.guaranteed, level.takers))
            | st.integers(0, level.guaranteed)
            | st.integers(level.takers, level.takers + 9)
        )
        return replace(level, total=total)

    return found()


def small_levels() -> st.SearchStrategy[Level]:
    """So small that units can be counted one by one."""
    few: Any = st.integers(0, 12)
    return levels(8, few, st.sampled_from((1, 1, 1, 20)) | st.integers(0, 9))


def wide_levels(most: int = 300) -> st.SearchStrategy[Level]:
    """Many siblings made from one number, for which single draws would take too long."""

    @st.composite
    def found(draw: st.DrawFn) -> Level:
        dice = draw(DICE)
        bits = draw(st.sampled_from((3, 10, 40, 70)))
        count = draw(st.integers(1, most))
        weights: Sequence[int] = (1, 1, 20, 2**bits)
        siblings = tuple(
            Claim(
                dice.getrandbits(bits),
                dice.choice((0, dice.getrandbits(bits))),
                dice.choice((dice.choice(weights), dice.getrandbits(bits))),
            )
            for _ in range(count)
        )
        level = Level(0, siblings)
        return replace(level, total=dice.randint(0, level.takers * 5 // 4 + 1))

    return found()
