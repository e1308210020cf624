"""Where the product answers otherwise than the peer, on purpose, and why.

The reasons quote semantics 8 (deliberate deviations) and the sections that it rests on, or
a page of ``docs/decisions``. A deviation is a rule: it says which rows it is about by what they
contain, so that it holds for files of other numbers too, and which of their figures may differ; all
others must agree. ``ids`` are its rows in our own file, and each of them must really differ: see
``test_koordinator``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from elasticquota import resources
from tests.vectors.reading import Row


Written = Mapping[str, Any]


@dataclass(frozen=True)
class Deviation:
    reason: str
    groups: tuple[str, ...]
    applies: Callable[[Written], bool]
    figures: tuple[str, ...]
    """How the figures begin that may differ."""
    ids: frozenset[str]

    def covers(self, row: Row) -> bool:
        return row.group in self.groups and self.applies(row.written)


def _hands_out_more_than_there_is(row: Written) -> bool:
    if "nodes" in row:
        return bool(sum(row["expected_runtime"].values()) > max(0, row["total"]))
    total = resources.parse(row["total"])
    top = [quota["name"] for quota in row["quotas"] if quota["parent"] == "koordinator-root-quota"]
    runtimes = [resources.parse(row["expected"].get(name, {}).get("runtime", {})) for name in top]
    return bool(resources.exceeding(resources.add(*runtimes), total))


def _exempts_siblings(row: Written) -> bool:
    return any(not child["scalable"] for child in row.get("children", ()))


def _default_quota_is_used(row: Written) -> bool:
    return any(resources.parse(row.get("default_used", {})).values())


def _admission_above_max(row: Written) -> bool:
    admission = resources.parse(row.get("admission") or {})
    return bool(resources.exceeding(admission, resources.parse(row.get("max") or {})))


def _counts_at_creation(row: Written) -> bool:
    return "updates" in row or "max_retries" in row


def _runtime_is_no_limit(row: Written) -> bool:
    return row.get("enable_runtime_quota") is False


def _spares_somebody(row: Written) -> bool:
    victims = row.get("expected_victims_in_order", ())
    return 0 < len(victims) < len(row.get("assigned_pods", ()))


def _names_no_tree(row: Written) -> bool:
    """Below a parent that has one."""
    if "ops" in row:
        trees = {op["name"]: op.get("tree_id", "") for op in row["ops"] if "name" in op}
        return any(
            op.get("skip_mutation") and not op.get("tree_id") and trees.get(op.get("parent"))
            for op in row["ops"]
        )
    children = row.get("quota_tree_id"), row.get("child_tree_id")
    return bool(row.get("parent_tree_id")) and not all(children)


DEVIATIONS = (
    Deviation(
        "'a missing tree id is the parent's' (docs/decisions/0001): two replicas would refuse a "
        "child that comes right after its parent",
        groups=("webhook_tree_id", "webhook_sequences"),
        applies=_names_no_tree,
        figures=("allowed",),
        ids=frozenset({"wtid-04", "wtid-05", "wseq-01"}),
    ),
    Deviation(
        "'the least important go first' (docs/decisions/0006): "
        "the eviction rate may cut a set of victims",
        groups=("revoke",),
        applies=_spares_somebody,
        figures=("order of victims",),
        ids=frozenset({"rev-01"}),
    ),
    Deviation(
        "'exact sums' (8): no quota gets more than exists; 'guarantees that do not fit are filled "
        "in proportion to min first' (4), whether the peer's scaling is on or off",
        groups=("redistribution", "tree"),
        applies=_hands_out_more_than_there_is,
        figures=("runtime", "auto_scale_min"),
        ids=frozenset({"redist-07", "redist-12", "tree-26"}),
    ),
    Deviation(
        "'guarantees that fit are never scaled' (8), and the others all in proportion to min (4): "
        "no sibling is exempt; nor is any in the peer's production, whose switch is global",
        groups=("scale_min",),
        applies=_exempts_siblings,
        figures=("min",),
        ids=frozenset({"scale-06", "scale-08"}),
    ),
    Deviation(
        "'default and system quota are not charged twice' (8): the default quota is an ordinary "
        "child of the default root (4), so its use is not taken off the total first",
        groups=("tree_totals",),
        applies=_default_quota_is_used,
        figures=("available",),
        ids=frozenset({"total-03"}),
    ),
    Deviation(
        "'max is always the ceiling' (docs/decisions/0001): the annotation "
        "admission does not lift it",
        groups=("pod_admission",),
        applies=_admission_above_max,
        figures=("allowed", "child_request_after"),
        ids=frozenset({"adm-05"}),
    ),
    Deviation(
        "'pods beyond their quota wait instead of being refused' (docs/decisions/0001): admission "
        "keeps no counter that could refuse a pod or be written again",
        groups=("pod_admission",),
        applies=_counts_at_creation,
        figures=("allowed", "retries_for_batch_size", "with_max"),
        ids=frozenset({"adm-14", "adm-15"}),
    ),
    Deviation(
        "'runtime is always the limit' (docs/decisions/0001)",
        groups=("prefilter",),
        applies=_runtime_is_no_limit,
        figures=("schedulable",),
        ids=frozenset({"pf-05"}),
    ),
)


def of(row: Row) -> Deviation | None:
    """The deviation that a row belongs to."""
    return next((found for found in DEVIATIONS if found.covers(row)), None)
