"""Runtimes after every change one by one equal those of a tree that gets all changes at once.

The law is ``laws/test_incremental_equals_full``, in big trees; here is a small one with every kind
of child and small numbers, where figures collide.
"""

import random

import pytest

import forests
from elasticquota import names
from elasticquota.forest import acceptance
from elasticquota.forest.structure import Forest
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.resources import Resources
from elasticquota.sharing.runtime import Runtimes


LINE = (
    "p 9..20; q<p 4..12 w=3; a<q 2..6; b<q 1..9 keep; c<q; "
    "r 5.. keep; d<r 3..8 w=2; e<r ..4 w=0 w.gpu=1; f 2..5 gpu=..2"
)
STEPS = 150


def default_forest(*, guarantees_use: bool) -> Forest:
    root = Quota(
        Key("ns", names.ROOT_QUOTA), "", "", is_parent=True, guarantee_usage=guarantees_use
    )
    return acceptance.build([root, *forests.quotas(LINE)])


class Walk:
    """A tree that gets one change after the other, and these changes."""

    def __init__(self, *, guarantees_use: bool) -> None:
        self._forest = default_forest(guarantees_use=guarantees_use)
        self._tree = self._forest.trees[names.DEFAULT_TREE]
        self._asked: dict[str, Resources] = {}
        self._held: dict[str, Resources] = {}
        self._available: Resources = {}
        self._followed = Runtimes(self._tree, self._forest)

    def step(self, dice: random.Random) -> None:
        """One change of a request, of use or of what there is."""
        resource = dice.choice((forests.DEVICE, forests.DEVICE, "gpu", "tape"))
        name = dice.choice(self._tree.order)
        amounts = {resource: dice.randint(-1, 11)} if dice.random() < 0.9 else {}
        match dice.randrange(5):
            case 0:
                self._available = {forests.DEVICE: dice.randint(-1, 40), "gpu": dice.randint(0, 6)}
                self._followed.set_capacity(self._available)
            case 1 | 2:
                self._held[name] = amounts
                self._followed.set_usage(name, amounts)
            case _:
                self._asked[name] = amounts
                self._followed.set_request(name, amounts)

    def settle(self) -> None:
        self._followed.settle()

    def followed(self) -> list[tuple[Resources, ...]]:
        return self._figures(self._followed)

    def at_once(self) -> list[tuple[Resources, ...]]:
        found = Runtimes(self._tree, self._forest)
        for name, amounts in self._asked.items():
            found.set_request(name, amounts)
        for name, amounts in self._held.items():
            found.set_usage(name, amounts)
        found.set_capacity(self._available)
        found.settle()
        return self._figures(found)

    def _figures(self, found: Runtimes) -> list[tuple[Resources, ...]]:
        return [
            (
                found.request(name),
                found.limited_request(name),
                found.runtime(name),
                found.own_runtime(name),
                found.allocated(name),
                found.guaranteed(name) if name != self._tree.root else {},
            )
            for name in self._tree.order
        ]


@pytest.mark.parametrize("guarantees_use", [False, True])
def test_after_every_change_the_figures_are_those_of_a_new_tree(guarantees_use: bool) -> None:
    walk, dice = Walk(guarantees_use=guarantees_use), random.Random(8)
    for _ in range(STEPS):
        walk.step(dice)
        walk.settle()
        assert walk.followed() == walk.at_once()


@pytest.mark.parametrize("guarantees_use", [False, True])
def test_several_changes_may_be_settled_together(guarantees_use: bool) -> None:
    walk, dice = Walk(guarantees_use=guarantees_use), random.Random(9)
    for _ in range(STEPS // 4):
        for _ in range(dice.randint(2, 9)):
            walk.step(dice)
        walk.settle()
        assert walk.followed() == walk.at_once()
