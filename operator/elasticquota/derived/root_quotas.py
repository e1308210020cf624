"""The root quota of a profile, and the profile's status (K 3, semantics 5).

min is what the profile's nodes offer after the ratio, max is practically unlimited; both are
replaced whole whenever nodes change. Of the profile's ``quotaLabels`` those for the place or the
owner of a quota are ignored: the profile itself sets them for its root.
"""

from collections.abc import Mapping

from elasticquota import names, pool_keys, resources
from elasticquota.derived import pools_text, replaced_definitions, totals_text, tree_settings
from elasticquota.forest import profile_conflicts, violation, wording
from elasticquota.forest.violation import Violation
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.ledger import Ledger
from elasticquota.model import tree_ids
from elasticquota.model.capacity_mode import NODES
from elasticquota.model.decision import Condition, ProfileStatus, RootQuota
from elasticquota.model.key import Key
from elasticquota.model.profile import Profile
from elasticquota.model.quota import Quota
from elasticquota.resources import Resources
from elasticquota.sharing.capacity import TreeCapacity


KEPT_FOR = 30_000
"""How long a root quota stays without its profile and all below it, in milliseconds.

Others may still read it: a tool that deletes profile and quotas one by one deletes the root last.
"""

_MOST_KEYS = 64
"""Resources that max may name, as in the schema."""


def wanted(ledger: Ledger, cluster: ClusterSnapshot) -> tuple[RootQuota, ...]:
    """Root quotas of all profiles that can have one of their own."""
    return tuple(
        _root(profile, cluster.capacities[key])
        for key, profile in sorted(ledger.profiles.items())
        if profile.quota_name
        and not profile.selects_unknown
        and _obstacle(profile, ledger, cluster) is None
        and not _leaves(key.namespace, ledger)
    )


def orphaned_since(ledger: Ledger, cluster: ClusterSnapshot, now: int) -> Mapping[Key, int]:
    """Since when root quotas have no profile and nothing below them, by the ledger's clocks.

    ``now`` in milliseconds of these clocks.
    """
    before = ledger.clocks.orphaned_since
    return {
        quota.key: before.get(quota.key, now)
        for quota in _without_profile(ledger)
        if not _in_use(quota, ledger, cluster)
    }


def missing_profile(quota: Quota, ledger: Ledger) -> bool:
    """The quota is the root of a profile that does not exist."""
    return quota.profile_key is not None and quota.profile_key not in ledger.profiles


def statuses(ledger: Ledger, cluster: ClusterSnapshot) -> tuple[ProfileStatus, ...]:
    """The status of each profile."""
    return tuple(
        ProfileStatus(
            key=key,
            tree_id=tree_ids.of(profile),
            nodes=cluster.capacities[key].nodes,
            generation=profile.generation,
            conditions=_conditions(profile, ledger, cluster),
            mode=cluster.capacities[key].mode.mode,
            total=cluster.capacities[key].total,
            present=_present_of_total(cluster.capacities[key]),
        )
        for key, profile in sorted(ledger.profiles.items())
    )


def _leaves(namespace: str, ledger: Ledger) -> bool:
    """Whether the namespace terminates: nothing can be created in it."""
    found = ledger.namespaces.get(namespace)
    return found is not None and found.terminating


def _root(profile: Profile, tree_capacity: TreeCapacity) -> RootQuota:
    key = Key(profile.key.namespace, profile.quota_name)
    keys = _keys(profile, tree_capacity)
    return RootQuota(
        key=key,
        labels={
            **{
                key: value
                for key, value in profile.quota_labels.items()
                if key not in names.LABELS_OF_ROOTS
            },
            **tree_ids.root_labels(profile),
        },
        annotations={
            **totals_text.annotations(tree_capacity.total, tree_capacity.unschedulable),
            **_present(tree_capacity),
        },
        min={key: tree_capacity.total.get(key, 0) for key in keys},
        max={key: resources.unlimited(key) for key in keys},
        # A mode in force stays so while the profile's cannot be read.
        tree=tree_settings.of(profile, tree_capacity),
        not_annotated=() if tree_capacity.mode.elastic else (names.PRESENT_RESOURCE,),
    )


def _present(found: TreeCapacity) -> Mapping[str, str]:
    if not found.mode.elastic:
        return {}
    return {names.PRESENT_RESOURCE: totals_text.one(found.present)}


