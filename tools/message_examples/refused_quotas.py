"""Quotas that are not accepted, one for each reason, on small clusters."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from elasticquota import names
from elasticquota.forest.settings import SharingTerms
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.model.decision import Decisions
from elasticquota.model.fault import Fault
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import replace
from worlds import ROOT, World


def _of(quotas: Mapping[str, Mapping[str, Any]]) -> Callable[[], Decisions]:
    """What is decided of quotas that are created in this order."""

    def scene() -> Decisions:
        world = World()
        for name, fields in quotas.items():
            world.quota(name, **fields)
        return world.decide()

    return scene


def _same_name() -> Decisions:
    world = World()
    world.quota("team-a", namespace="first")
    world.quota("team-a", namespace="second")
    return world.decide()


def _faulty() -> Decisions:
    world = World()
    world.quota("team-a")
    _change(world, faults=(Fault("spec.max.cpu", "must be a quantity, got 'many'"),))
    return world.decide()


def _wrong_tree() -> Decisions:
    world = World()
    world.quota("team-a")
    _change(world, tree_id="7")
    return world.decide()


def _reserved() -> Decisions:
    world = World()
    key = Key("team-a", names.DEFAULT_QUOTA)
    world.ledger.upsert_quota(Quota(key, "uid-reserved", world.time()))
    terms = SharingTerms(home="elastic-quota-system")
    return world.decide(policy=Policy(accounting=Accounting(terms=terms)))


def _unwelcome() -> Decisions:
    world = World()
    world.quota("engineering", is_parent=True)
    engineering = world.ledger.quotas[Key("teams", "engineering")]
    world.ledger.upsert_quota(replace(engineering, child_namespaces=("platform",)))
    world.quota("team-a", parent="engineering", namespace="team-a")
    return world.decide()


def _change(world: World, **fields: object) -> None:
    quota = world.ledger.quotas[Key("teams", "team-a")]
    world.ledger.upsert_quota(replace(quota, **fields))


_LEVELS: Final = {
    f"level-{level + 1}": {"parent": f"level-{level}" if level else ROOT, "is_parent": True}
    for level in range(32)
}
SCENES: tuple[tuple[str, Callable[[], Decisions]], ...] = (
    ("a quota that is refused", _of({"team-a": {"parent": "ghost"}})),
    (
        "quotas that are parents of each other",
        _of(
            {
                "team-a": {"parent": "team-b", "is_parent": True},
                "team-b": {"parent": "team-a", "is_parent": True},
            }
        ),
    ),
    ("a parent on the lowest level", _of(_LEVELS)),
    ("a parent that holds pods", _of({"team-a": {}, "team-b": {"parent": "team-a"}})),
    ("two quotas of one name", _same_name),
    ("a field without a valid value", _faulty),
    (
        "children that are guaranteed more than their parent",
        _of(
            {
                "engineering": {"min": 8, "is_parent": True},
                "team-b": {"min": 6, "parent": "engineering"},
                "team-a": {"min": 4, "parent": "engineering"},
            }
        ),
    ),
    ("a tree id that is not the parent's", _wrong_tree),
    ("an object with the name of a built-in quota", _reserved),
    ("a parent that takes quotas of other namespaces only", _unwelcome),
)
