"""Conditions of quotas, profiles and objects of other systems, from decisions on small clusters."""

from collections.abc import Callable, Iterator
from typing import Any, get_args

from elasticquota.model import verdict
from elasticquota.model.decision import Condition, Decisions
from elasticquota.model.fault import Fault
from elasticquota.model.key import Key
from elasticquota.model.unread import Unread
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import replace
from message_examples import obstacles, refused_quotas, source_objects
from message_examples.example import Example
from worlds import GI, ROOT, World


_PAUSED = Policy(grace=0, delay=0, paused=True)
_REASONS = frozenset(get_args(verdict.Reason))
"""Those of ``Accepted``, which ``Ready`` and ``Stalled`` repeat."""


def examples() -> Iterator[Example]:
    """Yield each condition and status once for each situation that says something new."""
    seen: set[tuple[str, bool, str, bool]] = set()
    for when, scene in (*_SCENES, *obstacles.SCENES, *refused_quotas.SCENES):
        for found in _conditions(scene()):
            same = found.reason in _REASONS and found.type != "Accepted"
            reason = "" if same and found.reason != "Accepted" else found.reason
            key = (found.type, found.status, reason, "; warning: " in found.message)
            if key not in seen:
                seen.add(key)
                yield Example(f"{found.type} {found.status} {found.reason}", when, found.message)
    yield from source_objects.examples()


def _conditions(decisions: Decisions) -> Iterator[Condition]:
    for status in decisions.statuses:
        of_roots = (
            "DefinitionsNotRead",
            "EvictionsHeld",
            "FieldsDropped",
            "NodesOverlap",
            "ProfileMissing",
        )
        if status.key.name != ROOT or any(each.type in of_roots for each in status.conditions):
            yield from status.conditions
    for profile in decisions.profiles:
        yield from profile.conditions


def _alone(pods: int = 0, **fields: Any) -> Decisions:
    """What is decided of one quota, whose pods run on a node of 8 cpu."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a", **fields)
    world.pods("team-a", pods)
    return world.decide()


def _beside_a_daemon() -> Decisions:
    world = World(nodes=1, cpu=8)
    world.quota("team-a")
    (daemon,) = world.pods("")
    world.ledger.upsert_pod(replace(daemon, request={"cpu": 100}, daemon=True))
    world.pods("team-a", 2, cpu=4)
    return world.decide()


def _idle() -> Decisions:
    world = World(nodes=2, cpu=8)
    world.quota("team-a", min={"cpu": 10_000, "memory": 40 * GI})
    world.pods("team-a", 8)
    world.pods("team-a", 2, waiting=True)
    return world.decide()


def _not_placed() -> Decisions:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=8)
    (pod,) = world.pods("team-a", cpu=4, bound=False)
    world.ledger.upsert_pod(replace(pod, refused=True))
    return obstacles.starve(world)


def _held() -> Decisions:
    world = World(nodes=2, cpu=8)
    world.quota("team-a")
    world.quota("team-b", min=12)
    world.pods("team-a", 16)
    world.pods("team-b", 12, waiting=True)
    return world.decide(policy=Policy(grace=0, brake_percent=10))


def _observed() -> Decisions:
    world = World()
    world.quota("team-a")
    world.observe()
    return world.decide()


def _unscheduled() -> Decisions:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=8)
    world.pods("team-a", cpu=4, bound=False, unplaced_since=0)
    world.ledger.set_time(Policy().accounting.unschedulable_timeout)
    return world.decide()


def _grows() -> Decisions:
    world = World(nodes=1, cpu=8)
    world.elastic(20)
    world.quota("team-a", min=12)
    (pod,) = world.pods("team-a", cpu=9, bound=False)
    world.ledger.upsert_pod(replace(pod, refused=True))
    return world.decide()


def _without_nodes() -> Decisions:
    world = World(nodes=0)
    world.quota("team-a", min=1)
    return world.decide()


def _new_profile() -> Decisions:
    world = World()
    world.ledger.delete_quota(Key("system", ROOT))
    return world.decide()


def _not_read() -> Decisions:
    world = World()
    world.ledger.note_unread(Unread("jobsets.jobset.x-k8s.io", ("v2",), ("v1alpha2",)))
    return world.decide()


def _replaced() -> Decisions:
    world = World()
    fields = ("spec.pools", "spec.parent", "spec.isParent", "spec.paused", "status.tree")
    world.ledger.note_lacking("elasticquotas.scheduling.sigs.k8s.io", fields)
    return world.decide()


def _wrong_profile() -> Decisions:
    world = World()
    profile = world.ledger.profiles[Key("system", "pool")]
    world.ledger.upsert_profile(
        replace(profile, faults=(Fault("spec.resourceRatio", "must be from 0 to 1, got 7"),))
    )
    return world.decide()


_SCENES: tuple[tuple[str, Callable[[], Decisions]], ...] = (
    ("a quota within its share", _idle),
    (
        "a quota that does not mean what its author may think",
        lambda: _alone(max={"memory": 4 * GI}, weight=1),
    ),
    ("a quota above its share", lambda: _alone(8, max=4)),
    ("a quota above its share by less than a pod, because of a DaemonSet", _beside_a_daemon),
    (
        "a quota whose pods are evicted for another",
        lambda: obstacles.full(waiting=4).decide(policy=obstacles.AT_ONCE),
    ),
    (
        "a quota whose guarantee no eviction can give it",
        lambda: obstacles.starve(obstacles.full(preemptible=False)),
    ),
    ("the same while evictions are paused", lambda: obstacles.starve(obstacles.full(), _PAUSED)),
    ("a quota with an admitted pod within min that the scheduler refuses", _not_placed),
    ("a quota that is paused", lambda: _alone(min=4, paused=True)),
    ("many evictions at a time", _held),
    ("a tree in observe mode", _observed),
    ("an admitted pod that no node takes", _unscheduled),
    ("an elastic tree", _grows),
    ("a kind of another system in a version that is too new", _not_read),
    ("a definition of another project in place of ours", _replaced),
    ("a profile without nodes", _without_nodes),
    ("a profile that was just created", _new_profile),
    ("a profile that is wrong", _wrong_profile),
)
