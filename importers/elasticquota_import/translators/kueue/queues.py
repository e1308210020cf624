"""Translates Kueue's Cohorts and ClusterQueues into a tree of quotas.

A ClusterQueue is a quota, and a Cohort the parent of its members; both keep their names.

* min: ``nominalQuota``. That of a Cohort is what it has itself and the sum of its members'.
* max: ``nominalQuota`` and ``borrowingLimit``. Without a limit a member may borrow all that its
  tree of cohorts has, so that is its max. A tree has no more than its own sum, and a ClusterQueue
  without a cohort borrows nothing.
* A resource that a ClusterQueue does not cover cannot be used in it: if another one covers it, it
  has a max of 0 here. This does not concern ``pods``, which Kueue counts only where it is covered.
* Weight: ``fairSharing.weight``, 1 by default, for all members of a cohort.
* A ``lendingLimit`` of 0 for all that it has: it lends nothing. Ours knows no partial limit.
* ``StrictFIFO``: no pod passes an earlier one.
* Several flavors of a resource are pools (``pools``), each with limits of its own.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from elasticquota import names, quantity, resources
from elasticquota.integrations.translation import assembly, translation
from elasticquota.integrations.translation.translation import (
    Draft,
    Translation,
    TranslationWarning,
)
from elasticquota.model.pools import Pools
from elasticquota.model.selector import EVERYTHING
from elasticquota.resources import Resources
from elasticquota.structs import replace
from elasticquota.wire.codec import fields
from elasticquota_import.manifests import kueue_queues
from elasticquota_import.manifests.kueue_queues import (
    ClusterQueue,
    Cohort,
    Flavor,
    LocalQueue,
    Preemption,
)
from elasticquota_import.translators import lineage, weights
from elasticquota_import.translators.kueue import bindings, flavors, pools, tree
from elasticquota_import.translators.kueue.bindings import Bindings
from elasticquota_import.translators.kueue.flavors import Flavors
from elasticquota_import.translators.kueue.tree import CohortTree


HOME: Final = "kube-system"
_OURS: Final = Preemption("Any", "LowerPriority", "Never")
"""What our quotas do: a min is reclaimed, and a quota's own pods of lower priority give way."""


class KueueObjects(NamedTuple):
    """The objects that say something about quotas."""

    cohorts: tuple[Cohort, ...] = ()
    cluster_queues: tuple[ClusterQueue, ...] = ()
    local_queues: tuple[LocalQueue, ...] = ()
    flavors: tuple[Flavor, ...] = ()
    namespaces: frozenset[str] = frozenset()
    """Names that no quota may take, besides those of the namespaces of LocalQueues."""


def translate(objects: KueueObjects, home: str = HOME) -> Translation:
    """Translate the objects; the quotas are in the namespace ``home``."""
    warnings: list[TranslationWarning] = []
    cohort_tree = tree.of((*objects.cohorts, *objects.cluster_queues), warnings)
    known = _flavors(objects.flavors, warnings)
    queues = {
        tree.queue_key(each.name) for each in objects.cluster_queues
    } & cohort_tree.paths.keys()
    called = {cohort_tree.members[key].name for key in queues}
    bound = bindings.of(objects.local_queues, called, warnings)
    in_pools = pools.of(cohort_tree, known)
    warnings += pools.warnings(cohort_tree, in_pools)
    drafts = []
    for key, member in cohort_tree.members.items():
        warnings += translation.of_faults(tree.source(member), member.faults)
        if key in cohort_tree.paths:
            draft = _in_pools(
                _draft(key, cohort_tree, home, known, bound), key, cohort_tree, in_pools
            )
            warnings += flavors.warnings(member, draft, known, in_pools)
            warnings += _warnings(key, cohort_tree, draft)
            drafts.append(draft)
    spaces = objects.namespaces | {each.key.namespace for each in objects.local_queues}
    made = assembly.build(drafts, warnings, spaces)
    return made if in_pools is None else replace(made, profiles=(pools.profile(in_pools, home),))


def origins(queues: Iterable[LocalQueue]) -> Mapping[tuple[str, str], str]:
    """By namespace and name of a LocalQueue, the origin of the quota to which it leads."""
    return {
        (each.key.namespace, each.key.name): tree.origin(tree.queue_key(each.cluster_queue))
        for each in queues
    }


def _flavor_source(flavor: Flavor) -> str:
    return f"{kueue_queues.FLAVOR} {fields.shown_key(flavor.name)}"


def _flavors(found: Iterable[Flavor], warnings: list[TranslationWarning]) -> Flavors:
    known = lineage.named(found, lambda each: each.name, _flavor_source, warnings)
    warnings += flavors.of_objects(known)
    return known


