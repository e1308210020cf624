"""The administrator's choice of what counts; the defaults are Koordinator's (semantics 4).

Four of Koordinator's feature gates are values here: DisableDefaultQuota,
ElasticQuotaIgnorePodOverhead, ElasticQuotaIgnoreTerminatingPod and
ElasticQuotaImmediateIgnoreTerminatingPod (K 2.1, 2.2). The last two can contradict each other;
here they are one value, which cannot.
"""

from typing import Final, Literal

from elasticquota import resources
from elasticquota.forest import allowed_namespaces, settings
from elasticquota.forest.membership import Membership
from elasticquota.forest.settings import SharingTerms, TreeSelection
from elasticquota.forest.structure import Forest
from elasticquota.model.pod import Pod
from elasticquota.structs import Struct, replace


LATE: Final = 30_000
"""Milliseconds after its grace in which a node may still be ending a pod."""

IgnoreTerminating = Literal["never", "afterGrace", "atOnce"]


class Accounting(Struct, frozen=True):
    """One set of choices. When it changes, the ledger makes new books."""

    default_quota: bool = True
    """False: pods that neither a label nor a namespace assigns to a quota belong to no quota."""
    ignore_overhead: bool = False
    """True: the overhead that a runtime class adds to its pods does not count."""
    ignore_terminating: IgnoreTerminating = "never"
    """When terminating pods stop counting."""
    unschedulable_timeout: int = 300_000
    """Milliseconds without a node after which an admitted pod is no request; 0: it always is."""
    max_grace: int = 120_000
    """Milliseconds for which the room of a deleted pod may count as returning. A pod with a longer
    grace counts as holding its room until that much is left, and may be evicted again."""
    knows_creators: bool = True
    """Whether admission says on each pod who created it. False: pods may say what they like, so
    limits of users take all creators as not known."""
    in_parents_refused: TreeSelection = settings.EVERYWHERE
    """The trees whose parent quotas take no pods (PD1301). Pods that run there count."""
    unknown_refused: TreeSelection = settings.NOWHERE
    """The trees whose pods must not name an unknown quota (PD1306). Pods that run count."""
    external_refused: TreeSelection = settings.EVERYWHERE
    """The trees in which a quota without a list takes no pods of a namespace that another quota
    binds, and a quota that binds namespaces takes pods of these and of its own only
    (PD1307-unbound). Pods that run count."""
    unlisted_refused: TreeSelection = settings.NOWHERE
    """The trees in which a quota without a list takes only pods of its own namespace
    (PD1307-open)."""
    terms: SharingTerms = settings.USUAL
    """The settings that decide the verdicts on quotas."""

    def membership(self, forest: Forest) -> Membership:
        """Return the rule that assigns pods to the quotas of ``forest``."""
        return Membership(forest, self.default_quota)

    def refuses(self, rule: allowed_namespaces.Rule, tree_id: str | None) -> bool:
        """Whether ``rule`` keeps a waiting pod of this tree from being admitted."""
        match rule:
            case "PD1307":
                return True
            case "PD1307-unbound":
                return self.external_refused.holds_in(tree_id)
            case "PD1307-open":
                return self.unlisted_refused.holds_in(tree_id)

    def end_of(self, pod: Pod) -> int | None:
        """When ``pod`` stops counting, epoch milliseconds; None: when it is gone."""
        match self.ignore_terminating:
            case "never":
                return None
            case "afterGrace":
                return pod.gone_after
            case "atOnce":
                return 0 if pod.deleting else None

    @property
    def ends_at_once(self) -> bool:
        """Whether what is being deleted counts no longer."""
        return self.ignore_terminating == "atOnce"

    def leaves_from(self, pod: Pod) -> int | None:
        """When the room of a deleted pod begins to count as returning, epoch ms; None: at once."""
        return None if pod.ends_at is None else pod.ends_at - self.max_grace

    def late_from(self, pod: Pod) -> int | None:
        """When a deleted pod should be gone, epoch milliseconds; None: never.

        From then on it counts as holding its room again: its node died, or something keeps the pod.
        """
        return None if pod.ends_at is None else pod.ends_at + LATE

    def stuck_from(self, pod: Pod) -> int | None:
        """When ``pod`` stops being a request, epoch milliseconds; None: never."""
        if pod.unplaced_since is None or not self.unschedulable_timeout:
            return None
        return pod.unplaced_since + self.unschedulable_timeout

    def sized(self, pod: Pod) -> Pod:
        """Return ``pod`` with the request that counts: with or without overhead."""
        if not self.ignore_overhead or not pod.overhead:
            return pod
        return replace(pod, request=resources.subtract(pod.request, pod.overhead))
