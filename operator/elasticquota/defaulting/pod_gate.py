"""A pod of a leaf quota waits at our gate until the controller admits it.

* A pod whose label names an unknown quota waits too, because the quota may be newer than the
  webhook's cache. If the controller knows none within seconds either (``ledger.pods.pod_times``),
  it admits the pod by the default quota.
* Pods of the default quota wait only if an administrator wrote a max for it. Without a max, pods of
  no team start without the controller.
* Not held: pods of the system, pods of trees in observe mode, pods that already have a node (the
  API allows no gate on them), static pods (their node runs them in any case) and pods that are
  already held.

The label makes the quota visible. A label that the user wrote is never replaced, because a
Deployment may select its pods by it.
"""

from elasticquota import names
from elasticquota.forest.structure import Forest
from elasticquota.model.pod import Pod
from elasticquota.structs import Struct


class Hold(Struct, frozen=True):
    """What admission adds to a new pod."""

    governed: bool = False
    """The pod belongs to a quota that decides where and when it runs."""
    label: str = ""
    """The value for the quota label; empty: do not change the label."""
    gate: bool = False
    """Whether to add our gate."""


FREE = Hold()


def hold_for_new(pod: Pod, quota: str) -> Hold:
    """Return how to hold a ``pod`` whose ``quota`` the controller has yet to create."""
    return Hold(label=quota, gate=not pod.gated)


def hold(pod: Pod, quota: str, forest: Forest) -> Hold:
    """Return how to hold ``pod``, which belongs to ``quota``.

    ``validation.placement`` judges whether the pod may be in that quota.
    """
    if quota == names.SYSTEM_QUOTA or pod.bound or pod.mirror or forest.observes(quota):
        return FREE
    if quota in forest.quotas and quota not in names.RESERVED_QUOTAS:
        return Hold(governed=True, label="" if pod.quota_label else quota, gate=not pod.gated)
    if quota == names.DEFAULT_QUOTA and forest.quotas[quota].limits_something:
        return Hold(gate=not pod.gated)
    may_be_new = pod.quota_label != "" and pod.quota_label not in forest.quotas
    return Hold(gate=may_be_new and not pod.gated)
