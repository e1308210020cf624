"""Law: the first pod of a queue is admitted while the runtime of its quota covers it and pods end.

This holds however many small pods all quotas of the tree get, and with reclaim paused. The bound:
once the pod has been at the head for ``head_of_line``, its own quota admits no other pod, so the
pods that run there end. As soon as that leaves enough of the runtime, no quota may exceed its
runtime any more, so what others hold beyond theirs ends as well. Each of the two steps takes as
long as the longest pod runs. A quota that admits no other pod requests no more than before, so that
does not lower its runtime.
"""

import random

from hypothesis import given, reject
from hypothesis import strategies as st

import law_content
import levels
from elasticquota.model.pod import Pod
from elasticquota.scheduling.inputs.policy import Policy
from worlds import World


MINUTE = 60_000
LONGEST = 6
"""Minutes that a pod runs at most."""
POLICY = Policy(paused=True)
TEAMS = ("team-a", "team-b", "team-c")


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Three teams that hold more or less than they may, on two nodes of 8 cpu."""
    world = World(nodes=2, cpu=8)
    for team in TEAMS:
        world.quota(team, min=draw(st.integers(0, 5)), weight=draw(st.integers(1, 3)))
    left = 16
    for team in draw(st.permutations(TEAMS)):
        held = draw(st.integers(0, left))
        world.pods(team, held)
        left -= held
    return world


@law_content.about(releases=1 / 2, waits=1 / 2)
@given(worlds(), st.integers(2, 8), st.integers(1, 2), levels.DICE)
def test_the_head_of_a_queue_is_admitted_however_many_small_pods_come(
    world: World, cpu: int, small: int, dice: random.Random
) -> None:
    (large,) = world.pods("team-a", cpu=cpu, waiting=True)
    ends: dict[str, int] = {}
    within = 0
    bound = POLICY.head_of_line // MINUTE + 2 * LONGEST + 1
    for minute in range(4 * bound):
        add_small_pods(world, small, dice)
        decisions = world.decide(minute * MINUTE, POLICY)
        world.carry_out_releases(decisions)
        if not world.ledger.pods[large.key].gated:
            return
        runtime = next(s.runtime for s in decisions.statuses if s.key.name == "team-a")
        within = within + 1 if large.request["cpu"] <= runtime["cpu"] else 0
        assert within <= bound, f"{large.key} waits at minute {minute}: {decisions.waits}"
        end_some(world, ends, minute, dice)
    reject()


def add_small_pods(world: World, cpu: int, dice: random.Random) -> None:
    """Every team always has small pods waiting."""
    waiting = dict.fromkeys(TEAMS, 0)
    for pod in world.ledger.pods.values():
        waiting[pod.quota_label] += pod.gated
    for team in dice.sample(TEAMS, len(TEAMS)):
        world.pods(team, max(0, 10 - waiting[team]), cpu=cpu, waiting=True)


def end_some(world: World, ends: dict[str, int], minute: int, dice: random.Random) -> None:
    """A pod that has started runs for one minute to `LONGEST`."""
    running: list[Pod] = [pod for pod in world.ledger.pods.values() if not pod.gated]
    for pod in running:
        if ends.setdefault(pod.uid, minute + dice.randrange(LONGEST)) <= minute:
            world.ledger.delete_pod(pod.key)