def _draft(key: str, cohort_tree: CohortTree, home: str, known: Flavors, bound: Bindings) -> Draft:
    member, path = cohort_tree.members[key], cohort_tree.paths[key]
    has = cohort_tree.sums[key]
    is_first = len(path) == 1
    queue = member if isinstance(member, ClusterQueue) else None
    return Draft(
        path,
        tree.source(member),
        "spec",
        home,
        origin=tree.origin(key),
        name=member.name,
        min=has.nominal,
        max=_max(key, cohort_tree),
        is_parent=queue is None,
        namespaces=bound.bound.get(member.name, ()) if queue else (),
        nodes=flavors.nodes(queue, known) if queue else EVERYTHING,
        shared_weight=None if is_first else _weight(key, cohort_tree),
        allow_lent=is_first or not has.lends_nothing,
        strict_queue=queue is not None and queue.strict,
        allowed_namespaces=_allowed(member.name, bound) if queue else None,
    )


def _in_pools(draft: Draft, key: str, cohort_tree: CohortTree, in_pools: Pools | None) -> Draft:
    """The draft below the profile's root quota, with what it has of each flavor."""
    if in_pools is None:
        return draft
    inside = pools.most(key, cohort_tree, in_pools)
    weight = draft.shared_weight
    if weight is not None:
        stated = cohort_tree.members[key].weight
        one = weights.WHOLE if stated is None else stated
        weight = {**weight, **weights.shared(one, sorted(inside), cohort_tree.divisor)}
    return draft._replace(
        min={**draft.min, **pools.least(key, cohort_tree, in_pools)},
        max={**draft.max, **inside},
        shared_weight=weight,
        below=pools.ROOT,
    )


def _max(key: str, cohort_tree: CohortTree) -> Resources:
    has = cohort_tree.sums[key]
    most = dict.fromkeys(cohort_tree.covered - {names.PODS}, 0)
    most |= (
        has.nominal
        if len(cohort_tree.paths[key]) == 1
        else {
            **resources.masked(cohort_tree.total(key), has.nominal),
            **has.most,
        }
    )
    if not has.counts_pods:
        most.pop(names.PODS, None)
    return most


def _weight(key: str, cohort_tree: CohortTree) -> Resources:
    stated = cohort_tree.members[key].weight
    weight = weights.WHOLE if stated is None else stated
    return weights.shared(weight, sorted(cohort_tree.covered), cohort_tree.divisor)


def _allowed(name: str, bound: Bindings) -> tuple[str, ...]:
    own = bound.bound.get(name, ())
    return tuple(space for space in bound.allowed.get(name, ()) if space not in own)


def _warnings(key: str, cohort_tree: CohortTree, draft: Draft) -> Iterator[TranslationWarning]:
    member, has = cohort_tree.members[key], cohort_tree.sums[key]
    for other in member.others:
        yield draft.warning(other, "is not taken over")
    if member.weight == 0:
        text = "0 means last of all over there; here it is the smallest weight, 0.001"
        yield draft.warning("fairSharing.weight", text)
    yield from _of_limits(key, cohort_tree, draft)
    if has.lent and draft.allow_lent and len(draft.path) > 1:
        figures = ", ".join(
            f"{quantity.text(name, amount)} of {quantity.text(name, has.nominal[name])} {name}"
            for name, amount in sorted(has.lent.items())
        )
        text = f"lends at most {figures}; here all of it is lent, and reclaimed when it is needed"
        yield draft.warning("resourceGroups", text)
    if isinstance(member, ClusterQueue):
        yield from _of_queue(member, draft)


def _of_limits(key: str, cohort_tree: CohortTree, draft: Draft) -> Iterator[TranslationWarning]:
    if len(draft.path) > 1:
        return
    for group in cohort_tree.members[key].groups:
        for each in group:
            for side, limits in (("borrowing", each.borrowing), ("lending", each.lending)):
                if limits:
                    text = f"a {side}Limit means nothing without a cohort above; left out"
                    yield TranslationWarning(draft.source, f"{each.where}.resources", text)


def _of_queue(queue: ClusterQueue, draft: Draft) -> Iterator[TranslationWarning]:
    if queue.stop != kueue_queues.NONE:
        text = f"{queue.stop} is not taken over: its pods may start"
        yield draft.warning("stopPolicy", text)
    if queue.selects == "none":
        text = "is not given, so no namespace may use it; here those of its LocalQueues may"
        yield draft.warning("namespaceSelector", text)
    elif queue.selects == "some":
        text = "is not evaluated; the namespaces of its LocalQueues may use it"
        yield draft.warning("namespaceSelector", text)
    preemption = queue.preemption
    if preemption.reclaim != _OURS.reclaim and len(draft.path) > 1:
        text = f"{preemption.reclaim}; here a quota reclaims what it lent as soon as it needs it"
        yield draft.warning("preemption.reclaimWithinCohort", text)
    if preemption.within != _OURS.within:
        text = f"{preemption.within}; here pods of lower priority in the same quota give way"
        yield draft.warning("preemption.withinClusterQueue", text)
    if preemption.borrow != _OURS.borrow:
        text = f"{preemption.borrow}; here no pod is preempted for a pod that borrows by priority"
        yield draft.warning("preemption.borrowWithinCohort", text)
