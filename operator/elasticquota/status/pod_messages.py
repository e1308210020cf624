"""The whole message of one pod or job, from its parts in one order.

Whose quota and why, the position, what has to happen, and what is wrong with the pod itself. A
label with an invalid value counts as absent; the message says that too.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from elasticquota import names
from elasticquota.forest.membership import NO_QUOTA
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import Release, Wait
from elasticquota.model.pod import Pod
from elasticquota.model.workload import Counted
from elasticquota.scheduling.admission.admit import Admitted
from elasticquota.status import amounts_text, without_node
from elasticquota.status.messages import Message
from elasticquota.structs import replace


# A pod further back gets no message for every step of the queue.
_HEAD: Final = 100


class Position(NamedTuple):
    """Place in the quota's queue, from 1; 0: outside of it."""

    place: int = 0
    length: int = 0

    def __str__(self) -> str:
        if self.place > _HEAD:
            return f"More than {_HEAD} pods are ahead of it"
        return f"Position {self.place} of {self.length}"


OUTSIDE: Final = Position()


def wait(
    pod_or_job: Counted,
    quota: str,
    message: Message,
    position: Position = OUTSIDE,
    *,
    exceed_dimensions: bool = False,
) -> Wait:
    """The wait of this pod or job, with its text and the facts that decide whether that is news.

    ``exceed_dimensions``: name the resources that are short as Koordinator's scheduler does.
    """
    where = "without a quota" if quota == NO_QUOTA else f"for quota {quota}"
    text = f"Waiting {where}: {message.detail}."
    if position.place:
        text = f"{text} {position}."
    if message.starts:
        ahead = message.contested and position.place > 1
        besides = ", besides what those ahead of it take" if ahead else ""
        text = f"{text} {message.starts}{besides}."
    if exceed_dimensions and message.keys:
        text = f"{text} exceedDimensions: [{', '.join(message.keys)}]."
    return Wait(
        pod_or_job.key,
        pod_or_job.uid,
        quota,
        message.reason,
        # A pod that is refused for its label reads of it already.
        f"{text}{_ignored(pod_or_job, '' if message.reason == 'QuotaNotAccepted' else quota)}",
        position.place,
        (*position, *message.facts),
        _explained(pod_or_job),
    )


def released(
    release: Release,
    ledger: Ledger,
    cluster: ClusterSnapshot,
    admitted: Mapping[str, Admitted],
) -> Release:
    """``release`` with its message; ``admitted`` are those that had to wait for their turn."""
    pod, quota = ledger.counted(release.pod), release.quota
    if pod is None:
        return release
    found = admitted.get(release.uid)
    text = _unlimited(pod, quota, cluster) if found is None else _admitted(quota, found, cluster)
    return replace(release, message=f"{text}.{_ignored(pod, quota)}")


def _unlimited(pod_or_job: Counted, quota: str, cluster: ClusterSnapshot) -> str:
    """Of a pod that needed no turn (``decisions.unowned``)."""
    if quota == NO_QUOTA:
        return "Admitted: it belongs to no quota, so nothing limits it"
    if quota == names.SYSTEM_QUOTA:
        return "Admitted: it belongs to the system quota, which nothing limits"
    coverage = cluster.index.job_of(pod_or_job) if isinstance(pod_or_job, Pod) else None
    if coverage is not None and pod_or_job.key in cluster.covered:
        return f"quota {quota}: admitted with {coverage.job.name}"
    tree_id = cluster.forest.tree_of.get(quota)
    tree = "its tree" if tree_id is None else f"tree {cluster.forest.trees[tree_id].root}"
    return f"Admitted into quota {quota}: {tree} only observes"


def _admitted(quota: str, found: Admitted, cluster: ClusterSnapshot) -> str:
    """What the quota uses then of its current share, in the pod's resources."""
    tree_id = cluster.forest.tree_of[quota]
    share = cluster.trees[tree_id].runtimes.runtime(quota)
    used = amounts_text.used_of_share(found.used, share, found.request.keys() & share.keys())
    text = f"Admitted into quota {quota}"
    if used:
        text = f"{text}: it now uses {used}"
    if found.waits_for_node:
        nodes = cluster.nodes_by_tree[tree_id]
        return f"{text}; {without_node.waits_for_nodes(nodes, found.request)}"
    return text


def _ignored(pod_or_job: Counted, quota: str) -> str:
    """What the pod says in vain: invalid values, and a quota that does not exist (PD1306)."""
    found = list(pod_or_job.warnings) if isinstance(pod_or_job, Pod) else []
    label = pod_or_job.quota_label
    if quota != NO_QUOTA and label not in ("", quota, names.DEFAULT_QUOTA):
        found.append(f"label {names.QUOTA_NAME}, because there is no quota '{label}' for pods")
    return f" Ignored: {'; '.join(found)}." if found else ""


def _explained(pod_or_job: Counted) -> str:
    if isinstance(pod_or_job, Pod):
        return f"pod {pod_or_job.key}"
    return f"job {pod_or_job.name.key}"
