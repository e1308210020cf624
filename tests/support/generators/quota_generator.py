"""Quota objects with arbitrary relations and figures, which no webhook would allow."""

import random
from collections.abc import Mapping
from dataclasses import dataclass

from hypothesis import strategies as st

import forests
from elasticquota import names
from elasticquota.forest import acceptance
from elasticquota.forest.structure import Forest, Tree
from elasticquota.model.fault import Fault
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.resources import Resources
from tree_generator import RESOURCES, amounts


_NAMES = ("a", "b", "c", "d", "ghost", *sorted(names.RESERVED_QUOTAS))
_WILD = st.integers(-5, 40) | st.just(2**63 - 1) | st.just(-(2**70)) | st.just(2**70)

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
    child_namespaces=st.sampled_from((None, None, (), ("x",))),
    faults=st.sampled_from(((), (Fault("spec", "cannot be read"),))),
)


def garbage() -> st.SearchStrategy[list[Quota]]:
    """Up to eight objects; keys are unique, as in the API server, names are not."""
    return st.lists(_GARBAGE, max_size=8, unique_by=lambda quota: quota.key)


def wild_amounts() -> st.SearchStrategy[dict[str, int]]:
    return amounts(_WILD)


def grow_garbage(seed: int, size: int) -> list[Quota]:
    """``size`` objects with arbitrary parents: long chains, loops, duplicates, missing parents."""
    dice = random.Random(seed)
    known = [f"q{number}" for number in range(size)]
    follow = dice.random()  # how often the parent is the one before: long chains and long loops
    made = (
        Quota(
            key=Key(dice.choice("xy"), dice.choice(known) if dice.random() < 0.1 else name),
            uid=str(dice.getrandbits(16)),
            created=f"2026-01-0{dice.randint(1, 9)}T00:00:00Z",
            parent=known[number - 1]
            if dice.random() < follow
            else dice.choice((*known[:9], names.ROOT_QUOTA, "ghost")),
            is_parent=dice.random() < 0.999,
            is_root=dice.random() < 0.02,
            tree_id="blue" if dice.random() < 0.01 else "",
            min={key: dice.randint(-1, 2 ** dice.randint(0, 70)) for key in RESOURCES},
            max={key: dice.randint(-1, 2 ** dice.randint(0, 70)) for key in RESOURCES},
            allow_lent=dice.random() < 0.5,
        )
        for number, name in enumerate(known)
    )
    return list({quota.key: quota for quota in made}.values())


def large_garbage() -> st.SearchStrategy[list[Quota]]:
    """Up to 2,000 objects."""
    sizes = st.sampled_from((20, 200, 2_000))
    return st.builds(grow_garbage, st.integers(0, 2**32), sizes)


def forest(objects: list[Quota]) -> Forest:
    """The forest that the product builds of the objects."""
    return acceptance.build(objects)


@dataclass(frozen=True)
class Shared:
    """One tree with its demand and its runtimes, by quota name."""

    tree: Tree
    asked: Mapping[str, Resources]
    runtimes: Mapping[str, Resources]


def shared(
    objects: list[Quota], own: Mapping[str, Resources], available: Resources
) -> list[Shared]:
    """Every tree that the product builds of the objects, with ``available`` units in each."""
    built, found = forest(objects), []
    for tree in built.trees.values():
        solved = forests.solved(tree, built, own, available)
        found.append(
            Shared(
                tree,
                {name: solved.limited_request(name) for name in tree.order},
                {name: solved.runtime(name) for name in tree.order},
            )
        )
    return found
