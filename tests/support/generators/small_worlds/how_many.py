"""How many worlds there are: exact by the sizes of the families, the wanted ones by a sample."""

from collections.abc import Iterator
from random import Random
from typing import Final, NamedTuple

from small_worlds.enumeration import SIZES_OF_FAMILIES, stands_for, world_at
from small_worlds.families import FAMILIES


_SAMPLE: Final = 400
"""So many products of each family are looked at."""


class Count(NamedTuple):
    """Worlds of families."""

    products: int
    """Of all choices."""
    up_to_symmetry: int
    """The same, if worlds count once that differ by quotas that change places."""
    wanted: int
    """Those of them to run: backed, and something may be decided; estimated."""
    stand_for: int
    """All that differ from those by quotas, or unequal nodes, that change places; estimated."""


def of_families() -> dict[str, Count]:
    """By kind of family, with all its shapes and numbers of pods."""
    found: dict[str, Count] = {}
    dice = Random(0)
    for which, family in enumerate(FAMILIES):
        total = SIZES_OF_FAMILIES[which].total
        specs = [world_at(which, dice.randrange(total)) for _ in range(_SAMPLE)]
        wanted = [spec for spec in specs if spec is not None]
        stand_for = sum(stands_for(family, spec) for spec in wanted)
        count = Count(
            total,
            total // family.shape.symmetric,
            total * len(wanted) // _SAMPLE,
            total * stand_for // _SAMPLE,
        )
        before = found.get(family.name, Count(0, 0, 0, 0))
        found[family.name] = Count(*map(sum, zip(before, count, strict=True)))
    return found


def in_words() -> Iterator[str]:
    """A table of all kinds of families."""
    found = of_families()
    found["all"] = Count(*map(sum, zip(*found.values(), strict=True)))
    yield f"{'family':24}{'products':>16}{'up to symmetry':>16}{'to run':>16}{'stand for':>16}"
    for name, count in found.items():
        yield f"{name:24}" + "".join(f"{figure:16.1e}" for figure in count)
    yield f"The last two columns are estimated from {_SAMPLE} products of each of {len(FAMILIES)}."
