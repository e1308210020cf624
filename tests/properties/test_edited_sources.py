"""Law: cached knowledge makes a translation faster, and never changes its result.

Whatever history of edits led to the objects, reading, translating and planning with a cache give
the same result as from scratch, errors and warnings included.
"""

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import msgspec
from hypothesis import given
from hypothesis import strategies as st

import foreign_objects
import levels
import rewrites
import translations
from elasticquota.integrations import capacity
from elasticquota.integrations.ack import trees as ack
from elasticquota.integrations.ack.flavors import Flavors
from elasticquota.integrations.ack.pools import Pools
from elasticquota.integrations.translation import assembly, sync
from elasticquota.integrations.translation.sync import Plan, Put
from elasticquota.integrations.yunikorn import queues as yunikorn_queues
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.wire.codec.metadata import ClosedManifest, SpecManifest
from elasticquota.wire.integrations import ack_trees, capacity_quotas, queue_namespaces, queues
from elasticquota.wire.integrations.ack_trees import QuotaTree
from elasticquota.wire.kubernetes.namespaces import NamespaceManifest


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
    """Stored ElasticQuotaTrees, and the same trees as read one after the other."""

    def __init__(self, others: list[Any], dice: random.Random) -> None:
        self._stored: dict[Key, Any] = {}
        self._followed: dict[Key, QuotaTree] = {}
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
            del self._stored[key], self._followed[key]
        elif chance > 0.85 or not isinstance(stored["spec"], dict):
            self._put({**stored, "spec": rewrites.rewritten(stored["spec"], dice)})
        elif isinstance(stored["spec"].get("root"), dict):
            root = rewrites.node_edited(stored["spec"]["root"], dice)
            self._put({**stored, "spec": {"root": root}})

    @property
    def followed(self) -> list[QuotaTree]:
        return list(self._followed.values())

    @property
    def anew(self) -> list[QuotaTree]:
        return [
            ack_trees.read(msgspec.convert(each, SpecManifest)) for each in self._stored.values()
        ]

    def _put(self, tree: Any) -> None:
        found = msgspec.json.decode(msgspec.json.encode(tree), type=ClosedManifest)
        key = found.metadata.key
        self._stored[key] = tree
        self._followed[key] = ack_trees.read(found, self._followed.get(key))


class Quotas:
    """The stored quotas of an integration."""

    def __init__(self) -> None:
        self.stored: dict[Key, Quota] = {}

    def follow(self, plan: Plan, dice: random.Random) -> None:
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
def test_reading_trees_with_a_cache_equals_reading_from_scratch(
    others: list[Any], dice: random.Random
) -> None:
    trees = Trees(others, dice)
    for _ in range(EDITS):
        trees.edit()
        assert trees.followed == trees.anew


@given(TREES, levels.DICE)
def test_translating_trees_with_a_cache_equals_translating_from_scratch(
    others: list[Any], dice: random.Random
) -> None:
    trees, found = Trees(others, dice), assembly.NOTHING
    pools, flavors = dice.choice(POOLS), dice.choice(FLAVORS)
    for _ in range(EDITS):
        trees.edit()
        if dice.random() < 0.2:
            pools, flavors = dice.choice(POOLS), dice.choice(FLAVORS)
        found = ack.assemble(trees.followed, HOME, pools, flavors, found)
        assert found.translation == ack.assemble(trees.anew, HOME, pools, flavors).translation


@given(TREES, levels.DICE)
def test_planning_steps_with_a_cache_equals_planning_from_scratch(
    others: list[Any], dice: random.Random
) -> None:
    trees, found, quotas, plan = Trees(others, dice), assembly.NOTHING, Quotas(), sync.NO_PLAN
    for _ in range(EDITS):
        trees.edit()
        pools = dice.choice(POOLS)
        found = ack.assemble(trees.followed, HOME, pools, {}, found)
        made = found.translation
        for _ in range(3):
            blocking = frozenset(dice.choice(((), (), ("root-a",))))
            asked = ("ack", made.quotas, tuple(quotas.stored.values()), made.waiting, blocking)
            plan = sync.plan(*asked, plan)
            assert plan == sync.plan(*asked)
            quotas.follow(plan, dice)


@given(foreign_objects.LIMITS, levels.DICE)
def test_translating_capacity_quotas_with_a_cache_equals_translating_from_scratch(
    limits: list[Any], dice: random.Random
) -> None:
    found = assembly.NOTHING
    for _ in range(EDITS):
        read = [capacity_quotas.read(msgspec.convert(each, SpecManifest)) for each in limits]
        found = capacity.assemble(read, HOME, found)
        assert found.translation == capacity.assemble(read).translation
        edited = [each for each in limits if dice.random() < 0.3]
        limits = [each for each in limits if each not in edited or dice.random() < 0.3]
        limits += [
            {**each, "spec": rewrites.rewritten(each["spec"], dice)}
            for each in edited
            if each not in limits
        ]


@given(foreign_objects.CONFIGS, foreign_objects.SPACES, foreign_objects.ASKED, levels.DICE)
def test_translating_queues_with_a_cache_equals_translating_from_scratch(
    config: Any, spaces: list[Any], paths: list[Any], dice: random.Random
) -> None:
    found = assembly.NOTHING
    for _ in range(EDITS):
        read = None if config is None else queues.read(config)
        named = [
            queue_namespaces.read(msgspec.convert(each, NamespaceManifest))
            for each in spaces
            if dice.random() < 0.9
        ]
        asked = [path for path in paths if dice.random() < 0.5]
        found = yunikorn_queues.assemble(read, named, HOME, found, every=True, asked=asked)
        anew = yunikorn_queues.assemble(
            read, named, HOME, assembly.NOTHING, every=True, asked=asked
        )
        assert found.translation == anew.translation
        config = rewrites.rewritten(config, dice)
