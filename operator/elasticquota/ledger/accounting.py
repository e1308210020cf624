"""What counts is the administrator's choice; the defaults are the peer's (semantics 4).

Four of its feature gates are values here: DisableDefaultQuota, ElasticQuotaIgnorePodOverhead,
ElasticQuotaIgnoreTerminatingPod and ElasticQuotaImmediateIgnoreTerminatingPod (K 2.1, 2.2). Its two
gates about terminating pods can contradict each other, one value cannot.
"""

from dataclasses import dataclass, replace
from typing import Final, Literal

from elasticquota import resources
from elasticquota.forest import allowed_namespaces, settings
from elasticquota.forest.membership import Membership
from elasticquota.forest.settings import Terms, Where
from elasticquota.forest.structure import Forest
from elasticquota.model.pod import Pod


LATE: Final = 30_000
"""Milliseconds that a node may be late in ending a pod."""

IgnoreTerminating = Literal["never", "afterGrace", "atOnce"]


@dataclass(frozen=True, slots=True)
class Accounting:
    """One set of choices; books of another are other books."""

    system_namespaces: frozenset[str] = frozenset({"kube-system"})
    """Their pods belong to the system quota."""
    default_quota: bool = True
    """False: pods that neither label nor namespace gives to a quota belong to nobody."""
    ignore_overhead: bool = False
    """True: what a runtime class adds to its pods counts nowhere."""
    ignore_terminating: IgnoreTerminating = "never"
    """From when on terminating pods count nowhere."""
    unschedulable_timeout: int = 300_000
    """Milliseconds without a node after which an admitted pod is no request; 0: it always is."""
    max_grace: int = 120_000
    """Milliseconds that a pod which was deleted may take to end, and its room counts as on its way;
    who asked for longer holds its room, and is evicted again when somebody needs it."""
    in_parents_refused: Where = settings.EVERYWHERE
    """In which trees no pods may be in parent quotas (PD1301). Those that run there count."""
    unknown_refused: Where = settings.NOWHERE
    """Where pods may not name quotas that there are not (PD1306). Those that run count."""
    external_refused: Where = settings.EVERYWHERE
    """Where a quota without a list of its own takes no pods of another's namespace, nor one that
    binds namespaces any but theirs (PD1307-unbound). Those that run count."""
    unlisted_refused: Where = settings.NOWHERE
    """Where a quota without a list takes only pods of its own namespace (PD1307-open)."""
    terms: Terms = settings.USUAL
    """What the verdicts on quotas go by."""

    def membership(self, forest: Forest) -> Membership:
        """Which quota a pod belongs to in ``forest``."""
        return Membership(forest, self.system_namespaces, self.default_quota)

    def refuses(self, rule: allowed_namespaces.Rule, tree_id: str | None) -> bool:
        """Whether a pod that waits may not get in on account of ``rule``."""
        match rule:
            case "PD1307":
                return True
            case "PD1307-unbound":
                return self.external_refused.holds_in(tree_id)
            case "PD1307-open":
                return self.unlisted_refused.holds_in(tree_id)

    def end_of(self, pod: Pod) -> int | None:
        """Epoch milliseconds from which on ``pod`` counts no longer; None: while it is there."""
        match self.ignore_terminating:
            case "never":
                return None
            case "afterGrace":
                return pod.gone_after
            case "atOnce":
                return 0 if pod.deleting else None

    def leaves_from(self, pod: Pod) -> int | None:
        """Epoch milliseconds from which on the room of a deleted pod counts as on its way; None: at
        once.
        """
        return None if pod.ends_at is None else pod.ends_at - self.max_grace

    def late_from(self, pod: Pod) -> int | None:
        """Epoch milliseconds from which on a deleted pod should be gone, and its room counts as
        held again: its node died, or something else keeps it; None: never.
        """
        return None if pod.ends_at is None else pod.ends_at + LATE

    def stuck_from(self, pod: Pod) -> int | None:
        """Epoch milliseconds from which on ``pod`` is no request; None: it is one."""
        if pod.unplaced_since is None or not self.unschedulable_timeout:
            return None
        return pod.unplaced_since + self.unschedulable_timeout

    def sized(self, pod: Pod) -> Pod:
        """``pod`` with the request that counts."""
        if not self.ignore_overhead or not pod.overhead:
            return pod
        return replace(pod, request=resources.subtract(pod.request, pod.overhead))
