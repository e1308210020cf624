"""The order in which rules are asked, as plain lists.

A stage reports all its faults at once; the next stage is asked only when nothing in the one before
refuses, because sums over a parent that does not exist say nothing. What refuses and what only
warns is the business of ``validation``.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from elasticquota.forest.membership import Membership
from elasticquota.forest.structure import Forest
from elasticquota.model.figures import Figures
from elasticquota.model.pod import Pod
from elasticquota.resources import EMPTY, Resources
from elasticquota.sharing import capacity
from elasticquota.validation import (
    allowed_namespaces,
    binding,
    bounds,
    ceiling,
    child_namespaces,
    guaranteed_use,
    in_use,
    min_sum,
    naming,
    parentage,
    placement,
    profile_conflicts,
    profile_shape,
    removal,
    resize,
    resource_keys,
    role,
    tree_identity,
    unknown_quota,
)
from elasticquota.validation.change import Change
from elasticquota.validation.profile_change import ProfileChange
from elasticquota.validation.severity import USUAL, Findings, Validation
from elasticquota.validation.violation import Violation


Rule = Callable[[Change, Forest], tuple[Violation, ...]]
Stage = Sequence[Rule]
Stages = Sequence[Stage]
PodRule = Callable[[Pod, Membership], tuple[Violation, ...]]
ProfileRule = Callable[[ProfileChange, Forest], tuple[Violation, ...]]

SHAPE: Final[Stage] = [
    bounds.check,  # EQ1001-1004, EQ1112-1113, PD1307: what it says about itself
]
REFERENCES: Final[Stage] = [
    naming.check,  # EQ1102, EQ1110: its name
    parentage.check,  # EQ1101: its parent
    child_namespaces.check,  # EQ1113: its parent's consent
    tree_identity.check,  # EQ1107: its tree
    role.check,  # EQ1106: parent or leaf
    resource_keys.check,  # EQ1103: its resources
    resource_keys.check_equal,  # EQ1103: none of its parent's left out either
    binding.check,  # EQ1004: its namespaces
    removal.check,  # EQ1111: what it leaves behind
]
SUMS: Final[Stage] = [
    min_sum.check,  # EQ1104: promises to and by it
    guaranteed_use.check,  # EQ1104: promises beside what runs
    ceiling.check,  # EQ1105: a max that never comes true
    in_use.check,  # EQ1112: what its pods use
]

FOR_USERS: Final[Stages] = [SHAPE, REFERENCES, SUMS]
# The controller writes root quotas, whose min follows the nodes and whose place follows profiles.
FOR_THE_CONTROLLER: Final[Stages] = [SHAPE]

FOR_PODS: Final[Sequence[PodRule]] = [
    placement.check,  # PD1301: no pods in parents
    unknown_quota.check,  # PD1306: a quota that exists
    allowed_namespaces.check,  # PD1307: a quota that takes pods of the namespace
]
FOR_PROFILES: Final[Sequence[ProfileRule]] = [
    profile_shape.check,  # EP1201: what it says about itself
    profile_conflicts.check,  # EP1202: a tree and a root of its own
    profile_conflicts.check_nodes,  # EP1202: nodes of its own
]


def judge(
    change: Change,
    forest: Forest,
    validation: Validation = USUAL,
    stages: Stages = FOR_USERS,
) -> Findings:
    """What the first stage that refuses has found; else all warnings."""
    if change.means_nothing:
        return Findings()
    trees = tree_identity.concerned(change, forest)
    warned: tuple[Violation, ...] = ()
    for stage in stages:
        found = validation.sort(_all(rule(change, forest) for rule in stage), trees)
        if found.refused:
            return Findings(found.refused)
        warned += found.warned
    return Findings(warned=warned)


def judge_pod(pod: Pod, members: Membership, validation: Validation = USUAL) -> Findings:
    """What is found against a new pod, by the choice for the tree in which it would be."""
    quota = members.quota_of(pod)
    found = _all(rule(pod, members) for rule in FOR_PODS)
    return _of_pod(found, quota, members.forest, validation)


def judge_profile(
    change: ProfileChange, forest: Forest, validation: Validation = USUAL
) -> Findings:
    """What is found against a profile, by the choice for its tree."""
    trees = (capacity.tree_id_of(change.new),)
    return validation.sort(_all(rule(change, forest) for rule in FOR_PROFILES), trees)


def judge_growth(
    asked: Resources,
    quota: str,
    forest: Forest,
    published: Mapping[str, Figures],
    validation: Validation = USUAL,
    *,
    firm: Resources = EMPTY,
) -> Findings:
    """What is found against a pod of ``quota`` that asks for more, by the choice for its tree.

    ``firm`` is what it has if it may not be taken back.
    """
    return _of_pod(resize.check(asked, quota, forest, published, firm), quota, forest, validation)


def _of_pod(
    found: Iterable[Violation], quota: str, forest: Forest, validation: Validation
) -> Findings:
    """No pod is refused for the sake of a tree that only observes."""
    tree = forest.tree_of.get(quota)
    judged = validation.sort(found, () if tree is None else (tree,))
    if forest.observes(quota):
        return Findings(warned=judged.refused + judged.warned)
    return judged


def _all(found: Iterable[Iterable[Violation]]) -> tuple[Violation, ...]:
    return tuple(violation for each in found for violation in each)
