"""Arbitrary claims, forests and garbage for the laws (hypothesis strategies)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from elasticquota import names
from elasticquota.forest import judge
from elasticquota.forest.structure import Forest, Tree
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.resources import Resources
from elasticquota.sharing.level import Claim


# Small numbers collide and tie; large ones are bytes and "unlimited".
SIZES = st.integers(0, 4) | st.integers(0, 20) | st.integers(0, 400) | st.integers(0, 2**64)
# One wide and many narrow siblings are where rounding is hard.
WEIGHTS = (
    st.sampled_from((1, 1, 1, 20)) | st.integers(0, 9) | st.integers(1, 100) | st.just(2**63 - 1)
)


@st.composite
def claims(draw: st.DrawFn) -> Claim:
    """A claim as trees make them: lo = min(hi, min)."""
    hi, floor = draw(SIZES), draw(st.just(0) | SIZES)
    return Claim(min(hi, floor), hi, draw(WEIGHTS), floor)


@dataclass(frozen=True)
class Level:
    """A total and the claims on it."""

    total: int
    claims: tuple[Claim, ...]

    @property
    def guaranteed(self) -> int:
        return sum(claim.lo for claim in self.claims)

    @property
    def takers(self) -> int:
        """All that the claims can take when there is plenty."""
        return sum(claim.hi if claim.weight else claim.lo for claim in self.claims)


@st.composite
def levels(draw: st.DrawFn, most: int = 7) -> Level:
    """Mostly contended levels, where guarantees fit more often than not."""
    found = tuple(draw(st.lists(claims(), min_size=1, max_size=most)))
    level = Level(0, found)
    total = draw(
        st.integers(level.guaranteed, level.takers)
        | st.integers(0, level.guaranteed)
        | st.integers(level.takers, level.takers + 9)
    )
    return Level(total, found)


@dataclass(frozen=True)
class Grove:
    """A forest with what its quotas ask for and what there is."""

    quotas: tuple[Quota, ...]
    own: Mapping[str, Resources]
    available: Resources

    @property
    def forest(self) -> Forest:
        return judge.build(self.quotas)

    @property
    def tree(self) -> Tree:
        return self.forest.trees[names.DEFAULT_TREE]


RESOURCES = ("cpu", "gpu")


def amounts(sizes: st.SearchStrategy[int]) -> st.SearchStrategy[dict[str, int]]:
    return st.dictionaries(st.sampled_from(RESOURCES), sizes)


_SIZES = amounts(st.integers(0, 40))
_TOTAL = st.fixed_dictionaries({key: st.integers(0, 120) for key in RESOURCES})
_WEIGHT = st.fixed_dictionaries({key: st.integers(1, 9) for key in RESOURCES})


def _traits(weight: st.SearchStrategy[dict[str, int] | None]) -> st.SearchStrategy[Any]:
    """By age: how many quotas older the parent is, min, room above it, weight, lending, pods."""
    mins = amounts(st.integers(0, 20))
    traits = st.tuples(st.integers(0, 3), mins, _SIZES, weight, st.booleans(), _SIZES)
    return st.lists(traits, min_size=1, max_size=6)


_PLAIN, _WEIGHTED = _traits(st.none() | _SIZES), _traits(_WEIGHT)


@st.composite
def groves(draw: st.DrawFn, weighted: bool = False) -> Grove:
    """A tree of up to six quotas below koordinator-root-quota, any of them with pods.

    ``weighted``: every quota has its own shared weight for every resource.
    """
    quotas: list[Quota] = []
    own: dict[str, Resources] = {}
    traits = draw(_WEIGHTED if weighted else _PLAIN)
    for age, (up, low, room, weight, lent, pods) in enumerate(traits):
        quotas.append(
            Quota(
                key=Key("ns", f"q{age}"),
                uid=f"{age}",
                created="",
                parent=f"q{age - up}" if 0 < up <= age else names.ROOT_QUOTA,
                is_parent=True,
                min=low,
                max={key: low.get(key, 0) + more for key, more in room.items()},
                shared_weight=weight,
                allow_lent=lent,
            )
        )
        own[f"q{age}"] = pods
    return Grove(tuple(quotas), own, draw(_TOTAL))


_NAMES = ("a", "b", "c", "d", "ghost", *sorted(names.RESERVED_QUOTAS))
_WILD = st.integers(-5, 40) | st.just(2**63 - 1) | st.just(-(2**70))


# A quota object with any relations and figures whatever.
_GARBAGE = st.builds(
    Quota,
    key=st.builds(Key, st.sampled_from(("x", "y")), st.sampled_from(_NAMES)),
    uid=st.sampled_from("123456"),
    created=st.sampled_from(("", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z")),
    parent=st.sampled_from(("", *_NAMES, names.ROOT_QUOTA, names.ROOT_QUOTA)),
    is_parent=st.booleans(),
    is_root=st.booleans(),
    tree_id=st.sampled_from(("", "", "blue", "red")),
    min=amounts(_WILD),
    max=amounts(_WILD),
    shared_weight=st.none() | amounts(_WILD),
    allow_lent=st.booleans(),
    namespaces=st.sampled_from(((), ("x",), ("y", "z"))),
    faults=st.sampled_from(((), ("spec: cannot be read",))),
)


def garbage_heaps() -> st.SearchStrategy[list[Quota]]:
    """Up to eight objects; keys are unique, as the API server keeps them, names are not."""
    return st.lists(_GARBAGE, max_size=8, unique_by=lambda quota: quota.key)


def wild_amounts() -> st.SearchStrategy[dict[str, int]]:
    return amounts(_WILD)
