"""The status of an external system's object: a condition, and the figures of its quotas.

Condition ``Translated`` is True while everything that the object says about quotas is in force; its
message names what is done differently. It is False for an object that has no effect, and for one
whose quotas cannot all exist or whose tree does not exist yet.

An ElasticQuotaTree gets the figures of its nodes in ``status.nodes``, and in ``status.root`` what
ACK has there. An ElasticQuota of capacity
scheduling gets ``status.used``, as its own controller writes it (C19), except that we count every
pod that has a node.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

from elasticquota import resources
from elasticquota.forest import wording
from elasticquota.integrations import capacity
from elasticquota.integrations.ack import root_status
from elasticquota.integrations.ack import trees as ack_trees
from elasticquota.integrations.translation.translation import Translation, TranslationWarning
from elasticquota.model.decision import Condition, QuotaStatus
from elasticquota.model.key import Key
from elasticquota.structs import Struct
from elasticquota.wire.integrations import ack_trees as ack_wire
from elasticquota.wire.integrations.ack_trees import QuotaTree
from elasticquota.wire.integrations.capacity_quotas import CapacityQuota


CONDITION: Final = "Translated"
MOST_NODES: Final = 500
"""Nodes in the status of a tree; with 2,000 the object would be too large for the API server."""

Figures = Mapping[str, QuotaStatus]
"""By quota name."""


class SourceNode(Struct, frozen=True):
    """A node of a tree and its quota; figures are None until the quota has some."""

    path: str
    quota: str
    figures: QuotaStatus | None


class SourceStatus(Struct, frozen=True):
    """The status of one object; cheap to compare."""

    key: Key
    condition: Condition
    nodes: tuple[SourceNode, ...] | None = None
    """For a tree."""
    root: ack_wire.TreeQuota | None = None
    """For a tree in force: its nodes as written."""
    used: QuotaStatus | None = None
    """For a quota of capacity scheduling."""

    def document(self) -> dict[str, Any]:
        """The fields of the status except the conditions."""
        if self.nodes is None:
            return {"used": resources.text(self.used.used) if self.used else {}}
        nodes = {"nodes": [_node(node) for node in self.nodes[:MOST_NODES]]}
        if self.root is None:
            return nodes
        figures = {node.path: node.figures for node in self.nodes}
        root = root_status.document(self.root, figures, MOST_NODES)
        return nodes if root is None else {**nodes, "root": root}


def trees(
    quota_trees: Iterable[QuotaTree], made: Translation, taken: Iterable[str], figures: Figures
) -> tuple[SourceStatus, ...]:
    """The status of each ElasticQuotaTree; ``taken`` are names of quotas that cannot exist."""
    stored = sorted(quota_trees, key=lambda tree: tree.key)
    chosen = {tree.key for tree in ack_trees.in_force(stored)}
    unable = set(taken)
    lines = _lines(made.warnings)
    asked: dict[str, list[str]] = defaultdict(list)
    for name, source in made.sources.items():
        asked[source].append(name)
    statuses = []
    for tree in stored:
        said = lines.get(ack_trees.source(tree), [])
        if tree.key not in chosen:
            statuses.append(SourceStatus(tree.key, _refused("NotInForce", said), ()))
            continue
        quotas = asked[ack_trees.source(tree)]
        if made.waiting.isdisjoint(quotas):
            condition = _condition(len(quotas), said, missing(made, unable.intersection(quotas)))
        else:
            # Quotas that were made before exist, and have figures.
            quotas = [name for name in quotas if name in figures]
            condition = _refused("WaitsForProfile", said)
        nodes = [SourceNode(_path(made.origins[name]), name, figures.get(name)) for name in quotas]
        nodes.sort(key=lambda node: node.path)
        statuses.append(SourceStatus(tree.key, condition, tuple(nodes), tree.root))
    return tuple(statuses)


def capacity_quotas(
    quotas: Iterable[CapacityQuota], made: Translation, taken: Iterable[str], figures: Figures
) -> tuple[SourceStatus, ...]:
    """The status of each ElasticQuota of capacity scheduling; ``taken`` as in ``trees``."""
    lines = _lines(made.warnings)
    named = {origin: name for name, origin in made.origins.items()}
    short = set(taken)
    statuses = []
    for quota in sorted(quotas, key=lambda quota: quota.key):
        said = lines.get(f"{capacity.KIND} {quota.key}", [])
        name = named.get(capacity.origin(quota))
        if name is None:
            statuses.append(SourceStatus(quota.key, _refused("NotInForce", said)))
            continue
        condition = _condition(1, said, missing(made, short & {name, capacity.TOP}))
        statuses.append(SourceStatus(quota.key, condition, used=figures.get(name)))
    return tuple(statuses)


def _condition(count: int, said: list[str], taken: list[str]) -> Condition:
    if taken:
        return _refused("NameTaken", taken + said)
    if not count:
        return _refused("NothingRead", said or ["spec: says nothing about quotas"])
    made = f"{wording.counted(count, 'ElasticQuota')} {wording.agreed(count, 'follow')}"
    if not said:
        return Condition(CONDITION, True, "AsWritten", f"{made} what it says")
    text = f"{made} what it says, except: {wording.listed(said, '; ')}"
    return Condition(CONDITION, True, "WithDifferences", text)


def _refused(reason: str, said: list[str]) -> Condition:
    return Condition(CONDITION, False, reason, wording.listed(said, "; "))


def _lines(warnings: Iterable[TranslationWarning]) -> dict[str, list[str]]:
    """Lines by source, sorted."""
    found: dict[str, list[str]] = {}
    for warning in sorted(warnings):
        line = f"{warning.where}: {warning.text}" if warning.where else warning.text
        found.setdefault(warning.source, []).append(line)
    return found


def missing(made: Translation, taken: Iterable[str]) -> list[str]:
    """A sentence for each quota that cannot exist."""
    return [
        f"{_path(made.origins[name])}: cannot be the ElasticQuota '{name}', because there is "
        "another one of its name or of one above it; rename either"
        for name in sorted(taken)
    ]


def _path(origin: str) -> str:
    return origin.partition(":")[2] or origin


def _node(node: SourceNode) -> dict[str, Any]:
    figures = node.figures
    said: dict[str, Any] = {"path": node.path, "quota": node.quota}
    if figures is not None:
        for field in ("min", "max", "request", "used", "runtime"):
            said[field] = resources.text(getattr(figures, field))
        said["pending"] = figures.pods_gated
    return said
