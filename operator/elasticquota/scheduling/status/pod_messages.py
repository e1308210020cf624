"""The whole message of one pod or job, from its parts in one order.

Whose quota and why, the position, what has to happen, and what is wrong with the pod itself. A
label with an invalid value counts as absent; the message says that too.
"""

from typing import Final, NamedTuple

from elasticquota import names
from elasticquota.forest.membership import NO_QUOTA
from elasticquota.ledger.tree_books import TreeBooks
from elasticquota.model.decision import Release, Wait
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.selector import EVERYTHING, Selector
from elasticquota.model.workload import Counted, Workload
from elasticquota.scheduling.snapshot.tree_snapshot import TreeSnapshot
from elasticquota.scheduling.status import amounts_text, without_node
from elasticquota.scheduling.status.messages import Message


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
    pod: Counted,
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
        text = f"{text} {message.starts}."
    if exceed_dimensions and message.keys:
        text = f"{text} exceedDimensions: [{', '.join(message.keys)}]."
    return Wait(
        pod.key,
        pod.uid,
        quota,
        message.reason,
        # A pod that is refused for its label reads of it already.
        f"{text}{_ignored(pod, '' if message.reason == 'QuotaNotAccepted' else quota)}",
        position.place,
        (*position, *message.facts),
        _explained(pod),
    )


def release(
    pod: Counted,
    quota: str,
    text: str,
    nodes: Selector = EVERYTHING,
    gang: Key | None = None,
) -> Release:
    """The release of this gated pod or job, with its message and the gang that it is one of."""
    gate = pod.gates.index(names.GATE)
    return Release(pod.key, pod.uid, quota, gate, f"{text}.{_ignored(pod, quota)}", nodes, gang)


def admitted(quota: str, tree: TreeBooks, pod: Workload, snapshot: TreeSnapshot) -> str:
    """After the release: what the quota uses now of its current share, in the pod's resources."""
    share = tree.runtimes.runtime(quota)
    keys = pod.request.keys() & share.keys()
    used = amounts_text.used_of_share(snapshot.admitted(quota), share, keys)
    text = f"Admitted into quota {quota}"
    if used:
        text = f"{text}: it now uses {used}"
    nodes = snapshot.nodes.growth
    if nodes is not None and any(map(snapshot.nodes.waits_for_node, pod.pods)):
        return f"{text}; {without_node.waits_for_nodes(nodes, pod.request)}"
    return text


def _ignored(pod: Counted, quota: str) -> str:
    """What the pod says in vain: invalid values, and a quota that does not exist (PD1306)."""
    found = list(pod.warnings) if isinstance(pod, Pod) else []
    label = pod.quota_label
    if quota != NO_QUOTA and label not in ("", quota, names.DEFAULT_QUOTA):
        found.append(f"label {names.QUOTA_NAME}, because there is no quota '{label}' for pods")
    return f" Ignored: {'; '.join(found)}." if found else ""


def _explained(pod: Counted) -> str:
    if isinstance(pod, Pod):
        return f"pod {pod.key}"
    return f"job {pod.name.rpartition(' ')[2]}"
