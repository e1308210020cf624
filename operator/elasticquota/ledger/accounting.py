"""What counts, and where, is the administrator's choice; the defaults are the peer's (semantics 4).

Four of its feature gates are values here: DisableDefaultQuota, ElasticQuotaIgnorePodOverhead,
ElasticQuotaIgnoreTerminatingPod and ElasticQuotaImmediateIgnoreTerminatingPod (K 2.1, 2.2). Its two
gates about terminating pods can contradict each other, one value cannot. Where pods may be follows
from the levels of the rules PD1301 and PD1306.
"""

from dataclasses import dataclass, replace
from typing import Literal

from elasticquota import resources
from elasticquota.forest.membership import Membership
from elasticquota.forest.structure import Forest
from elasticquota.model.pod import Pod


IgnoreTerminating = Literal["never", "afterGrace", "atOnce"]
UnknownQuota = Literal["warn", "deny"]


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
    pods_in_parents: bool = False
    """True: pods may be in parent quotas. Those that run there count anyway."""
    unknown_quota: UnknownQuota = "warn"
    """What becomes of new pods that name no quota that there is. Those that run count anyway."""

    def membership(self, forest: Forest) -> Membership:
        """Which quota a pod belongs to in ``forest``."""
        return Membership(forest, self.system_namespaces, self.default_quota)

    def end_of(self, pod: Pod) -> int | None:
        """Epoch milliseconds from which on ``pod`` counts no longer; None: while it is there."""
        match self.ignore_terminating:
            case "never":
                return None
            case "afterGrace":
                return pod.gone_after
            case "atOnce":
                return 0 if pod.deleting else None

    def sized(self, pod: Pod) -> Pod:
        """``pod`` with the request that counts."""
        if not self.ignore_overhead or not pod.overhead:
            return pod
        return replace(pod, request=resources.subtract(pod.request, pod.overhead))
