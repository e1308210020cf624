"""What the owner of a waiting pod can do, by the reason why it waits."""

from collections.abc import Mapping, Sequence
from typing import Final

from elasticquota import names
from elasticquota.model.wait_reason import WaitReason
from elasticquota_cli.why.parts import report


_WAIT: Final = "wait: nothing else is needed"
_FREE: Final = "end pods of quota {quota} that are no longer needed, or run fewer of them"
_ASK_LESS: Final = "ask for less in the requests of the pod"
_MORE: Final = "ask who keeps quota {quota} for a larger share of it"
_OF_REASON: Final[Mapping[WaitReason, Sequence[str]]] = {
    "QuotaExhausted": (_WAIT, _FREE, _MORE),
    "AncestorExhausted": (_WAIT, _FREE, "ask who keeps the quotas above {quota} for more"),
    "ExceedsMax": (_ASK_LESS,),
    "LimitReached": (_WAIT, "end pods that count for the same limit"),
    "NoNodeFits": (
        _ASK_LESS,
        "check its node selector, affinity and tolerations",
        "ask the administrator for nodes that it fits on",
    ),
    "NoNodeFitsNow": (_WAIT, "check its node selector, affinity and tolerations"),
    "QuotaNotAccepted": ("ask who keeps quota {quota} to correct it",),
    "ProfileMissing": (
        "ask the administrator for the profile again, with the same name and spec.quotaName",
    ),
    "QuotaPaused": (
        "ask who paused the quota, or one above it, when the pause ends",
        "end the pause, if you may: kubectl elastic-quota resume quota NAME",
    ),
    "WaitingForReclaim": (_WAIT,),
    "WaitingInLine": (_WAIT, "give it a higher priority class, if it may go first"),
    "WaitingForClaim": ("create or correct the ResourceClaims that it names",),
    "WaitingForGroup": ("create the pods of its group that are missing",),
    "WaitingForOtherGates": ("see why the owner of the other scheduling gate keeps it",),
    "ReleaseRefused": ("see its event QuotaReleaseRefused, and correct who refuses its updates",),
    "WaitingForProvisioning": (_WAIT,),
    "ProvisioningRefused": (_ASK_LESS, "ask the administrator of the cluster autoscaler"),
}
_NOT_REPORTED: Final = (
    "wait a moment: the controller has not said why yet",
    "if that stays so, ask the administrator to run: kubectl elastic-quota doctor",
)
_ROLLOUT: Final = (
    "let its old pods go first: maxUnavailable: 1 in its strategy lets the rollout go on where the "
    "quota has no room for one pod more"
)


def of(said: report.PodAnswer, *, rollout: bool = False) -> list[str]:
    """The possible steps, the simplest first; an empty reason means that none was reported.

    ``rollout``: it is to replace a pod that runs until it has started, so that it never starts by
    waiting alone.
    """
    steps = next((s for known, s in _OF_REASON.items() if known == said.reason), _NOT_REPORTED)
    if said.reason == "QuotaNotAccepted" and _label_is_wrong(said):
        bare = said.quota_without_label
        other = f"; then it belongs to quota {bare}" if bare else ", or let it name another quota"
        steps = (f"remove its label {names.QUOTA_NAME}{other}",)
    elif rollout and said.reason in ("QuotaExhausted", "AncestorExhausted"):
        steps = (_ROLLOUT, *steps[1:])
    # Edits of the pod are among the steps already.
    edits = [each for each in said.edits if each != "a smaller request"]
    return [*(each.format(quota=said.quota) for each in steps), *map(_asked_for, edits)]


def _label_is_wrong(said: report.PodAnswer) -> bool:
    """Whether its label names a quota that stands, and takes no pods."""
    return said.rule == "label" and (said.verdict is None or said.verdict.accepted)


def _asked_for(edit: str) -> str:
    return f"give it {edit}" if edit.startswith("no label") else f"ask for {edit}"
