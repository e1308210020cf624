"""A waiting pod is infeasible if it could not be admitted even into an idle tree.

* It asks for more than the max of a quota on its path, or than a limit of its user there.
* No node of the tree would take it, even if all nodes were empty (``node_fit``). Where nodes may
  come, it asks for more than they may become, or than the largest of them.
* Its claims of devices cannot be counted yet (``devices.pod_claims``, ``devices.job_claims``).
* The profile of its tree is gone, so no nodes are known as the tree's own.
* Its quota, or a quota above, is paused: demand that may not run is no request, so others may use
  what it would get.
* Admission would have refused it (PD1301, PD1306, PD1307): it is in a parent quota, names a quota
  that does not exist, or its quota takes no pods of its namespace. This covers pods that the gate
  holds although the webhook did not judge them.

A group is infeasible if one of these holds for all of its pods together, or if the group is
incomplete (``pod_groups``). A job is infeasible if one holds for the whole job or for one of its
pods.

An infeasible pod does not count as request, because demand that can never run would take from pods
that can (algorithm 6, phantom demand).
"""

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Final, Literal

from elasticquota import names, quantity, resources
from elasticquota.forest import allowed_namespaces, wording
from elasticquota.forest.membership import Membership
from elasticquota.forest.user_limits import Bound
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.ledger.nodes import node_fit
from elasticquota.ledger.nodes.node_fit import NodeFit, Where
from elasticquota.model.capacity_mode import is_extended
from elasticquota.model.claims import ClaimingJob, ClaimingPod
from elasticquota.model.constraints import Constraints
from elasticquota.model.holder import Holder
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod, Size
from elasticquota.model.pools import Pools
from elasticquota.model.selector import EVERYTHING
from elasticquota.model.workload import Counted, Gang, Workload
from elasticquota.resources import Resources
from elasticquota.structs import Struct


class Infeasible(Struct, frozen=True):
    """Why a pod can never be admitted as things stand: the reason and message of its condition."""

    reason: Literal[
        "ExceedsMax",
        "NoNodeFits",
        "ProfileMissing",
        "ProvisioningRefused",
        "QuotaNotAccepted",
        "QuotaPaused",
        "WaitingForClaim",
        "WaitingForGroup",
    ]
    message: str
    starts: str = ""
    """What has to happen, where it is not what the reason asks for as a rule."""


FOR_OTHER_NODES: Final = (
    "It starts only with another node selector, affinity or toleration, or if a node for it joins "
    "the tree"
)
"""What has to happen for a pod that would fit a node that it may not use."""

Bounds = Callable[[str, Holder], tuple[Bound, ...]]
"""Returns the limits that apply to pods of a holder in a quota."""


