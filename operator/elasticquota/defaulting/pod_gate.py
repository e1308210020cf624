"""A pod of a leaf quota waits at our gate until the controller lets it in.

So does one whose label names a quota that nobody has heard of: it may have been made an instant
ago. The controller, which asks the API server, lets the pod in where it belongs, or by the default
quota if there is no such quota.
Pods of the default quota wait only where somebody wrote a max for it, which is then a limit like
any other; without one, pods of no team need nothing of ours to start.
Not held: pods of the system, pods of trees that only observe, pods that already have a node (the
API allows no gate on them), static pods (their node runs them whatever we say) and pods that are
already held.
The label makes the quota visible; one that the user wrote is never replaced, because a Deployment
may select its pods by it.
"""

from dataclasses import dataclass

from elasticquota import names
from elasticquota.forest.structure import Forest
from elasticquota.model.pod import Pod


@dataclass(frozen=True, slots=True)
class Hold:
    """What a new pod gets."""

    governed: bool = False
    """The pod belongs to a quota that decides where and when it runs."""
    label: str = ""
    """The quota to write on it; empty: leave the label alone."""
    gate: bool = False


FREE = Hold()


def hold_for_new(pod: Pod, quota: str) -> Hold:
    """How ``pod`` is held for the sake of which ``quota`` is about to be made."""
    return Hold(label=quota, gate=not pod.gated)


def hold(pod: Pod, quota: str, forest: Forest) -> Hold:
    """How ``pod``, which belongs to ``quota``, is held; whether it may is
    ``validation.placement``.
    """
    if quota == names.SYSTEM_QUOTA or pod.bound or pod.mirror or forest.observes(quota):
        return FREE
    if quota in forest.quotas and quota not in names.RESERVED_QUOTAS:
        return Hold(governed=True, label="" if pod.quota_label else quota, gate=not pod.gated)
    if quota == names.DEFAULT_QUOTA and forest.quotas[quota].limits_something:
        return Hold(gate=not pod.gated)
    may_be_new = pod.quota_label != "" and pod.quota_label not in forest.quotas
    return Hold(gate=may_be_new and not pod.gated)
