"""Law: at rest, no pod waits that fits idle nodes and every max on its path.

Exceptions: a pod within a min on its path waits and comes first, or a quota that does not lend
keeps its min, or others wait for an admitted pod that has no node yet.
Head-of-line protection is off here, because it keeps room idle (``world/test_at_rest``).
"""

from collections.abc import Iterable

from hypothesis import event, given

import law_content
from departments import POLICY, bring_to_rest, worlds
from elasticquota.model.node import Node
from elasticquota.model.workload import Counted
from elasticquota.structs import replace
from worlds import TREE, World


def nodes(world: World) -> Iterable[tuple[str, Node]]:
    return world.ledger.nodes.items()


def on(world: World, node: str) -> int:
    """What the pods on a node hold, in thousandths of a cpu."""
    pods = world.ledger.pods.values()
    return sum(pod.request["cpu"] for pod in pods if pod.node_name == node and not pod.gated)


@law_content.about(releases=1 / 6, waits=1 / 2, evictions=1 / 4)
@given(worlds())
def test_at_rest_no_room_is_idle_that_a_waiting_pod_could_use(world: World) -> None:
    bring_to_rest(world, replace(POLICY, head_of_line=0))
    books = world.ledger.update(POLICY.accounting)
    tree = books.trees[TREE]
    held = {name: amounts.get("cpu", 0) for name, amounts in tree.admitted.items()}
    quotas = {quota.name: quota for quota in world.ledger.quotas.values()}
    free = tree.available.get("cpu", 0) - held["pool-root"]
    largest = max(
        (node.allocatable["cpu"] - on(world, name) for name, node in nodes(world)), default=0
    )

    def cpu(pod_or_job: Counted) -> int:
        return pod_or_job.request["cpu"]

    waiting = [
        (name, pod)
        for name, account in books.accounts.items()
        for pod in account.waiting
        if pod.preemptible
        or cpu(pod) + books.account(name).non_preemptible.get("cpu", 0)
        <= quotas[name].min.get("cpu", 0)
    ]
    event("an admitted pod has no node" if on(world, "") else "all admitted pods have nodes")
    if on(world, "") or any(
        held[above] + cpu(pod) <= quotas[above].min["cpu"]
        for name, pod in waiting
        for above in books.forest.path(name)[:-1]
    ):
        return
    if any(
        not quota.allow_lent and held[quota.name] < quota.min["cpu"] for quota in quotas.values()
    ):
        return
    for name, pod in waiting:
        beyond_a_max = any(
            held[above] + cpu(pod) > quotas[above].max.get("cpu", 2**62)
            for above in books.forest.path(name)
        )
        assert beyond_a_max or cpu(pod) > free or cpu(pod) > largest
