"""Small worlds for laws of enforcement: a department of teams, one team beside it, a few nodes."""

from hypothesis import strategies as st

from elasticquota.model.decision import Decisions
from elasticquota.model.pod import Pod
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import replace
from worlds import World


POLICY = Policy(evictions_per_second=1_000)
_ROUNDS = 60
_CPUS = st.integers(min_value=0, max_value=12)


def worlds(
    *, may_preempt: bool = True, one_node: bool = False, one_size: bool = False
) -> st.SearchStrategy[World]:
    """Up to three teams in a department and one beside it: any state, or capacity is lent.

    ``one_node``: the nodes are one node of as many cpus. ``one_size``: all pods ask for the same.
    """
    chosen = {"may_preempt": may_preempt, "one_node": one_node, "one_size": one_size}
    return any_worlds(**chosen) | lent_worlds(**chosen)


@st.composite
def any_worlds(draw: st.DrawFn, *, may_preempt: bool, one_node: bool, one_size: bool) -> World:
    """On 0 to 4 nodes of 8 cpu, which may be used beyond what they offer."""
    cpus = _sizes(draw, one_size=one_size)
    nodes = draw(st.integers(0, 4))
    world = World(nodes=1, cpu=8 * nodes) if one_node else World(nodes=nodes, cpu=8)
    world.quota("dept", min=36, max=draw(st.none() | st.integers(36, 40)), is_parent=True)
    teams = _teams(draw)
    for name, parent in teams.items():
        low = draw(_CPUS)
        high = draw(st.none() | st.integers(low, 30))
        world.quota(name, low, high, parent=parent, lent=draw(st.booleans()))
    for name in teams:
        for _ in range(draw(st.integers(0, 4))):
            world.pods(
                name,
                draw(st.integers(1, 4)),
                cpu=draw(cpus),
                waiting=draw(st.booleans()),
                priority=draw(st.integers(0, 2)),
                preemptible=draw(st.sampled_from([True, True, False])),
                may_preempt=may_preempt,
                bound=draw(st.booleans()),
            )
    return world


@st.composite
def lent_worlds(draw: st.DrawFn, *, may_preempt: bool, one_node: bool, one_size: bool) -> World:
    """Full nodes of 8 cpu, mostly used by one team with a small min, and others wait for theirs.

    Mins fit on the nodes in sum.
    """
    cpus = _sizes(draw, one_size=one_size)
    nodes = draw(st.integers(1, 4))
    size, count = (8 * nodes, 1) if one_node else (8, nodes)
    world = World(nodes=count, cpu=size)
    teams = _teams(draw)
    borrower = draw(st.sampled_from([*teams]))
    each = 8 * nodes // len(teams)
    mins = {name: draw(st.integers(each // 2, each)) for name in teams}
    mins[borrower] = draw(st.integers(0, 2))
    world.quota("dept", min=sum(mins.values()) - mins["loner"], is_parent=True)
    for name, parent in teams.items():
        world.quota(name, mins[name], draw(st.none() | st.just(8 * nodes)), parent=parent)
    for number in range(count):
        free = size
        while (cpu := draw(cpus)) <= free:
            free -= cpu
            world.pods(
                draw(st.sampled_from([borrower, borrower, *teams])),
                cpu=cpu,
                priority=draw(st.integers(0, 2)),
                preemptible=draw(st.sampled_from([True, True, True, False])),
                may_preempt=may_preempt,
                node=f"node-{number}",
            )
    for name in teams:
        for _ in range(draw(st.integers(0, 2))):
            world.pods(
                name,
                draw(st.integers(1, 3)),
                cpu=draw(cpus),
                waiting=True,
                priority=draw(st.integers(0, 2)),
                may_preempt=may_preempt,
            )
    return world


def _sizes(draw: st.DrawFn, *, one_size: bool) -> st.SearchStrategy[int]:
    """Whole cpus of a pod."""
    return st.just(draw(st.sampled_from((1, 2, 4)))) if one_size else st.integers(1, 5)


def _teams(draw: st.DrawFn) -> dict[str, str]:
    """Names of teams, with their parents."""
    found = {"loner": "pool-root"}
    return found | {f"team-{index}": "dept" for index in range(draw(st.integers(1, 3)))}


def bring_to_rest(world: World, policy: Policy = POLICY) -> Decisions:
    """Run cycles until nothing changes, from ``world.now`` on: a clock never goes back.

    Every evicted pod comes back gated, as its Job would make it. The scheduler binds released pods
    at once, or refuses them.
    """
    schedule(world)
    for _ in range(_ROUNDS):
        decisions = world.decide(world.now, policy)
        if not decisions.releases and not decisions.evictions and decisions.wake_at is None:
            return decisions
        world.open_gates(decisions)
        schedule(world)  # before the victims are gone
        for eviction in decisions.evictions:
            victim = world.ledger.pods[eviction.pod]
            world.ledger.delete_pod(victim.key)
            come_back(world, victim)
        schedule(world)
        world.now = max(world.now + 1, decisions.wake_at or 0)
    raise AssertionError(f"still moving after {_ROUNDS} rounds: {decisions}")


def schedule(world: World) -> None:
    """Bind released pods, or refuse them, as the scheduler would."""
    world.place_unbound()
    for pod in [*world.ledger.pods.values()]:
        if not (pod.gates or pod.node_name or pod.refused):
            world.ledger.upsert_pod(replace(pod, refused=True))


def come_back(world: World, victim: Pod) -> None:
    world.pods(
        victim.quota_label,
        cpu=victim.request["cpu"] // 1000,
        waiting=True,
        priority=victim.priority,
        may_preempt=victim.may_preempt,
    )
