"""Finds the user of a new pod: its creator, or the user for whom a controller creates it (Y24).

Controllers copy the user from the pod template, where the webhook wrote the user that created the
workload. The policy checks that users write no other user than themselves (EQ1108).
"""

from typing import Final

from elasticquota.model import holder
from elasticquota.model.holder import Holder
from elasticquota.model.pod import Pod
from elasticquota.wire.admission.review import UserInfo
from elasticquota.wire.kubernetes import holders


_ACCOUNTS: Final = "system:serviceaccount:kube-system:"
"""Service accounts of the controllers that create pods for users."""
CONTROLLERS: Final = "system:kube-controller-manager"
"""The user of all these controllers, where they have no service accounts."""


def stamp(creator: UserInfo) -> str:
    """The annotation value for objects of ``creator``; empty for controllers."""
    if _is_for_others(creator):
        return ""
    return holders.stamp(creator.username, creator.groups or ())


def of(pod: Pod, creator: UserInfo) -> Holder | None:
    """The user of the pod; None when a controller creates it and it carries no user."""
    if _is_for_others(creator):
        return None if pod.holder.user == holder.UNKNOWN else pod.holder
    return Holder(creator.username, tuple(creator.groups or ()))


def _is_for_others(creator: UserInfo) -> bool:
    return creator.username.startswith(_ACCOUNTS) or creator.username == CONTROLLERS
