"""The sums on the path of a pod from its quota to the root: admitted + request <= runtime.

These are the sums of admission (``scheduling.snapshot.tree_snapshot``), one for each quota and
resource. At the root the limit is what the nodes offer. That includes resources that no quota
shares, such as pod slots; these are shown only when they are short.
"""

from collections.abc import Iterator

from elasticquota import resources
from elasticquota.model.workload import Counted
from elasticquota.resources import Resources
from elasticquota_cli.printers import amount
from elasticquota_cli.why.computed.moment import Moment
from elasticquota_cli.why.parts.step import PathStep


def of(moment: Moment, quota: str, pod: Counted, *, waits: bool) -> tuple[PathStep, ...]:
    """The steps from the quota to the root; empty for a quota in no tree."""
    forest, cluster = moment.cluster.forest, moment.cluster
    if quota not in forest.tree_of:
        return ()
    tree = cluster.trees[forest.tree_of[quota]]
    request = resources.positive(moment.sized(pod).request)
    steps: list[PathStep] = []
    if not forest.is_leaf(quota):
        released = moment.being_released(quota, pod, below=False)
        own = resources.add(cluster.account(quota).admitted, released)
        limit = tree.runtimes.own_runtime(quota)
        sums = _sums(quota, request, own, limit, waits=waits, itself=True)
        steps.extend(step for step in sums if step.key in limit)
    for name in forest.path(quota):
        limit, admitted = tree.runtimes.runtime(name), tree.admitted[name]
        at_nodes = name == tree.tree.root
        offered, taken = tree.at_nodes() if at_nodes else (limit, admitted)
        held = resources.add(taken, moment.being_released(name, pod))
        sums = _sums(
            name,
            request,
            held,
            offered,
            low=forest.effective_min(name),
            high=forest.quotas[name].max,
            waits=waits,
            at_nodes=at_nodes,
        )
        steps.extend(step for step in sums if step.key in limit or step.missing)
    return tuple(steps)


def _sums(
    quota: str,
    request: Resources,
    held: Resources,
    limit: Resources,
    low: Resources = resources.EMPTY,
    high: Resources = resources.EMPTY,
    *,
    waits: bool,
    at_nodes: bool = False,
    itself: bool = False,
) -> Iterator[PathStep]:
    for key in amount.ordered(request):
        yield PathStep(
            quota=quota,
            key=key,
            admitted=held.get(key, 0),
            asked=request[key] if waits else 0,
            limit=limit.get(key),
            min=low.get(key, 0),
            max=high.get(key),
            at_nodes=at_nodes,
            itself=itself,
        )
