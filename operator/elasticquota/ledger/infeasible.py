"""A misfit is a waiting pod that could not be admitted even into an idle tree.

It asks for more than max of some quota on its path, or a limit of its user there, allows, or no
node of the tree would take it if all were empty (``node_fit``).
Or it is not where admission would have let it be (PD1301, PD1306, PD1307): in a parent quota, by
the name of a quota that there is not, or in one that takes no pods of its namespace; pods that the
gate holds without the webhook are told so here.
A group is one where it does so as a whole, or is not complete (``groups``), and a job where it does
so as a whole or one of its pods does.
It does not count as request, because demand that can never run would take from those who can
(algorithm 6, phantom demand).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from elasticquota import names, quantity, resources
from elasticquota.forest import allowed_namespaces
from elasticquota.forest.membership import Membership
from elasticquota.forest.user_limits import Bound
from elasticquota.ledger import node_fit
from elasticquota.ledger.accounting import Accounting
from elasticquota.ledger.node_fit import NodeFit, Where
from elasticquota.model.constraints import EVERYWHERE, Constraints
from elasticquota.model.holder import Holder
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod
from elasticquota.model.selector import EVERYTHING
from elasticquota.resources import Resources


@dataclass(frozen=True, slots=True)
class Infeasible:
    reason: Literal["ExceedsMax", "NoNodeFits", "QuotaNotAccepted", "WaitingForGroup"]
    message: str


Bounds = Callable[[str, Holder], tuple[Bound, ...]]
"""What limits pods of a holder in a quota."""


def reshaped(before: Node | None, now: Node | None) -> bool:
    """Whether a node may take other pods than before, were it empty."""
    if before is None or now is None:
        return before is not now
    return (before.allocatable, before.labels, before.taints) != (
        now.allocatable,
        now.labels,
        now.taints,
    )


class FeasibilityCheck:
    """Tells misfits for one forest on one ground."""

    def __init__(
        self,
        members: Membership,
        fit: NodeFit,
        accounting: Accounting,
        totals: Mapping[str, Resources],
        bounds: Bounds,
    ) -> None:
        """``totals``: of the nodes, by tree id."""
        self._members = members
        self._forest = members.forest
        self._accounting = accounting
        self._fit = fit
        self._totals = totals
        self._bounds = bounds
        self._ceilings: dict[str, Resources] = {}
        self._wheres: dict[tuple[str, Constraints], Where] = {}

    def infeasible(self, pod: Pod, quota: str) -> Infeasible | None:
        """Why ``pod`` can never be admitted into ``quota``, or None."""
        misplaced = self._misplaced(pod, quota)
        if misplaced:
            return Infeasible("QuotaNotAccepted", misplaced)
        by = "" if pod.reserves is None else f" by {pod.reserves.job}"
        if not resources.fits(pod.request, self._ceiling(quota)):
            return self._beyond_max(pod.request, quota, by)
        beyond = self._beyond_limits(pod.request, quota, pod.holder, by)
        if beyond is not None:
            return beyond
        where = self.where(quota, pod)
        parts = (pod.request,) if pod.reserves is None else pod.reserves.parts
        for part in parts:
            if not self._fit.could_host(where, frozenset(part.items())):
                return Infeasible("NoNodeFits", self._no_host(where, part))
        return self._beyond_total(pod.request, where.tree_id, by) if by else None

    def where(self, quota: str, pod: Pod) -> Where:
        """On which nodes ``pod`` of ``quota`` may be; of the pods of a job that is not known."""
        constraints = pod.constraints if pod.reserves is None else EVERYWHERE
        found = self._wheres.get((quota, constraints))
        if found is None:
            held = self._forest.quotas.get(quota)
            tree_id = self._forest.tree_of.get(quota, "-")
            wanted = EVERYTHING if held is None else held.nodes
            found = self._wheres[quota, constraints] = Where(tree_id, wanted, constraints)
        return found

    def infeasible_group(self, group: str, pods: Sequence[Pod], quota: str) -> Infeasible | None:
        """Why ``pods`` can never be admitted into ``quota`` together, or None."""
        asked = resources.add(*(pod.request for pod in pods))
        by = f" by {len(pods)} pods of group {group}"
        if not resources.fits(asked, self._ceiling(quota)):
            return self._beyond_max(asked, quota, by)
        return self._beyond_limits(asked, quota, pods[0].holder, by) or self._beyond_total(
            asked, self._forest.tree_of.get(quota, "-"), by
        )

    def _beyond_limits(
        self, asked: Resources, quota: str, holder: Holder, by: str
    ) -> Infeasible | None:
        for (name, subject), most, _ in self._bounds(quota, holder):
            beyond = resources.exceeding(resources.positive(asked), most)
            if beyond:
                key = beyond[0]
                where = f"{subject} may hold {quantity.text(key, most[key])} in quota {name}"
                if subject.kind == "all":
                    where = f"{names.ADMISSION} of quota {name} is {quantity.text(key, most[key])}"
                return Infeasible(
                    "ExceedsMax", f"{quantity.text(key, asked[key])} {key} asked{by}, {where}"
                )
        return None

    def _beyond_total(self, asked: Resources, tree_id: str, by: str) -> Infeasible | None:
        beyond = resources.exceeding(asked, self._totals.get(tree_id, resources.EMPTY))
        if not beyond or not self._fit.knows(tree_id):
            return None
        key, total = beyond[0], self._totals[tree_id]
        return Infeasible(
            "NoNodeFits",
            f"{quantity.text(key, asked[key])} {key} asked{by}, all nodes of the tree together "
            f"offer {quantity.text(key, total[key])}",
        )

    def _misplaced(self, pod: Pod, quota: str) -> str:
        """What admission would have had against ``pod``; empty: nothing."""
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
        unwelcome = allowed_namespaces.refusal(pod, self._members)
        if unwelcome is not None and self._accounting.refuses(unwelcome.rule, tree):
            return f"{unwelcome.why}. Name a quota of your own [PD1307]"
        return ""

    def _ceiling(self, quota: str) -> Resources:
        """The smallest max of the quota and all above it; a missing key is unlimited."""
        found = self._ceilings.get(quota)
        if found is None:
            found = {}
            for name in self._forest.path(quota):
                found = resources.minimum(found, self._forest.quotas[name].max)
            self._ceilings[quota] = found
        return found

    def _beyond_max(self, asked: Resources, quota: str, by: str) -> Infeasible:
        path = self._forest.path(quota)
        name, beyond = next(
            (name, keys)
            for name in path
            if (keys := resources.exceeding(asked, self._forest.quotas[name].max))
        )
        key, limit = beyond[0], self._forest.quotas[name].max
        return Infeasible(
            "ExceedsMax",
            f"{quantity.text(key, asked[key])} {key} asked{by}, max of quota {name} is "
            f"{quantity.text(key, limit[key])}",
        )

    def _no_host(self, where: Where, request: Resources) -> str:
        """Which nodes there are, and what each lacks; the most common first."""
        for key, amount in sorted(request.items()):
            most = self._fit.largest(where, key)
            if most is not None and amount > most and key != names.PODS:
                return (
                    f"{quantity.text(key, amount)} {key} asked, the largest node "
                    f"{'of the tree' if not self._fit.lasting(where) else 'for it'} "
                    f"offers {quantity.text(key, most)}"
                )
        lasting = self._fit.lasting(where)
        if lasting:
            return f"no node of the tree is for it: {node_fit.listed(lasting)}"
        return "no single node of the tree offers all that is asked"