def _keys(profile: Profile, found: TreeCapacity) -> tuple[str, ...]:
    """The resources of the root quota, and those of them that are counted by pool.

    The schema allows so many. A pool key that does not fit is shared once a quota bounds it.
    """
    keys = profile.resource_keys
    plain = [key for key in found.total if not pool_keys.is_reserved(key)]
    if keys is None:
        keys = tuple(key for key in plain if _shared_by_default(key))
    inside = [key for key in found.total if pool_keys.resource(key) in keys and key not in keys]
    return (*keys, *inside[: max(0, _MOST_KEYS - len(keys))])


def _shared_by_default(key: str) -> bool:
    """cpu, memory and every extended resource (which have a domain in their name)."""
    return key in (names.CPU, names.MEMORY) or "/" in key


def _conditions(
    profile: Profile, ledger: Ledger, cluster: ClusterSnapshot
) -> tuple[Condition, ...]:
    tree_capacity = cluster.capacities[profile.key]
    faults = [violation.of_fault("EP1201", fault).line for fault in profile.faults]
    if obstacle := _obstacle(profile, ledger, cluster):
        faults.append(obstacle.line)
    if profile.capacity_unknown:
        faults.append(f"mode {tree_capacity.mode.mode} stays in force as the capacity of the tree")
    root = profile.quota_name
    if faults:
        ready = Condition("Ready", False, "InvalidSpec", wording.listed(faults, "; "))
    elif root and Key(profile.key.namespace, root) not in ledger.quotas:
        # Who waits for Ready creates quotas below the root next.
        ready = Condition("Ready", False, "RootQuotaMissing", f"root quota {root} is not there yet")
    elif tree_capacity.mode != NODES:
        ready = Condition("Ready", True, "TreeReady", _grown(profile, tree_capacity))
    elif tree_capacity.nodes == 0:
        text = "no node matches spec.nodeSelector"
        if tree_capacity.overlapping:
            text = "every node that matches spec.nodeSelector belongs to an older profile"
        ready = Condition("Ready", False, "NoNodes", text)
    else:
        shared = f"{wording.counted(tree_capacity.nodes, 'node')}{pools_text.nodes(tree_capacity)}"
        text = f"root quota {profile.quota_name} shares {shared}"
        ready = Condition("Ready", True, "TreeReady", text)
    more = [Condition("Stalled", True, ready.reason, ready.message)] if faults else []
    if tree_capacity.overlapping:
        nodes = wording.named(tree_capacity.overlapping)
        text = f"nodes that an older profile owns are not counted here: {nodes}"
        more.append(Condition("NodesOverlap", True, "OwnedByOlderProfile", text))
    return (ready, *more, *replaced_definitions.conditions(ledger.lacking))


def _present_of_total(found: TreeCapacity) -> Resources:
    return {key: found.present.get(key, 0) for key in found.total}


def _grown(profile: Profile, tree_capacity: TreeCapacity) -> str:
    """How large a tree is whose nodes do not say it."""
    total = wording.amounts(tree_capacity.total)
    if not tree_capacity.mode.elastic:
        return f"root quota {profile.quota_name} shares {total} as declared"
    present = _present_of_total(tree_capacity)
    beyond = wording.amounts(resources.positive(resources.subtract(present, tree_capacity.total)))
    more = f"; {beyond} of it are beyond max and are not shared" if beyond else ""
    nodes = wording.counted(tree_capacity.nodes, "node")
    verb = "offers" if tree_capacity.nodes == 1 else "offer"
    return (
        f"root quota {profile.quota_name} shares at most {total}; its {nodes} {verb} "
        f"{wording.amounts(present)}{more}"
    )


def _obstacle(profile: Profile, ledger: Ledger, cluster: ClusterSnapshot) -> Violation | None:
    """Why this profile may not have its root quota: another object has its place."""
    older = cluster.capacities[profile.key].older
    rivals = () if older is None else profile_conflicts.shared(profile, ledger.profiles[older])
    found = profile_conflicts.reserved(profile) or next(iter(rivals), None)
    return found or profile_conflicts.taken(profile, cluster.forest)


def _without_profile(ledger: Ledger) -> list[Quota]:
    roots = [ledger.quotas[key] for key in sorted(ledger.roots)]
    return [quota for quota in roots if missing_profile(quota, ledger)]


def _in_use(quota: Quota, ledger: Ledger, cluster: ClusterSnapshot) -> bool:
    children: Mapping[str, tuple[str, ...]] = {}
    tree_id = cluster.forest.tree_of.get(quota.name)
    if tree_id is not None:
        children = cluster.forest.trees[tree_id].children
    account = cluster.account(quota.name)
    named_as_parent = any(other.parent == quota.name for other in ledger.quotas.values())
    return bool(children.get(quota.name) or named_as_parent or account.running or account.gated)
