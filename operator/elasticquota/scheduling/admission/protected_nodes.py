"""Protected nodes: a released pod is kept off nodes on which it would take room that is kept.

Room is kept on a node while victims there terminate. The scheduler does not know of it, and could
bind a pod that was released meanwhile to this node: then the victims were evicted in vain. So such
a pod gets, together with its release, a required node affinity that excludes these nodes. It has
room on another node.

In an elastic tree a pod for which a node has yet to come is kept off the nodes with less important
pods: the scheduler would preempt these, even within the min of their quota, before any node comes.
"""

from typing import Final

from elasticquota.model.decision import Release
from elasticquota.model.pod import Pod
from elasticquota.model.selector import Requirement, Selector
from elasticquota.scheduling.snapshot.tree_snapshot import TreeSnapshot
from elasticquota.structs import replace


_HOSTNAME: Final = "kubernetes.io/hostname"


def exclude(release: Release, pod: Pod, snapshot: TreeSnapshot) -> Release:
    """``release``, which is of ``pod``, without the nodes on which it would take kept room.

    A node without the label that names it cannot be excluded.
    """
    labels = {
        snapshot.nodes.fit.label(node, _HOSTNAME)
        for node in snapshot.nodes_to_exclude(release.quota, pod)
    }
    hosts = tuple(sorted(labels - {""}))
    if not hosts:
        return release
    others = Selector((Requirement(_HOSTNAME, "NotIn", hosts),))
    return replace(release, nodes=release.nodes.within(others))
