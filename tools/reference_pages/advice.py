"""What each reason means and what to do, for the page of reasons; none may lack a row."""

from collections.abc import Mapping
from typing import Final


Advice = Mapping[str, tuple[str, str]]
"""Reason -> what it means, what to do."""

OF_WAITS: Final[Advice] = {
    "QuotaExhausted": (
        "the quota uses all of its current share",
        "wait, end pods of your own, or ask the planner for a larger `min`",
    ),
    "AncestorExhausted": (
        "a quota above it uses all of its current share",
        "the same; the message names that quota and its largest users",
    ),
    "WaitingForReclaim": (
        "your quota may have the room, and pods of others hold it",
        "wait: the message says from whom it is reclaimed, or when that begins",
    ),
    "WaitingInLine": (
        "another pod of your quota goes first",
        "wait, or give this pod a higher priority ([order](../admission-order.md))",
    ),
    "WaitingForGroup": (
        "the pods of its group are not all there",
        (
            "create the others, correct the size, or create the PodGroup that states it "
            "([groups](../admission-order.md#groups-together-or-not-at-all))"
        ),
    ),
    "WaitingForProvisioning": (
        "the group is admitted, and its nodes are being made",
        (
            "wait ([nodes on request](../provisioning.md)); the message says what the autoscaler "
            "answered"
        ),
    ),
    "ProvisioningRefused": (
        "the autoscaler has no such nodes now",
        "wait: it is asked again at the time that the message names; or ask for less",
    ),
    "WaitingForClaim": (
        "a claim of devices that it names is missing or wrong",
        (
            "create or correct the object that the message names "
            "([devices](../devices.md#what-is-missing-or-wrong))"
        ),
    ),
    "WaitingForOtherGates": (
        "another controller holds it as well",
        "look at the gate that the message names",
    ),
    "ReleaseRefused": (
        "the API server refused to take our gate off, for a webhook, a policy or the pod's size",
        "look at the event `QuotaReleaseRefused`; others get its room meanwhile",
    ),
    "NoNodeFitsNow": (
        "the quota has room, but no single node has",
        "wait, or ask for less on one node",
    ),
    "NoNodeFits": (
        "no node of the tree is large enough, or may take it",
        "correct the request, the node selector or the tolerations",
    ),
    "ExceedsMax": (
        "the pod alone asks for more than a limit on its path",
        "ask for less, or ask the planner for a larger `max`",
    ),
    "LimitReached": (
        "a limit of a user, a group or applications is reached",
        "wait, or end pods of the one that the message names",
    ),
    "ProfileMissing": (
        "the profile of the tree is gone",
        "create it again, with the same name and `spec.quotaName`",
    ),
    "QuotaPaused": (
        "an administrator has paused the quota, or one above it",
        "wait, or ask who paused it",
    ),
    "QuotaNotAccepted": (
        "the quota is in no tree, or takes no such pods",
        "[On-call](../how-to/on-call.md#a-quota-is-not-accepted); the message names the rule",
    ),
}
OF_VERDICTS: Final[Advice] = {
    "Accepted": ("the quota is in force", "nothing"),
    "CycleDetected": ("its parents lead back to itself", "correct the label `parent` of one"),
    "InvalidSpec": ("a field has no valid value", "correct the field that the message names"),
    "MinExceedsParent": (
        "the guarantees of the children exceed that of the parent",
        "lower `min`, or raise that of the parent",
    ),
    "NameConflict": ("an older quota has the name", "choose another name"),
    "ParentNotAParent": ("the parent holds pods, and no quotas", "set its `spec.isParent`"),
    "ParentNotFound": ("the parent does not exist", "create it, or correct the label `parent`"),
    "ParentRefuses": (
        "the parent takes no quotas of this namespace",
        "ask the owner of the parent ([EQ1113](../rules/quotas.md#eq1113))",
    ),
    "ReservedName": ("the name is that of a built-in quota", "choose another name"),
    "TooDeep": ("it is below the 32nd level of its tree", "choose a parent closer to the root"),
    "TreeMismatch": (
        "tree id and parent contradict each other",
        "remove the tree id: the parent's counts",
    ),
}
OF_EVENTS: Final[Mapping[str, str]] = {
    "QuotaAdmitted": "the pod or job may start",
    "QuotaBackoff": "an admitted job did not start in time, and waits again",
    "QuotaDevicesNotCounted": "the devices of a claim cannot be counted",
    "QuotaReclaim": "the pod is evicted, or the job suspended",
    "QuotaReclaimBlocked": "the API server refused an eviction",
    "QuotaReleaseRefused": "the API server refused the removal of the gate",
    "QuotaStatusRefused": "the API server refused to store the status of the quota or profile",
    "QuotaSwitchRefused": "the API server refused to start or suspend the job",
    "QuotaUnscheduled": "an admitted pod has had no node for too long",
    "QuotaWait": "the pod waits; written again hourly while it is near the head of its queue",
    "QuotaWouldReclaim": "in observe mode: the pod would be evicted",
    "QuotaWouldWait": "in observe mode: the pod would wait",
}
