"""ResourceFlavors as pools: each flavor of a resource has limits of its own.

Where a resource has several flavors, a profile with these flavors as pools is written, and below
its root quota each quota bounds each of them:

* min: the ``nominalQuota`` in the flavor, of a Cohort with those of its members.
* max: with the ``borrowingLimit`` in the flavor, else what the tree of cohorts has in it. A flavor
  that a ClusterQueue does not name has a max of 0.

The sums over all flavors stay, so what is promised as a whole is promised here too. The order of
preference is that of the first ClusterQueue by name; a flavor without labels comes last, because it
has every node. Flavors that no node labels tell apart are no pools, and only their sums count.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from elasticquota import names, pool_keys
from elasticquota.integrations.translation.translation import TranslationWarning
from elasticquota.model.key import Key
from elasticquota.model.pools import Pool, Pools
from elasticquota.model.profile import Profile
from elasticquota.model.selector import EVERYTHING
from elasticquota.resources import Resources
from elasticquota.wire.quota import pools as written
from elasticquota_import.manifests.kueue_queues import ClusterQueue, Flavor
from elasticquota_import.translators.kueue import tree
from elasticquota_import.translators.kueue.tree import CohortTree


PROFILE: Final = "kueue"
ROOT: Final = "kueue-root"


def of(cohort_tree: CohortTree, known: Mapping[str, Flavor]) -> Pools | None:
    """Return the pools of all queues; None: no resource has flavors with labels of their own."""
    listed = [
        [flavor.name for flavor in group]
        for key in sorted(cohort_tree.paths)
        for group in cohort_tree.members[key].groups
        if len(group) > 1
    ]
    flavors = list(dict.fromkeys(name for each in listed for name in each))
    if not flavors or any(name not in known for name in flavors):
        return None
    flavors.sort(key=lambda name: not known[name].labels)
    pools = [Pool(_called(name), tuple(sorted(known[name].labels.items()))) for name in flavors]
    for index, pool in enumerate(pools):
        if len(pool.name) > written.LONGEST:
            return None
        if any(written.overlap(earlier, pool) for earlier in pools[:index]):
            return None
    counted = {
        resource
        for each in cohort_tree.sums.values()
        for flavor, resource in each.pairs
        if flavor in flavors and resource != names.PODS and pool_keys.key("pool", resource)
    }
    return Pools(tuple(pools), tuple(sorted(counted))) if counted else None


def profile(pools: Pools, home: str) -> Profile:
    """The profile of all nodes with these pools; its root quota is above all cohorts."""
    return Profile(Key(home, PROFILE), "", "", ROOT, EVERYTHING, pools=pools)


def least(key: str, cohort_tree: CohortTree, pools: Pools | None) -> Resources:
    """What is guaranteed in each pool."""
    if pools is None:
        return {}
    return {
        inside: cohort_tree.sums[key].pairs.get(pair, 0)
        for pair, inside in _pairs(cohort_tree, pools)
    }


def most(key: str, cohort_tree: CohortTree, pools: Pools | None) -> Resources:
    """What may be used of each pool."""
    if pools is None:
        return {}
    own, path = cohort_tree.sums[key], cohort_tree.paths[key]
    total = cohort_tree.sums[path[0]].pairs
    limits: dict[str, int] = {}
    for pair, inside in _pairs(cohort_tree, pools):
        nominal = own.pairs.get(pair)
        if nominal is None:
            limits[inside] = 0
        elif len(path) == 1:
            limits[inside] = nominal
        elif pair in own.limits:
            limits[inside] = nominal + own.limits[pair]
        else:
            limits[inside] = total.get(pair, nominal)
    return limits


def warnings(cohort_tree: CohortTree, pools: Pools | None) -> Iterator[TranslationWarning]:
    """A warning for each ClusterQueue that prefers the flavors in another order."""
    if pools is None:
        return
    for key in sorted(cohort_tree.paths):
        member = cohort_tree.members[key]
        # The order that a Cohort lists them in means nothing.
        for index, group in enumerate(member.groups if isinstance(member, ClusterQueue) else ()):
            own = [_called(flavor.name) for flavor in group]
            here = [name for name in pools.names if name in own]
            if len(own) > 1 and own != here:
                yield TranslationWarning(
                    tree.source(member),
                    f"spec.resourceGroups[{index}].flavors",
                    f"prefers {', '.join(own)}; the order of a tree is one for all its quotas, "
                    f"and that is {', '.join(here)}",
                )


def _pairs(cohort_tree: CohortTree, pools: Pools) -> Iterator[tuple[tuple[str, str], str]]:
    """Each flavor and resource that is counted by pool, with its key."""
    pairs = {pair for each in cohort_tree.sums.values() for pair in each.pairs}
    for flavor, resource in sorted(pairs):
        if _called(flavor) in pools.names and pools.counts(resource):
            yield (flavor, resource), pool_keys.key(_called(flavor), resource)


def _called(flavor: str) -> str:
    """The name of the pool: that of a flavor may have dots."""
    return flavor.replace(".", "-")
