"""Law: what exceeds a limit is evicted no earlier than the delay after the limit is exceeded.

However long a quota has held more than its runtime before: no pod gained from that.
"""

import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

import law_content
from departments import POLICY, bring_to_rest, worlds
from elasticquota import resources
from elasticquota.model.key import Key
from elasticquota.structs import replace
from worlds import ROOT, TREE, World


LATER = 100 * POLICY.delay


def exceeded(world: World) -> bool:
    """Whether a quota holds more cpu than its max, or the tree more than its nodes offer."""
    cluster = world.ledger.update(POLICY.accounting)
    held = {name: amounts.get("cpu", 0) for name, amounts in cluster.trees[TREE].admitted.items()}
    offered = sum(node.allocatable["cpu"] for node in world.ledger.nodes.values())
    maxes = {name: cluster.forest.quotas[name].max.get("cpu") for name in held}
    return held[ROOT] > offered or any(
        most is not None and held[name] > most for name, most in maxes.items()
    )


@law_content.about(limits=1 / 4)
@pytest.mark.parametrize("limit", ["max", "nodes"])
@given(worlds(), st.integers(0, 8))
def test_a_limit_that_is_exceeded_now_evicts_no_pod_before_its_delay(
    limit: str, world: World, size: int
) -> None:
    with law_content.aside():
        bring_to_rest(world)
        world.decide(LATER, POLICY)
        world.decide(2 * LATER, POLICY)
    assume(not exceeded(world))
    event("above its runtime for long" if world.ledger.clocks.over_since else "within its runtime")
    if limit == "nodes":
        assume(world.ledger.nodes)
        world.ledger.delete_node(max(world.ledger.nodes))
    else:
        quota = world.ledger.quotas[Key("teams", "team-0")]
        low = resources.cut(quota.min, {"cpu": 1000 * size})
        world.ledger.upsert_quota(replace(quota, min=low, max={"cpu": 1000 * size}))
    if exceeded(world):
        law_content.note("limits")
    for now in (2 * LATER, 2 * LATER + POLICY.delay - 1):
        evictions = world.decide(now, POLICY).evictions
        assert not any(each.right == "limit" for each in evictions)
