"""The quota of a pod, with the rule that assigns it."""

from collections.abc import Set as AbstractSet
from typing import NamedTuple

from elasticquota import names
from elasticquota.forest import membership
from elasticquota.model.pod import Pod
from elasticquota.model.workload import Counted
from elasticquota_cli.why.parts.report import Rule


class Belonging(NamedTuple):
    """The quota of a pod, and why."""

    quota: str
    """``NO_QUOTA`` for a pod outside of every quota."""
    rule: Rule
    why: str
    without_label: str = ""
    """The quota that it had without its label; empty: the same, or it is not known."""


def to_the_system(pod: Counted, system_namespaces: AbstractSet[str]) -> Belonging | None:
    """The system quota, and why it has the pod; None: it has not."""
    if not membership.of_the_system(pod, system_namespaces):
        return None
    why = "a DaemonSet made it, and it names no quota"
    if isinstance(pod, Pod) and pod.mirror:
        why = "it is a static pod"
    elif pod.key.namespace in system_namespaces:
        why = f"namespace {pod.key.namespace} belongs to the system"
    return Belonging(names.SYSTEM_QUOTA, "system", why)
