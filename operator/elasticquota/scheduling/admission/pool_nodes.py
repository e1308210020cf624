"""Pool nodes: a released pod that is counted in a pool is sent to the nodes of this pool.

Its required node affinity gets their labels, together with the ungating. Until the pod has it, or a
node, the next cycles count it in the pool for which it was released.
"""

from collections.abc import Iterable, Iterator, Mapping

from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.ledger import Ledger
from elasticquota.model import pools as pools_of
from elasticquota.model.decision import Release
from elasticquota.model.workload import Counted
from elasticquota.structs import replace


def chosen(
    ledger: Ledger,
    cluster: ClusterSnapshot,
    before: Mapping[str, str],
    released: Mapping[str, Counted],
) -> Mapping[str, str]:
    """By uid, the pools of what was released, in this cycle or before, and may go to several.

    What waits again may go to any. ``released``: by uid, as it counts now.
    """
    flexible = cluster.flexible
    now = {
        uid: pools_of.named(part.request) for uid, part in released.items() if part.key in flexible
    }
    still = {
        each.uid: before[each.uid]
        for key, each in (flexible.items() if before else ())
        if each.uid in before
        and (pod_or_job := cluster.index.counted(key)) is not None
        and not ledger.is_gated(pod_or_job)
    }
    return {**still, **now}


def narrowed(
    cluster: ClusterSnapshot, releases: Iterable[Release], chosen: Mapping[str, str]
) -> Iterator[Release]:
    """Send each released pod that is counted in a pool to the nodes of this pool.

    ``chosen``: by uid, the pools of those that may go to several. A tree in observe mode sends no
    pod anywhere.
    """
    for each in releases:
        observed = each.quota in cluster.observed
        tree_id = None if observed else cluster.forest.tree_of.get(each.quota)
        pools = None if tree_id is None else cluster.pools.get(tree_id)
        pod_or_job = None if pools is None else cluster.index.counted(each.pod)
        pool = pod_or_job and (chosen.get(each.uid) or pools_of.named(pod_or_job.request))
        if pool and pools is not None and pool in pools.names:
            yield replace(each, nodes=each.nodes.within(pools.selector(pool)))
        else:
            yield each
