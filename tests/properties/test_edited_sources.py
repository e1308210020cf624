"""Law: the plan before the next one makes it faster, and never changes its result.

Whatever history of edits, also by other clients, led to the objects and to the stored quotas.
"""

import random
from collections.abc import Mapping
from typing import Any, Final

import msgspec
from hypothesis import given
from hypothesis import strategies as st

import foreign_objects
import levels
import rewrites
import translations
from elasticquota.integrations.ack import trees as ack
from elasticquota.integrations.ack.flavors import Flavors
from elasticquota.integrations.ack.pools import Pools
from elasticquota.integrations.translation import sync
from elasticquota.integrations.translation.sync import Put, SyncPlan
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.structs import replace
from elasticquota.wire.codec.metadata import SpecManifest
from elasticquota.wire.integrations import ack_trees
from elasticquota.wire.integrations.ack_trees import QuotaTree


HOME: Final = "kube-system"
POOLS: Final[tuple[Pools, ...]] = (
    {},
    {"ml/gpu": ""},
    {"ml/gpu": "gpu-root", "art/gpu": "art-root"},
)
FLAVORS: Final[tuple[Flavors, ...]] = ({}, {"x": {"model": "a100"}})
TREES: Final[st.SearchStrategy[list[Any]]] = foreign_objects.TREES | st.just([])
"""Besides the trees of two companies."""
EDITS: Final = 8


class Trees:
    """Stored ElasticQuotaTrees."""

    def __init__(self, others: list[Any], dice: random.Random) -> None:
        self._stored: dict[Key, Any] = {}
        self._others = others
        self._dice = dice
        self._put(translations.tree(rewrites.company_tree(dice)))
        self._put(translations.tree(rewrites.company_tree(dice), "own", profile="ml/gpu"))

    def edit(self) -> None:
        """Edit one of the trees, or add or delete one."""
        dice, chance = self._dice, self._dice.random()
        if self._others and (chance < 0.1 or not self._stored):
            self._put(dice.choice(self._others))
        if not self._stored:
            return
        key = dice.choice(sorted(self._stored))
        stored = self._stored[key]
        if chance > 0.95:
            del self._stored[key]
        elif chance > 0.85 or not isinstance(stored["spec"], dict):
            self._put({**stored, "spec": rewrites.rewritten(stored["spec"], dice)})
        elif isinstance(stored["spec"].get("root"), dict):
            root = rewrites.node_edited(stored["spec"]["root"], dice)
            self._put({**stored, "spec": {"root": root}})

    @property
    def read(self) -> list[QuotaTree]:
        return [
            ack_trees.read(msgspec.convert(each, SpecManifest)) for each in self._stored.values()
        ]

    def _put(self, tree: Any) -> None:
        self._stored[msgspec.convert(tree, SpecManifest).metadata.key] = tree


class Quotas:
    """The stored quotas of an integration."""

    def __init__(self) -> None:
        self.stored: dict[Key, Quota] = {}

    def follow(self, plan: SyncPlan, dice: random.Random) -> None:
        """Take some or all of the steps; sometimes another writer changes a quota."""
        count = dice.choice((len(plan.steps), dice.randrange(len(plan.steps) + 1)))
        for step in plan.steps[:count]:
            if isinstance(step, Put):
                self.stored[step.quota.key] = replace(step.quota, uid=str(dice.random()))
            else:
                self.stored.pop(step.key)
        if self.stored and dice.random() < 0.4:
            key = dice.choice(list(self.stored))
            meddled: Mapping[str, Any] = dice.choice(
                ({"kept_for": ""}, {"kept_for": "ack"}, {"min": {"cpu": 1}}, {"parent": "x"})
            )
            self.stored[key] = replace(self.stored[key], **meddled)


@given(TREES, levels.DICE)
def test_planning_steps_with_the_plan_before_equals_planning_from_scratch(
    others: list[Any], dice: random.Random
) -> None:
    trees, quotas, plan = Trees(others, dice), Quotas(), sync.NO_PLAN
    for _ in range(EDITS):
        trees.edit()
        made = ack.translate(trees.read, HOME, dice.choice(POOLS))
        for _ in range(3):
            blocking = frozenset(dice.choice(((), (), ("root-a",))))
            asked = ("ack", made.quotas, tuple(quotas.stored.values()), made.waiting, blocking)
            plan = sync.plan(*asked, plan)
            assert plan == sync.plan(*asked)
            quotas.follow(plan, dice)
