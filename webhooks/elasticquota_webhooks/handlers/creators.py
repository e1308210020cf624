"""Whose a new pod is: its creator's, or of whom a controller of the cluster makes it for (Y24).

Controllers copy who that is from the template, where it was written for who made that. That users
write nobody but themselves is the policy's to see (EQ1108).
"""

from typing import Final

from elasticquota.model import holder
from elasticquota.model.holder import Holder
from elasticquota.model.pod import Pod
from elasticquota.wire.kubernetes.review import User
from elasticquota.wire.quota import holders


_ACCOUNTS: Final = "system:serviceaccount:kube-system:"
"""Service accounts of the controllers that create pods for others."""
_CONTROLLERS: Final = "system:kube-controller-manager"
"""All of them, where they have none."""


def stamp(creator: User) -> str:
    """What is written on what somebody creates; empty of controllers: they do so for others."""
    if _is_for_others(creator):
        return ""
    return holders.stamp(creator.username, creator.groups or ())


def of(pod: Pod, creator: User) -> Holder | None:
    """Whose the pod is; None: a controller makes it, and nobody is written on it."""
    if _is_for_others(creator):
        return None if pod.holder.user == holder.UNKNOWN else pod.holder
    return Holder(creator.username, tuple(creator.groups or ()))


def _is_for_others(creator: User) -> bool:
    return creator.username.startswith(_ACCOUNTS) or creator.username == _CONTROLLERS
