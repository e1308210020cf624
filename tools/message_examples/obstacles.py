"""What keeps evictions from helping, and what keeps pods without a node, on small clusters."""

from collections.abc import Callable

from elasticquota import names
from elasticquota.model.decision import Decisions
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.refusal import Blocker, Refusal
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import replace
from worlds import World


AT_ONCE = Policy(grace=0, delay=0)
_LATER = 200_000


def full(*, preemptible: bool = True, waiting: int = 1) -> World:
    """team-a holds all 8 cpu; pods within the min of team-b wait."""
    world = World(nodes=1, cpu=8)
    world.quota("team-a", min=0 if preemptible else 8)
    world.quota("team-b", min=4)
    world.pods("team-a", 8, preemptible=preemptible)
    world.pods("team-b", waiting, waiting=True)
    return world


def starve(world: World, policy: Policy = AT_ONCE) -> Decisions:
    """What is decided when a pod within its guarantee has waited for too long."""
    world.decide(0, policy)
    return world.decide(_LATER, policy)


def _refused(blocker: Blocker, budget: str = "") -> Decisions:
    world = full()
    (first, *_) = world.decide(policy=AT_ONCE).evictions
    refusal = Refusal(first.pod, "team-a", "team-b", blocker, budget)
    world.ledger.withhold(first.uid, refusal)
    world.decide(policy=AT_ONCE)
    return world.decide(_LATER, policy=AT_ONCE)


def _young() -> Decisions:
    return starve(full(), replace(AT_ONCE, min_runtime=3_600_000))


def _external() -> Decisions:
    world = World(nodes=1, cpu=8)
    world.quota("team-b", min=4)
    for number in range(8):
        pod = Pod(
            Key("legacy", f"old-{number}"),
            f"uid-{number}",
            world.time(),
            request={"cpu": 1_000, names.PODS: 1},
            node_name="node-0",
            started=world.time(),
            evict_last=False,
        )
        world.ledger.upsert_pod(pod)
    world.pods("team-b", waiting=True, prefix="x")
    return starve(world)


def _beyond_limits() -> Decisions:
    world = World(nodes=1, cpu=8)
    world.quota("team-a", max=8)
    world.pods("team-a", 8)
    world.quota("team-a", max=7)
    return world.decide(policy=AT_ONCE)


def _no_node_came() -> Decisions:
    world = World(nodes=1, cpu=8)
    world.elastic(20)
    world.quota("team-a", min=12)
    world.pods("team-a", cpu=9, bound=False, unplaced_since=0)
    world.ledger.set_time(900_000)
    return world.decide()


def _overlap() -> Decisions:
    world = World(nodes=2, cpu=8)
    oldest = world.ledger.profiles[Key("system", "pool")]
    younger = replace(oldest, key=Key("system", "other"), uid="other", created=world.time())
    world.ledger.upsert_profile(replace(younger, quota_name="other-root", tree_id="7"))
    return world.decide()


def _profile_gone() -> Decisions:
    world = World()
    world.quota("team-a")
    world.ledger.delete_profile(Key("system", "pool"))
    return world.decide()


SCENES: tuple[tuple[str, Callable[[], Decisions]], ...] = (
    ("a disruption budget that keeps a pod", lambda: _refused("DisruptionBudget", "keep")),
    ("two budgets for one pod", lambda: _refused("SeveralBudgets")),
    ("an eviction that the API server refuses", lambda: _refused("ApiServer")),
    ("a quota that starves because the others just started", _young),
    ("a quota that starves because pods of no quota hold its nodes", _external),
    ("a quota beyond a lowered limit", _beyond_limits),
    ("an elastic tree for which no node came in time", _no_node_came),
    ("two profiles that select the same nodes", _overlap),
    ("a root quota whose profile is gone", _profile_gone),
)