class FeasibilityCheck:
    """Finds infeasible pods, for one forest and one set of nodes."""

    def __init__(
        self,
        members: Membership,
        fit: NodeFit,
        accounting: Accounting,
        totals: Mapping[str, Resources],
        profiles_gone: Mapping[str, Key],
        bounds: Bounds,
    ) -> None:
        """By tree id, ``totals`` are what its nodes offer, ``profiles_gone`` missing profiles."""
        self._members = members
        self._forest = members.forest
        self._accounting = accounting
        self._fit = fit
        self._totals = totals
        self._profiles_gone = profiles_gone
        self._bounds = bounds
        self._ceilings: dict[str, Resources] = {}
        self._paused: dict[str, str] = {}
        self._wheres: dict[tuple[str, Constraints], Where] = {}
        self._open_pools: dict[tuple[Where, Pools], AbstractSet[str]] = {}
        self._unhosted_sizes: dict[tuple[Where, Size], Infeasible] = {}

    def infeasible(self, pod_or_job: Counted, quota: str) -> Infeasible | None:
        """Return why a pod or job can never be admitted into ``quota``, or None."""
        misplaced = self._misplaced(pod_or_job, quota)
        if misplaced:
            return Infeasible("QuotaNotAccepted", misplaced)
        paused = self._paused_at(quota)
        if paused:
            return Infeasible("QuotaPaused", _paused(paused))
        gone = self._profiles_gone.get(self._forest.tree_of.get(quota, "-"))
        if gone is not None:
            return Infeasible("ProfileMissing", _gone(gone))
        if isinstance(pod_or_job, ClaimingPod | ClaimingJob) and pod_or_job.obstacle:
            return Infeasible("WaitingForClaim", pod_or_job.obstacle)
        if isinstance(pod_or_job, Pod):
            return (
                self._too_large(pod_or_job, quota)
                or self._exceeds_capacity(pod_or_job.request, quota)
                or self._unhosted(pod_or_job, (pod_or_job.request,), quota)
            )
        who = pod_or_job.title
        return (
            self._too_large(pod_or_job, quota, who)
            or self._exceeds_capacity(pod_or_job.request, quota, who)
            or self._unhosted(pod_or_job, pod_or_job.parts, quota)
            or self._exceeds_total(pod_or_job.request, quota, who)
        )

    def infeasible_gang(self, gang: Gang, quota: str) -> Infeasible | None:
        """Return why ``gang`` can never be admitted into ``quota`` as a whole, or None."""
        who = gang.title
        return (
            self._too_large(gang, quota, who)
            or self._exceeds_capacity(gang.request, quota, who)
            or self._exceeds_total(gang.request, quota, who)
        )

    def hosts(self, found: Counted, quota: str) -> bool:
        """Whether nodes would take a pod or job if they were empty, whatever its quotas say."""
        parts = (found.request,) if isinstance(found, Pod) else found.parts
        return self._unhosted(found, parts, quota) is None

    def open_pools(self, found: Counted, quota: str, pools: Pools) -> AbstractSet[str]:
        """Return the pools with a node that no lasting obstacle keeps it off, if it were smaller.

        With ``""`` if a node that is in no pool is open to it.
        """
        key = (self.where(quota, found), pools)
        known = self._open_pools.get(key)
        if known is None:
            known = {pools.of(node.labels) for node in self._fit.open_to(key[0])}
            self._open_pools[key] = known
        return known

    def where(self, quota: str, workload: Workload) -> Where:
        """Return on which nodes a pod may run; for a job, all nodes of ``quota``."""
        constraints = workload.constraints
        found = self._wheres.get((quota, constraints))
        if found is None:
            held = self._forest.quotas.get(quota)
            tree_id = self._forest.tree_of.get(quota, "-")
            wanted = EVERYTHING if held is None else held.nodes
            found = self._wheres[quota, constraints] = Where(tree_id, wanted, constraints)
        return found

    def _too_large(self, asking: Workload, quota: str, who: str = "") -> Infeasible | None:
        """Whether it asks for more than the max of a quota, or than its user may hold."""
        if not resources.fits(asking.request, self._ceiling(quota)):
            return self._exceeds_max(asking.request, quota, who)
        return self._exceeds_limits(asking.request, quota, asking.holder, who)

    def _unhosted(
        self, asking: Counted, parts: Iterable[Resources], quota: str
    ) -> Infeasible | None:
        """Whether no node would take one of its ``parts``."""
        where = self.where(quota, asking)
        for part in parts:
            size = frozenset(part.items())
            if not self._fit.could_host(where, size):
                known = self._unhosted_sizes.get((where, size))
                if known is None:
                    known = self._unhosted_sizes[where, size] = self._no_host(where, part)
                return known
        return None

    def _exceeds_limits(
        self, asked: Resources, quota: str, holder: Holder, who: str
    ) -> Infeasible | None:
        for (name, subject), most, _ in self._bounds(quota, holder):
            exceeding = resources.exceeding(resources.positive(asked), most)
            if exceeding:
                key = exceeding[0]
                limit = quantity.shown(key, most[key])
                where = f"{subject} may hold {limit} in quota {name}"
                if subject.kind == "all":
                    where = f"annotation {names.ADMISSION} of quota {name} is {limit}"
                return Infeasible("ExceedsMax", f"{wording.needs(asked, key, who)}; {where}")
        return None

    def _exceeds_total(self, asked: Resources, quota: str, who: str) -> Infeasible | None:
        tree_id = self._forest.tree_of.get(quota, "-")
        exceeding = resources.exceeding(asked, self._totals.get(tree_id, resources.EMPTY))
        if not exceeding or not self._fit.knows(tree_id):
            return None
        key, total = exceeding[0], self._totals[tree_id]
        return Infeasible(
            "NoNodeFits",
            f"{wording.needs(asked, key, who)}; all nodes of the tree together "
            f"offer {quantity.shown(key, total[key])}",
        )

    def _exceeds_capacity(self, asked: Resources, quota: str, who: str = "") -> Infeasible | None:
        """Whether it asks for more than an elastic tree will ever offer."""
        tree_id = self._forest.tree_of.get(quota, "-")
        to_come, total = self._fit.to_come(tree_id), self._totals.get(tree_id, resources.EMPTY)
        if to_come is None:
            return None
        asked = resources.positive(asked)
        for key in resources.exceeding(asked, total):
            return Infeasible(
                "ExceedsMax",
                f"{wording.needs(asked, key, who)}; the tree offers at most "
                f"{quantity.shown(key, total[key])} by the capacity of its profile",
            )
        for key in sorted(asked):
            if is_extended(key) and key not in total and key != names.MAX_JOBS:
                return Infeasible(
                    "ExceedsMax",
                    f"{wording.needs(asked, key, who)}; the capacity of the tree's profile does "
                    f"not name {key} in its max, and no node offers it",
                )
        return None

    def _misplaced(self, pod: Counted, quota: str) -> str:
        """Why admission would have refused ``pod``; empty: it would not."""
        tree = self._forest.tree_of.get(quota)
        if self._members.unknown_label(pod) and self._accounting.unknown_refused.holds_in(tree):
            return (
                f"there is no quota '{pod.quota_label}'. Correct the name, or create that quota "
                "[PD1306]"
            )
        held = self._forest.quotas.get(quota)
        in_parent = held is not None and held.is_parent
        if in_parent and self._accounting.in_parents_refused.holds_in(tree):
            return (
                f"'{quota}' is a parent quota, which holds quotas and no pods. Name one of its "
                "leaf quotas [PD1301]"
            )
        refusal = allowed_namespaces.refusal(pod, self._members)
        if refusal is not None and self._accounting.refuses(refusal.rule, tree):
            return f"{refusal.why}. Name a quota of your own [PD1307]"
        return ""

    def _paused_at(self, quota: str) -> str:
        """The paused quota that holds the pods of ``quota``; empty if there is none."""
        if quota not in self._paused:
            self._paused[quota] = self._forest.paused_at(quota)
        return self._paused[quota]

    def _ceiling(self, quota: str) -> Resources:
        """The smallest max of the quota and all above it; a missing key is unlimited."""
        found = self._ceilings.get(quota)
        if found is None:
            found = {}
            for name in self._forest.path(quota):
                found = resources.minimum(found, self._forest.quotas[name].max)
            self._ceilings[quota] = found
        return found

    def _exceeds_max(self, asked: Resources, quota: str, who: str) -> Infeasible:
        path = self._forest.path(quota)
        name, exceeding = next(
            (name, keys)
            for name in path
            if (keys := resources.exceeding(asked, self._forest.quotas[name].max))
        )
        key, limit = exceeding[0], self._forest.quotas[name].max
        return Infeasible(
            "ExceedsMax",
            f"{wording.needs(asked, key, who)}; the limit of quota {name} is "
            f"{quantity.shown(key, limit[key])}",
        )

    def _no_host(self, where: Where, request: Resources) -> Infeasible:
        """Why no node takes the pod: the amount that is too large, or what keeps it off nodes."""
        to_come = self._fit.to_come(where.tree_id)
        if to_come is not None and to_come.largest_node is not None:
            for key in resources.exceeding(resources.positive(request), to_come.largest_node):
                return Infeasible(
                    "NoNodeFits",
                    f"{wording.needs(request, key)}; the largest node of the "
                    f"tree offers {quantity.shown(key, to_come.largest_node[key])} by the capacity "
                    "of its profile, and no present node more",
                )
        for key, amount in sorted(request.items()):
            most = self._fit.largest(where, key)
            if most is not None and amount > most and key != names.PODS:
                return Infeasible(
                    "NoNodeFits",
                    f"{wording.needs(request, key)}; the largest node "
                    f"{'of the tree' if not self._fit.lasting(where) else 'for it'} "
                    f"offers {quantity.shown(key, most)}",
                )
        lasting = self._fit.lasting(where)
        if lasting:
            message = f"no node of the tree is for it: {node_fit.listed(lasting)}"
            return Infeasible("NoNodeFits", message, FOR_OTHER_NODES)
        return Infeasible("NoNodeFits", "no single node of the tree offers all that it needs")


def _gone(profile: Key) -> str:
    return f"profile {profile} is gone, so no nodes are known as those of its tree"


def _paused(quota: str) -> str:
    return f"quota {quota} is paused (spec.paused); no pod in it or below it starts meanwhile"
